package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/injection"
	"inlay/internal/wire"
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
			_, err := wire.OpenEmbedder(t.Context(), tt.embedder, wire.ModelSettings{Model: tt.model, BaseURL: address}, none)
			if tt.path == "/embeddings" {
				require.NoError(t, err)
			}
			require.NotEmpty(t, asked())
			require.True(t, strings.HasSuffix(asked()[0], tt.path), asked())
		})
	}
	for embedder, model := range map[string]string{"openai:small": "ollama:big", "ollama:small": "openai:big", "openai:large": "gpt-4o"} {
		address, asked := listener(t)
		_, err := wire.OpenEmbedder(t.Context(), embedder, wire.ModelSettings{Model: model, BaseURL: address}, none)
		require.True(t, fault.Is(err, fault.Usage), "%s beside %s: %v", embedder, model, err)
		require.ErrorContains(t, err, "--embedder: is of")
		require.Empty(t, asked())
	}
}

// TestUnknownProvider: a model of a provider that inlay does not know is refused
// with the list, and a tag is not taken for a provider.
func TestUnknownProvider(t *testing.T) {
	none := func(string) string { return "" }
	_, err := wire.OpenModel(wire.ModelSettings{Model: "foo:gpt", ContextLength: 1000}, none)
	require.True(t, fault.Is(err, fault.Usage))
	require.ErrorContains(t, err, `--model: names "foo", which is not a provider`)
	for _, provider := range llm.Providers() {
		require.ErrorContains(t, err, provider)
	}
	for _, good := range []string{"", "gpt-4o", "llama3.1:8b", "openai:gpt-4o", "openai:ft:gpt-4o:acme", "mistralai:some"} {
		_, err := wire.OpenModel(wire.ModelSettings{Model: good}, none)
		require.NoError(t, err, good)
	}
}

// TestAssumedWindow: where nothing says how long the window is, 4096 is assumed
// and said, with and without a model.
func TestAssumedWindow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("The notice period is four weeks."), 0o600))
	for name, args := range map[string][]string{
		"no model":         nil,
		"unknown":          {"--model", "openai:mystery"},
		"local":            {"--model", "vllm:some"},
		"a generic server": {"--model", "openai:mystery", "--base-url", scriptedModel(t)},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			ask := append([]string{"ask", "--output", "json", "-q", "-f", file, "How long is it?"}, args...)
			require.NoError(t, run(t.Context(), ask, func(string) string { return "" }, strings.NewReader(""), &out, &errs), errs.String())
			var r struct {
				Decision struct {
					Window struct{ Length struct{ N int } }
				}
				Warnings []injection.Warning
			}
			require.NoError(t, json.Unmarshal(out.Bytes(), &r))
			require.Equal(t, 4096, r.Decision.Window.Length.N)
			require.Equal(t, "window_assumed", r.Warnings[0].Code)
			require.Contains(t, r.Warnings[0].Message, "4096 tokens are assumed")
		})
	}
}

// TestServeFallback: --context-length of serve is the window of models whose own
// is unknown; without it 4096 is assumed.
func TestServeFallback(t *testing.T) {
	a := &app{getenv: func(string) string { return "" }}
	for _, tt := range []struct {
		given, want int
		by          string
	}{{given: 0, want: 4096, by: llm.Assumed}, {given: 20_000, want: 20_000, by: "configuration"}} {
		c := &serveCmd{}
		c.ContextLength = tt.given
		c.Upstream = []string{"here=openai:" + scriptedModel(t)}
		upstreams, err := c.upstreams(a, nil, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		m, err := upstreams[0].Open("mystery", 0)
		require.NoError(t, err)
		length, err := m.Length(t.Context())
		require.NoError(t, err)
		require.Equal(t, tt.want, length.N)
		require.Equal(t, tt.by, length.By)

		for _, model := range []string{"", "vllm:some"} {
			known, err := c.measure(a.getenv)(model, 0)
			require.NoError(t, err)
			length, err = known.Length(t.Context())
			require.NoError(t, err)
			require.Equal(t, tt.want, length.N)
		}
		known, err := c.measure(a.getenv)("openai:gpt-4o", 0)
		require.NoError(t, err)
		length, err = known.Length(t.Context())
		require.NoError(t, err)
		require.Equal(t, 128_000, length.N, "what is known is not overruled")
	}
}
