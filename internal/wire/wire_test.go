package wire

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/llm"
)

// listener is a server of embeddings that says what it was asked.
func listener(t *testing.T) (address string, asked func() []string) {
	t.Helper()
	var paths []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		if strings.HasSuffix(r.URL.Path, "/embeddings") {
			_, _ = io.WriteString(w, `{"data": [{"index": 0, "embedding": [0.6, 0.8]}]}`)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string { return paths }
}

// TestEmbedderIsAtBaseURL: with --base-url no document goes to another server
// (SEC-6), whether or not a model is named.
func TestEmbedderIsAtBaseURL(t *testing.T) {
	none := func(string) string { return "" }
	for name, tt := range map[string]struct {
		embedder, model string
		path            string // of the request that arrives
	}{
		"openai without a model":         {"openai:small", "", "/embeddings"},
		"openai beside an openai model":  {"openai:small", "openai:big", "/embeddings"},
		"openai beside openai-responses": {"openai:small", "openai-responses:big", "/embeddings"},
		"ollama without a model":         {"ollama:small", "", "/api/show"},
		"ollama beside an ollama model":  {"ollama:small", "ollama:big", "/api/show"},
	} {
		t.Run(name, func(t *testing.T) {
			address, asked := listener(t)
			_, err := OpenEmbedder(t.Context(), tt.embedder, ModelSettings{Model: tt.model, BaseURL: address}, none)
			if tt.path == "/embeddings" {
				require.NoError(t, err)
			}
			require.NotEmpty(t, asked())
			require.True(t, strings.HasSuffix(asked()[0], tt.path), asked())
		})
	}
	for embedder, model := range map[string]string{"openai:small": "ollama:big", "ollama:small": "openai:big", "openai:large": "gpt-4o"} {
		address, asked := listener(t)
		_, err := OpenEmbedder(t.Context(), embedder, ModelSettings{Model: model, BaseURL: address}, none)
		require.True(t, fault.Is(err, fault.Usage), "%s beside %s: %v", embedder, model, err)
		require.ErrorContains(t, err, "--embedder: is of")
		require.Empty(t, asked())
	}
}

// TestUnknownProvider: a model of a provider that inlay does not know is refused
// with the list, and a tag is not taken for a provider.
func TestUnknownProvider(t *testing.T) {
	none := func(string) string { return "" }
	_, err := OpenModel(ModelSettings{Model: "foo:gpt", ContextLength: 1000}, none)
	require.True(t, fault.Is(err, fault.Usage))
	require.ErrorContains(t, err, `--model: names "foo", which is not a provider`)
	for _, provider := range llm.Providers() {
		require.ErrorContains(t, err, provider)
	}
	for _, good := range []string{"", "gpt-4o", "claude-sonnet-4", "openai:gpt-4o", "openai:ft:gpt-4o:acme", "mistralai:some"} {
		_, err := OpenModel(ModelSettings{Model: good}, none)
		require.NoError(t, err, good)
	}
	for _, bare := range []string{"llama3.2", "llama3.1:8b", "mystery"} {
		_, err := OpenModel(ModelSettings{Model: bare, ContextLength: 1000}, none)
		require.ErrorContains(t, err, bare+": name the provider, such as ollama:"+bare+" or openai:"+bare)
		_, err = OpenAnswerer(ModelSettings{Model: bare}, none)
		require.ErrorContains(t, err, bare+": name the provider")
	}
	_, err = OpenAnswerer(ModelSettings{Model: "gpt-4o"}, none)
	require.ErrorContains(t, err, "gpt-4o: is only measured, because its provider is not named (--model openai:gpt-4o answers)")
}
