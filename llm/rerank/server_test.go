package rerank_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/llm/rerank"
	"inlay/retrieve"
	"inlay/retrieve/retrievetest"
)

// kind is how a server of the field answers; the forms are those of its
// documentation (llama.cpp's and TEI's also of their sources).
type kind struct {
	path   string
	texts  bool // takes "texts", as Text Embeddings Inference
	answer func(model string, found []found) any
	strict bool // refuses fields that it does not know
}

type found struct {
	index int
	score float64
}

func kinds() map[string]kind {
	results := func(found []found, more func(found) map[string]any) []any {
		var list []any
		for _, f := range found {
			m := map[string]any{"index": f.index, "relevance_score": f.score}
			maps.Copy(m, more(f))
			list = append(list, m)
		}
		return list
	}
	none := func(found) map[string]any { return nil }
	return map[string]kind{
		"llama.cpp": {"/v1/rerank", false, func(model string, f []found) any {
			return map[string]any{"model": model, "object": "list", "usage": map[string]any{"prompt_tokens": 9, "total_tokens": 9}, "results": results(f, none)}
		}, false},
		"vLLM": {"/v1/rerank", false, func(model string, f []found) any {
			return map[string]any{"id": "rerank-1", "model": model, "usage": map[string]any{"total_tokens": 9}, "results": results(f, func(found) map[string]any {
				return map[string]any{"document": map[string]any{"text": "..."}}
			})}
		}, false},
		"Jina": {"/v1/rerank", false, func(model string, f []found) any {
			return map[string]any{"model": model, "object": "list", "results": results(f, none)}
		}, true},
		"Voyage's data": {"/v1/rerank", false, func(model string, f []found) any {
			return map[string]any{"object": "list", "data": results(f, none), "model": model}
		}, true},
		"TEI": {"/rerank", true, func(_ string, f []found) any {
			list := []any{}
			for _, one := range f {
				list = append(list, map[string]any{"index": one.index, "score": one.score})
			}
			return list
		}, true},
	}
}

// serve answers as a kind of server does, and scores by the words that the query
// and a passage share.
func serve(t *testing.T, k kind, seen *atomic.Int64) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		if r.URL.Path != k.path || r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		var body struct {
			Model     string   `json:"model"`
			Query     string   `json:"query"`
			Documents []string `json:"documents"`
			Texts     []string `json:"texts"`
			TopN      int      `json:"top_n"`
			Return    bool     `json:"return_documents"`
			Truncate  bool     `json:"truncate"`
		}
		d := json.NewDecoder(r.Body)
		if k.strict {
			d.DisallowUnknownFields()
		}
		err := d.Decode(&body)
		texts := body.Documents
		if k.texts {
			texts = body.Texts
		}
		if err != nil || len(texts) == 0 {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		_ = json.NewEncoder(w).Encode(k.answer(body.Model, order(body.Query, texts)))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// order scores texts and puts the best first, as servers do.
func order(query string, texts []string) []found {
	var all []found
	for i, text := range texts {
		score := -4.5
		for word := range strings.FieldsSeq(strings.ToLower(query)) {
			if strings.Contains(strings.ToLower(text), strings.Trim(word, "?")) {
				score += 1.25
			}
		}
		all = append(all, found{i, score})
	}
	slices.SortStableFunc(all, func(a, b found) int { return int(100 * (b.score - a.score)) })
	return all
}

func open(t *testing.T, url string) *rerank.Server {
	t.Helper()
	s, err := rerank.NewServer(rerank.Config{URL: url, Model: "bge-reranker", Key: "k", Backoff: time.Nanosecond})
	require.NoError(t, err)
	return s
}

func TestServers(t *testing.T) {
	for name, k := range kinds() {
		t.Run(name, func(t *testing.T) {
			var seen atomic.Int64
			url := serve(t, k, &seen)
			for _, address := range []string{url, url + "/", url + "/v1", url + k.path} {
				if k.texts && address == url+k.path {
					continue // below
				}
				retrievetest.RunReranker(t, true, func(t *testing.T) retrieve.Reranker { t.Helper(); return open(t, address) })
			}
		})
	}
}

// TestFormIsFoundOnce: a server that takes the other request is asked only by it
// from then on, also where the whole address was named.
func TestFormIsFoundOnce(t *testing.T) {
	for _, path := range []string{"", "/rerank"} {
		var seen atomic.Int64
		s := open(t, serve(t, kinds()["TEI"], &seen)+path)
		for range 3 {
			scores, err := s.Rerank(t.Context(), "notice", []string{"the notice period", "the canteen"})
			require.NoError(t, err)
			require.Greater(t, scores[0], scores[1])
		}
		require.EqualValues(t, 4, seen.Load())
	}
}

func TestRequest(t *testing.T) {
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		got = append(got, fmt.Sprint(r.URL.Path, " ", r.Header.Get("Authorization"), " ", string(data)))
		_, _ = io.WriteString(w, `{"results":[{"index":1,"relevance_score":2},{"index":0,"relevance_score":-1}]}`)
	}))
	defer s.Close()
	scores, err := open(t, s.URL+"/v1").Rerank(t.Context(), "q", []string{"a", "b"})
	require.NoError(t, err)
	require.Equal(t, []float64{-1, 2}, scores)
	require.Equal(t, []string{`/v1/rerank Bearer k {"model":"bge-reranker","query":"q","documents":["a","b"],"top_n":2,"return_documents":false}`}, got)
}

func TestRefusals(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		answer string
		code   fault.Code
		says   string
	}{
		"key":             {401, "", fault.Unauthorized, "INLAY_RERANKER_KEY"},
		"no endpoint":     {404, "", fault.ModelNotFound, "--reranking"},
		"not started so":  {501, `{"error":{"message":"This server does not support reranking"}}`, fault.BackendRefused, "--reranking"},
		"busy":            {429, "", fault.RateLimited, "busy"},
		"too long":        {413, "", fault.DoesNotFit, "--chunk"},
		"bad request":     {400, "the text of a passage", fault.BackendRefused, "(400)"},
		"broken":          {500, "the text of a passage", fault.Internal, "answered 500"},
		"redirect":        {302, "", fault.Internal, "answered 302"},
		"a page":          {200, "<html>", fault.Internal, "not that of a rerank endpoint"},
		"too few":         {200, `{"results":[{"index":0,"relevance_score":1}]}`, fault.Internal, "1 of 2"},
		"twice":           {200, `{"results":[{"index":0,"relevance_score":1},{"index":0,"relevance_score":1}]}`, fault.Internal, "valid index"},
		"beyond":          {200, `{"results":[{"index":0,"relevance_score":1},{"index":7,"relevance_score":1}]}`, fault.Internal, "valid index"},
		"no score":        {200, `{"results":[{"index":0},{"index":1}]}`, fault.Internal, "valid index"},
		"an empty object": {200, `{}`, fault.Internal, "0 of 2"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "http://127.0.0.1:1/")
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.answer)
			}))
			defer s.Close()
			_, err := open(t, s.URL).Rerank(t.Context(), "q", []string{"a", "b"})
			require.True(t, fault.Is(err, tt.code), "%v", err)
			require.ErrorContains(t, err, tt.says)
			require.NotContains(t, err.Error(), "text of a passage")
		})
	}
}

func TestNoServer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	_, err := open(t, s.URL).Rerank(t.Context(), "q", []string{"a"})
	require.True(t, fault.Is(err, fault.BackendUnreachable), "%v", err)
	for _, url := range []string{"", "chat?", "ftp://x", "http://", "127.0.0.1:8080"} {
		_, err := rerank.NewServer(rerank.Config{URL: url})
		require.True(t, fault.Is(err, fault.Usage), "%q: %v", url, err)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"results":[{"index":0,"relevance_score":1},{"index":1,"relevance_score":1e308}]}`))
	f.Add([]byte(`[{"index":1,"score":0.5},{"index":0,"score":-3}]`))
	f.Add([]byte(`{"data":null,"results":7}`))
	var answer atomic.Pointer[[]byte]
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(*answer.Load()) }))
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, data []byte) {
		answer.Store(&data)
		scores, err := open(t, s.URL).Rerank(t.Context(), "q", []string{"a", "b"})
		if err == nil {
			require.Len(t, scores, 2)
		}
	})
}
