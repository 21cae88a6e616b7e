package retrieve_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
	"inlay/retrieve"
	"inlay/retrieve/chromem"
	"inlay/retrieve/flat"
)

// prose is n bytes of chunking-eval's documents, again and again where they are
// fewer, and questions asked of them.
func prose(b *testing.B, n int) (text string, questions []string) {
	b.Helper()
	root := refdata.Path(b, "retrieval", "chunking-eval")
	files, err := filepath.Glob(filepath.Join(root, "corpora", "*.md"))
	require.NoError(b, err)
	var all strings.Builder
	for i := 0; all.Len() < n; i++ {
		data, err := os.ReadFile(files[i%len(files)])
		require.NoError(b, err)
		all.Write(data)
	}
	f, err := os.Open(filepath.Join(root, "queries.jsonl"))
	require.NoError(b, err)
	defer f.Close() //nolint:errcheck // only read
	for lines := bufio.NewScanner(f); lines.Scan() && len(questions) < 64; {
		var q struct{ Text string }
		require.NoError(b, json.Unmarshal(lines.Bytes(), &q))
		questions = append(questions, q.Text)
	}
	return strings.ToValidUTF8(all.String()[:n], ""), questions
}

// BenchmarkWarm asks again about a document that was asked about before, with the
// indexes of the command.
func BenchmarkWarm(b *testing.B) {
	for _, n := range []int{10_000, 260_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("bytes=%d", n), func(b *testing.B) {
			text, questions := prose(b, n)
			r := retrieve.New(retrieve.Options{NewIndex: func() (retrieve.Index, error) {
				return &flat.Growing{Small: func() retrieve.Index { return chromem.New() }}, nil
			}})
			req := retrieve.Request{Documents: []parse.Document{{FileID: "file", Name: "file", Parser: "set/1", Text: text}}}
			ask := func(i int) {
				req.Query = questions[i%len(questions)]
				_, err := r.Retrieve(b.Context(), req)
				require.NoError(b, err)
			}
			for i := range questions {
				ask(i)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				ask(i)
			}
		})
	}
}
