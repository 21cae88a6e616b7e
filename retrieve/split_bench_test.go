package retrieve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/retrieve"
	"inlay/tokens"
)

// BenchmarkSplit cuts real prose, and texts that are hard on a splitter, by the
// preset rag-v1 with exact token counts.
func BenchmarkSplit(b *testing.B) {
	e, err := tokens.NewEncoding("cl100k_base")
	require.NoError(b, err)
	files, err := filepath.Glob(filepath.Join(refdata.Path(b, "retrieval", "chunking-eval", "corpora"), "*.md"))
	require.NoError(b, err)
	var prose strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(b, err)
		prose.Write(data)
	}
	for name, text := range map[string]string{
		"prose":  prose.String(),
		"cjk":    strings.Repeat("漢字仮名交じり文である。これは、二番目の文です。", 20_000),
		"code":   strings.Repeat("func f(x int) int {\n\ty := x + 1\n\n\treturn y * 2\n}\n\n", 20_000),
		"letter": strings.Repeat("a", 1<<20),
		"spaces": strings.Repeat(" ", 1<<20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			s := retrieve.Splitter{Size: 512, Overlap: 100, Measure: e}
			for b.Loop() {
				s.Split(document(text))
			}
		})
	}
}
