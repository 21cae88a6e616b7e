package retrieve

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
)

// megabyte is the first 10^6 bytes of chunking-eval's documents.
func megabyte(b *testing.B) string {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(refdata.Path(b, "retrieval", "chunking-eval", "corpora"), "*.md"))
	require.NoError(b, err)
	var text strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(b, err)
		text.Write(data)
	}
	return strings.ToValidUTF8(text.String()[:1_000_000], "")
}

// BenchmarkCold makes a document of 1 MB searchable by the defaults with
// nothing in the cache. INLAY_LANGCHAIN names the script that does the same by
// LangChain.js; its times over ours are then reported too, and hold on any
// machine where ours do not.
func BenchmarkCold(b *testing.B) {
	d := parse.Document{FileID: "file", Name: "file", Parser: "set/1", Text: megabyte(b)}
	b.SetBytes(int64(len(d.Text)))
	chunks := 0
	for b.Loop() {
		c, err := New(Options{}).Prepare(b.Context(), Request{Documents: []parse.Document{d}})
		require.NoError(b, err)
		chunks = c.total
	}
	b.ReportMetric(float64(chunks), "chunks")
	ours := float64(b.Elapsed().Microseconds()) / 1000 / float64(b.N)
	if script := os.Getenv("INLAY_LANGCHAIN"); script != "" {
		theirs := langchain(b, script, d.Text)
		b.ReportMetric(theirs.Tokens.Millis, "langchain-tokens-ms")
		b.ReportMetric(theirs.Tokens.Millis/ours, "x-langchain-tokens")
		b.ReportMetric(theirs.Characters.Millis, "langchain-characters-ms")
		b.ReportMetric(theirs.Characters.Millis/ours, "x-langchain-characters")
	}
}

type langchainTimes struct {
	Tokens, Characters struct {
		Millis float64
		Chunks int
	}
}

func langchain(b *testing.B, script, text string) (t langchainTimes) {
	b.Helper()
	file := filepath.Join(b.TempDir(), "text")
	require.NoError(b, os.WriteFile(file, []byte(text), 0o600))
	out, err := exec.CommandContext(b.Context(), "node", script, file, "3").Output()
	require.NoError(b, err)
	require.NoError(b, json.Unmarshal(out, &t))
	return t
}
