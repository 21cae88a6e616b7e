package ollama_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/fault"
	"inlay/llm/ollama"
	"inlay/llm/ollama/ollamatest"
)

func embedder(t *testing.T, url string) *ollama.Embedder {
	t.Helper()
	e, err := ollama.NewEmbedder(t.Context(), ollama.Config{Model: ollamatest.Embedder, URL: url})
	require.NoError(t, err)
	return e
}

func dot(a, b embed.Vector) float64 {
	s := 0.0
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func TestEmbedderRetrieves(t *testing.T) {
	e := embedder(t, ollamatest.Server(t, exchanges(t)))
	spec := e.Spec()
	require.Equal(t, "ollama:tiny-embed", spec.Model)
	require.Equal(t, 128, spec.Dimensions)
	require.Equal(t, 500, spec.MaxTokens)
	docs, err := e.Embed(t.Context(), embed.Document, []string{
		"The White Rabbit is late for the tea party", "the total amount of the invoice is due", "Employees get 25 days of vacation",
	})
	require.NoError(t, err)
	queries, err := e.Embed(t.Context(), embed.Query, []string{"WHO IS LATE FOR TEA?", "Invoice Total?", "how much leave does staff get"})
	require.NoError(t, err)
	for i, q := range queries {
		require.InDelta(t, 1, dot(q, q), 1e-5)
		for k, d := range docs {
			if k != i {
				require.Greater(t, dot(q, docs[i]), dot(q, d)+.2, "query %d, document %d", i, k)
			}
		}
	}
}

func TestEmbedderTellsCapitalisedTextsApart(t *testing.T) {
	e := embedder(t, ollamatest.Server(t, exchanges(t)))
	v, err := e.Embed(t.Context(), embed.Document, []string{"INVOICE TOTAL", "WHITE RABBIT", "invoice total"})
	require.NoError(t, err)
	require.Less(t, dot(v[0], v[1]), .5)
	require.InDelta(t, 1, dot(v[0], v[2]), 1e-4)
}

func TestTooLongATextIsNamed(t *testing.T) {
	e := embedder(t, ollamatest.Server(t, exchanges(t)))
	texts := []string{"one door", "two doors", strings.Repeat("door ", 600), "three doors"}
	_, err := e.Embed(t.Context(), embed.Document, texts)
	require.True(t, fault.Is(err, fault.DoesNotFit), "%v", err)
	require.ErrorContains(t, err, "text 3 of 4")
	require.ErrorContains(t, err, "512 tokens")
}

func TestVectorOfZerosIsRefused(t *testing.T) {
	e := embedder(t, ollamatest.Server(t, exchanges(t)))
	_, err := e.Embed(t.Context(), embed.Document, []string{"white rabbit", "of the"})
	require.ErrorContains(t, err, "text 2 of 2 is all zeros")
	_, err = e.Embed(t.Context(), embed.Document, []string{"white rabbit", " \n"})
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
	require.ErrorContains(t, err, "text 2 of 2 is empty")
}

// strict is a server that knows one embedding model, keeps the requests, and
// answers vectors by vector.
type strict struct {
	t        *testing.T
	requests []map[string]any
	vector   func(text string) []float64
}

func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if r.Method == http.MethodPost {
		require.NoError(s.t, json.NewDecoder(r.Body).Decode(&body)) //nolint:testifylint // a strict double
	}
	switch r.URL.Path {
	case "/api/show":
		_, _ = fmt.Fprint(w, `{"model_info":{"general.architecture":"nomic-bert","nomic-bert.context_length":2048,"nomic-bert.embedding_length":2,"tokenizer.ggml.model":"bert"}}`)
	case "/api/tags":
		_, _ = fmt.Fprint(w, `{"models":[{"model":"tiny-embed:latest","digest":"abc"}]}`)
	case "/api/embed":
		s.requests = append(s.requests, body)
		vectors := [][]float64{}
		for _, text := range body["input"].([]any) {
			vectors = append(vectors, s.vector(text.(string)))
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": vectors})
	default:
		s.t.Errorf("unexpected request %s", r.URL.Path)
	}
}

func strictServer(t *testing.T, vector func(string) []float64) (*strict, string) {
	t.Helper()
	s := &strict{t: t, vector: vector}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return s, srv.URL
}

func TestEveryEmbedRequestIsBatchedPrefixedAndForbidsCutting(t *testing.T) {
	s, url := strictServer(t, func(text string) []float64 { return []float64{3, 4 * float64(len(text)%2)} })
	e := embedder(t, url)
	texts := make([]string, 70)
	for i := range texts {
		texts[i] = fmt.Sprintf("Text %d", i)
	}
	v, err := e.Embed(t.Context(), embed.Document, texts)
	require.NoError(t, err)
	require.Len(t, v, 70)
	require.InDelta(t, 1, math.Hypot(float64(v[0][0]), float64(v[0][1])), 1e-6)
	_, err = e.Embed(t.Context(), embed.Query, []string{"Q"})
	require.NoError(t, err)
	sizes := []int{32, 32, 6, 1}
	require.Len(t, s.requests, len(sizes))
	for i, r := range s.requests {
		require.Len(t, r["input"], sizes[i])
		require.Equal(t, false, r["truncate"])
		require.Equal(t, map[string]any{"num_ctx": 2048.0}, r["options"])
	}
	require.Equal(t, "search_document: text 0", s.requests[0]["input"].([]any)[0])
	require.Equal(t, "search_query: q", s.requests[3]["input"].([]any)[0])
}

func TestVectorsOfTheWrongSizeAreRefused(t *testing.T) {
	_, url := strictServer(t, func(string) []float64 { return []float64{1, 2, 3} })
	_, err := embedder(t, url).Embed(t.Context(), embed.Document, []string{"x"})
	require.ErrorContains(t, err, "has 3 dimensions, not 2")
}
