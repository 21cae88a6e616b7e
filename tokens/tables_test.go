package tokens

import (
	"crypto/sha256"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the tables and golden files")

// The embedded tables hold the vocabularies of tiktoken-go and nothing else.
func TestTables(t *testing.T) {
	for _, name := range []string{"cl100k_base", "o200k_base"} {
		t.Run(name, func(t *testing.T) {
			tokens, err := rankedTokens(name)
			require.NoError(t, err)
			want, err := writePairs(derive(tokens))
			require.NoError(t, err)
			file := "data/" + name + ".pairs"
			if *update {
				require.NoError(t, os.WriteFile(file, want, 0o644))
			}
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, sha256.Sum256(want), sha256.Sum256(got), "%s differs from tiktoken-go's vocabulary: run go generate ./tokens", file)
		})
	}
}

func TestVocabularies(t *testing.T) {
	for _, name := range Encodings() {
		t.Run(name, func(t *testing.T) {
			tokens, err := rankedTokens(name)
			require.NoError(t, err)
			v, err := loadVocabulary(name)
			require.NoError(t, err)
			require.Equal(t, len(tokens), v.len())
			for id, token := range tokens {
				require.Equal(t, token, v.text(uint32(id)))
				if token != "" {
					require.Equal(t, uint32(id), v.find(token, 0, len(token)), "%q", token)
					require.NotEqual(t, none, v.pairs[id].left, "no merge makes %q", token)
				}
			}
		})
	}
}
