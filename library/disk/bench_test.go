package disk_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/library"
	"inlay/library/disk"
	"inlay/retrieve"
)

// BenchmarkBuild reads the folder INLAY_BENCH_FOLDER.
func BenchmarkBuild(b *testing.B) {
	folder := os.Getenv("INLAY_BENCH_FOLDER")
	if folder == "" {
		b.Skip("INLAY_BENCH_FOLDER is not set")
	}
	for b.Loop() {
		store := disk.Open(b.TempDir())
		k := keeper(store, retrieve.New(retrieve.Options{}))
		require.NoError(b, k.AddFolders(b.Context(), "", "bench", library.Settings{}, []string{folder}, nil))
		out, err := k.Sync(b.Context(), "", "bench")
		require.NoError(b, err)
		b.SetBytes(out.Bytes)
	}
}

// benchQueries are questions over sources and documentation.
var benchQueries = []string{
	"how are TLS certificates verified", "garbage collector write barrier", "which licence does the package have", "json encoding of maps with integer keys",
	"what happens when a context is cancelled", "parse a duration from text", "HTTP/2 flow control window update", "install a package with dpkg",
	"sort a slice without allocating", "database connection pool settings", "error handling in goroutines", "unicode normalization forms",
	"read a file line by line", "what does this function return when the input is empty", "the", "mutex", "regular expression syntax", "elliptic curve signature",
	"time zone database location", "configure the log level", "memory mapped file", "prometheus histogram buckets", "protobuf reflection", "how many retries before giving up",
}

// BenchmarkSearch asks the library INLAY_BENCH_LIBRARY of the store INLAY_BENCH_STORE.
func BenchmarkSearch(b *testing.B) {
	dir, name := os.Getenv("INLAY_BENCH_STORE"), os.Getenv("INLAY_BENCH_LIBRARY")
	if dir == "" {
		b.Skip("INLAY_BENCH_STORE is not set")
	}
	r := retrieve.New(retrieve.Options{})
	store := disk.Open(dir)
	start := time.Now()
	_, err := store.Counts(b.Context(), "", name)
	require.NoError(b, err)
	b.Logf("opened in %v", time.Since(start))
	var took []time.Duration
	for b.Loop() {
		for _, q := range benchQueries {
			start := time.Now()
			found, err := r.Retrieve(b.Context(), retrieve.Request{Query: q, Collections: []retrieve.Collection{collection{Index: store, name: name}}})
			require.NoError(b, err)
			took = append(took, time.Since(start))
			if len(took) <= len(benchQueries) {
				b.Logf("%8v %s (%d)", took[len(took)-1].Round(time.Millisecond), q, len(found.Citations))
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
