package parse_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/refdata"
	"inlay/parse"
	"inlay/parse/archive"
	"inlay/parse/legacy"
	"inlay/parse/markup"
	"inlay/parse/office"
	"inlay/parse/plain"
)

// everything is the registry of all parsers but PDF.
func everything(tb testing.TB) *parse.Registry {
	tb.Helper()
	r, err := parse.NewRegistry(slices.Concat(plain.All(parse.Limits{}), markup.All(parse.Limits{}), office.All(parse.Limits{}),
		legacy.All(parse.Limits{}), []parse.Parser{archive.Zip(parse.Limits{})})...)
	require.NoError(tb, err)
	return r
}

// TestCorpus reads every reference document that is not a PDF: each ends as text
// that keeps the promises of a document, or as an error that explains itself.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	root := refdata.Path(t, "documents")
	r := everything(t)
	read := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".pdf" || strings.Contains(path, "/gt/") || strings.Contains(path, "/ref/") {
			return err
		}
		t.Run(strings.TrimPrefix(path, root), func(t *testing.T) {
			f, err := parse.ReadFile(t.Context(), path, parse.Limits{})
			require.NoError(t, err)
			doc, err := r.Parse(t.Context(), f, nil)
			if err != nil {
				requireExplained(t, err)
				t.Log(err)
				return
			}
			read++
			requireSound(t, doc)
		})
		return nil
	})
	require.NoError(t, err)
	require.Positive(t, read)
}

// TestHostile holds each hostile file to 1 GiB of memory and a few seconds.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	root := refdata.Path(t, "documents", "hostile")
	r := everything(t)
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".pdf" {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			f, err := parse.ReadFile(t.Context(), filepath.Join(root, e.Name()), parse.Limits{})
			require.NoError(t, err)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			doc, err := r.Parse(t.Context(), f, nil)
			runtime.ReadMemStats(&after)
			t.Logf("%s, %d MiB allocated, %d bytes of text, %v", time.Since(began).Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20, len(doc.Text), err)
			if err != nil {
				requireExplained(t, err)
				return
			}
			requireSound(t, doc)
		})
	}
}

// requireExplained checks that an error says what, why and what next.
func requireExplained(t *testing.T, err error) {
	t.Helper()
	var e *fault.Error
	require.ErrorAs(t, err, &e)
	require.NotEmpty(t, e.Subject, err.Error())
	require.NotEmpty(t, e.Reason, err.Error())
	require.NotEmpty(t, e.Next, err.Error())
	require.NotEqual(t, fault.Internal, e.Code)
}

// requireSound checks what every document promises.
func requireSound(t *testing.T, d parse.Document) {
	t.Helper()
	require.NotEmpty(t, strings.TrimSpace(d.Text))
	require.NotEmpty(t, d.Library)
	require.NotEmpty(t, d.MediaType)
	last := 0
	for _, s := range d.Sections {
		require.GreaterOrEqual(t, s.Start, last)
		last = s.Start
		require.LessOrEqual(t, s.End, len(d.Text))
	}
}
