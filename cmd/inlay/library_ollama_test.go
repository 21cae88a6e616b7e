package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// TestLibraryOfOllama: a library made with an embedder of meaning keeps its
// vectors, and a question over it has the citations that it has over the files.
func TestLibraryOfOllama(t *testing.T) {
	env := map[string]string{"OLLAMA_HOST": ollamatest.Real(t), "HOME": t.TempDir()}
	folder := filepath.Join(t.TempDir(), "books")
	for name, text := range map[string]string{
		"whale.md": "# Whales\n\nThe blue whale is the largest animal.\n\nIt eats krill.\n", "fox.md": "# Foxes\n\nFoxes dig burrows in dry soil.\n",
		"tax.md": "# Taxes\n\nThe return is due at the end of July. Receipts are kept for ten years.\n",
	} {
		require.NoError(t, os.MkdirAll(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	inlay := func(args ...string) string {
		t.Helper()
		var out, failed bytes.Buffer
		err := run(t.Context(), args, func(name string) string { return env[name] }, strings.NewReader(""), &out, &failed)
		require.NoError(t, err, "%v\n%s", args, failed.String())
		return out.String()
	}
	embedder, data := "ollama:"+ollamatest.Embedder, t.TempDir()
	inlay("library", "add", "-q", "--data", data, "--embedder", embedder, "books", folder)
	type answer struct {
		Embedder  string
		Citations []struct {
			Text     string
			Affinity float64
			Start    int
		}
	}
	read := func(out string) (a answer) {
		require.NoError(t, json.Unmarshal([]byte(out), &a), out)
		return a
	}
	for _, question := range []string{"Which animal is the largest of all?", "When is the tax return due?", "Where do foxes live?"} {
		found := read(inlay("library", "search", "--data", data, "--threshold", "0", "--limit", "3", "--output", "json", "books", question))
		require.NotContains(t, found.Embedder, "builtin")
		require.NotEmpty(t, found.Citations)
		stored := read(inlay("ask", "--data", data, "--library", "books", "--mode", "retrieval", "--threshold", "0", "--context-length", "4096", "--output", "json", question))
		direct := read(inlay("ask", "-f", folder, "--embedder", embedder, "--mode", "retrieval", "--threshold", "0", "--context-length", "4096", "--output", "json", question))
		require.Equal(t, direct.Citations, stored.Citations, question)
		require.Equal(t, direct.Citations, found.Citations, question)
	}
}
