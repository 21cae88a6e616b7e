package retrieve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
)

// BenchmarkCitations logs, for each set, a hash of all that its questions get:
// citations, affinities, near misses, candidates. Two commits of equal hashes find
// the same to the byte. INLAY_RUNS is a folder for the answers themselves.
func BenchmarkCitations(b *testing.B) {
	for _, name := range []string{
		"scifact", "xquad-en", "squad2-dev", "clapnq-dev", "covidqa-98", "codebase-qa", "cisi", "lisa",
		"languages/de", "languages/ru", "languages/ar", "languages/zh", "languages/hi", "languages/th",
	} {
		b.Run(name, func(b *testing.B) {
			s := loadQuality(b, name)
			corpus, err := New(Options{Splitter: s.cuts}).Prepare(b.Context(), Request{Documents: s.docs})
			require.NoError(b, err)
			for b.Loop() {
				dumpAnswers(b, name, corpus, s.queries)
			}
		})
	}
	for name, copies := range map[string]int{"prose": 1, "large": 6} {
		b.Run(name, func(b *testing.B) {
			d := parse.Document{FileID: "file", Name: "file", Parser: "set/1", Text: strings.Repeat(megabyte(b)[:900_000], copies)}
			corpus, err := New(Options{}).Prepare(b.Context(), Request{Documents: []parse.Document{d}})
			require.NoError(b, err)
			queries := jsonLines[qualityQuery](b, filepath.Join(refdata.Path(b, "retrieval", "chunking-eval"), "queries.jsonl"))
			for b.Loop() {
				dumpAnswers(b, name, corpus, queries)
			}
		})
	}
}

// dumpAnswers asks at most INLAY_QUERIES questions, each with a low threshold and
// many passages and as the defaults ask.
func dumpAnswers(b *testing.B, name string, corpus *Corpus, queries []qualityQuery) {
	b.Helper()
	hash := sha256.New()
	into := io.Writer(hash)
	if os.Getenv("INLAY_RUNS") != "" {
		f := runFile(b, strings.ReplaceAll(name, "/", "-")+".citations.jsonl")
		defer f.Close() //nolint:errcheck // a benchmark's output
		into = io.MultiWriter(hash, f)
	}
	out := json.NewEncoder(into)
	for _, q := range queries[:min(len(queries), queryLimit())] {
		for _, req := range []Request{{Query: q.Text}, {Query: q.Text, Limit: 20, Threshold: new(0.05), Budget: 3000}} {
			p, err := corpus.Find(b.Context(), req)
			require.NoError(b, err)
			p.Files = nil // has times
			require.NoError(b, out.Encode(p))
		}
	}
	b.Logf("%s %s", hex.EncodeToString(hash.Sum(nil))[:16], name)
	b.ReportMetric(0, "ns/op")
}
