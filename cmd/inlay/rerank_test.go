package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/retrieve"
)

// newReranker is a server of /v1/rerank, by its published form, that puts what is
// said of the trial period first: another order than that of the search.
func newReranker(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Query     string
			Documents []string
		}
		if r.URL.Path != "/v1/rerank" || json.NewDecoder(r.Body).Decode(&body) != nil || body.Query == "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		type result struct {
			Index int     `json:"index"`
			Score float64 `json:"relevance_score"`
		}
		var all []result
		for i, d := range body.Documents {
			all = append(all, result{i, float64(strings.Count(d, "period")+strings.Count(d, "trial")) - float64(len(d))/1000})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "test", "results": all})
	}))
	s.Config.SetKeepAlivesEnabled(false)
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

type rerankedAnswer struct {
	Citations []chat.Citation
	Reranking *retrieve.Reranking
	Warnings  []struct{ Code, Message string }
}

// asksHandbook runs ask on the test handbook, by passages of which one is cited.
func asksHandbook(t *testing.T, args ...string) (r rerankedAnswer, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	all := append([]string{
		"ask", "-q", "--no-save", "-o", "json", "-f", "../../testdata/handbook.md", "--mode", "retrieval", "--limit", "1",
		"--threshold", "0", "--chunk", "40/0", "--context-length", "4096",
	}, args...)
	err = run(t.Context(), append(all, parityNotice), noEnv, strings.NewReader(""), &out, &errs)
	if err == nil {
		require.NoError(t, json.Unmarshal(out.Bytes(), &r))
	}
	return r, errs.String(), err
}

func TestReranker(t *testing.T) {
	plain, _, err := asksHandbook(t)
	require.NoError(t, err)
	require.Nil(t, plain.Reranking)
	config := filepath.Join(t.TempDir(), "inlay.yaml")
	require.NoError(t, os.WriteFile(config, []byte("reranker: "+newReranker(t)+"\nreranker_model: tiny\n"), 0o600))
	got, _, err := asksHandbook(t, "--config", config)
	require.NoError(t, err)
	require.NotEqual(t, plain.Citations[0].ID, got.Citations[0].ID)
	require.NotNil(t, got.Citations[0].Rerank)
	require.Equal(t, "rerank:tiny", got.Reranking.Model)
	require.Positive(t, got.Reranking.Passages)
	require.Empty(t, got.Warnings)

	off, _, err := asksHandbook(t, "--config", config, "--rerank=false")
	require.NoError(t, err)
	require.Equal(t, plain.Citations, off.Citations)
}

func TestRerankerOfNobody(t *testing.T) {
	_, errs, err := asksHandbook(t, "--reranker", "chat")
	require.Error(t, err)
	require.Contains(t, errs, "name a model that answers")
	_, errs, err = asksHandbook(t, "--reranker", "bge-reranker")
	require.Error(t, err)
	require.Contains(t, errs, "http://127.0.0.1:8080/v1")
	got, _, err := asksHandbook(t, "--reranker", "http://127.0.0.1:1")
	require.NoError(t, err)
	require.Len(t, got.Warnings, 1)
	require.Equal(t, "not_reranked", got.Warnings[0].Code)
	require.Contains(t, got.Warnings[0].Message, "no server answers at http://127.0.0.1:1")
}

// TestEvalReranked: a sweep has every setting with and without the reranker.
func TestEvalReranked(t *testing.T) {
	var out, errs bytes.Buffer
	data, err := filepath.Abs("../../eval/testdata/harbour")
	require.NoError(t, err)
	args := []string{"eval", "-q", "--data", data, "--limit", "1", "--reranker", newReranker(t), "--reranker-model", "tiny"}
	require.NoError(t, run(t.Context(), args, noEnv, strings.NewReader(""), &out, &errs), errs.String())
	require.Regexp(t, `(?m)^builtin +300/0 `, out.String())
	require.Regexp(t, `(?m)^builtin, reranked by rerank:tiny +300/0 `, out.String())
}
