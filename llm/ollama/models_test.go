package ollama_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/llm/ollama"
)

// TestModelsOfAnother: a server that is none of Ollama's is told from a model that is not there.
func TestModelsOfAnother(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	_, err := ollama.Models(t.Context(), ollama.Config{URL: other.URL})
	require.True(t, fault.Is(err, fault.BackendUnreachable), "%v", err)
	require.ErrorContains(t, err, "is not an Ollama server (set the base URL of one)")
}
