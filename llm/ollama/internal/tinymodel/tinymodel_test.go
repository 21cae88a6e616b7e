package tinymodel_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/ollama/ollama/fs/gguf"
	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/internal/tinymodel"
)

func TestModelsAreTheSameBytesAndReadable(t *testing.T) {
	for name, write := range map[string]func() []byte{
		"embedder": tinymodel.Embedder, "chat": tinymodel.Chat, "endless": tinymodel.Endless,
		"llama3": tinymodel.Llama3, "sentence": tinymodel.Sentence,
	} {
		t.Run(name, func(t *testing.T) {
			data := write()
			require.True(t, bytes.Equal(data, write()), "two runs differ")
			path := filepath.Join(t.TempDir(), "m.gguf")
			require.NoError(t, os.WriteFile(path, data, 0o600))
			f, err := gguf.Open(path)
			require.NoError(t, err)
			defer func() { require.NoError(t, f.Close()) }()
			require.Positive(t, f.NumTensors())
			values := f.KeyValue("tokenizer.ggml.tokens").Strings()
			require.Len(t, f.KeyValue("tokenizer.ggml.token_type").Ints(), len(values))
			seen := map[string]bool{}
			for _, v := range values {
				require.False(t, seen[v], "token %q twice", v)
				seen[v] = true
			}
		})
	}
}
