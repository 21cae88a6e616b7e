package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// TestPageOllama: the page in a real Chromium, with a real Ollama server behind the service. scripts/page-test
// builds the command and installs what npm has.
func TestPageOllama(t *testing.T) {
	command := os.Getenv("INLAY_BIN")
	if command == "" {
		t.Skip("it is run by make page-test")
	}
	base := ollamatest.Real(t)
	dir, err := filepath.Abs("../../internal/web")
	require.NoError(t, err)
	node := exec.CommandContext(t.Context(), "node", "--test", "--test-timeout=300000", "test/ollama.mjs")
	node.Dir, node.Env = dir, append(os.Environ(), "INLAY_PAGE_OLLAMA="+base, "INLAY_PAGE_MODEL="+ollamatest.Chat, "INLAY_PAGE_ENDLESS="+ollamatest.Endless,
		"INLAY_PAGE_SAYS="+ollamatest.Answer, "INLAY_PAGE_EMBEDDER="+ollamatest.Embedder)
	node.Stdout, node.Stderr = os.Stdout, os.Stdout // as it goes: a browser that hangs is seen where it does
	require.NoError(t, node.Run())
}
