package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// embedderUsed asks about a document and returns the embedder that the result names.
func embedderUsed(t *testing.T, environment map[string]string, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	getenv := func(name string) string {
		if name == "HOME" {
			return t.TempDir()
		}
		return environment[name]
	}
	args = append([]string{"ask", "-q", "--output", "json", "--mode", "retrieval", "--threshold", "0", "--context-length", "2048", "-f", "../../testdata/handbook.md", "--chunk", "100/0"}, args...)
	require.NoError(t, run(t.Context(), append(args, "How many days of leave?"), getenv, strings.NewReader(""), &out, &errs), errs.String())
	var result struct {
		Embedder  string `json:"embedder"`
		Citations []any  `json:"citations"`
	}
	require.NoError(t, json.Unmarshal([]byte(out.String()), &result))
	require.NotEmpty(t, result.Citations)
	return result.Embedder
}

// TestOllamasNomicIsTheDefault runs against the real server, where the tiny
// embedder gets the name for as long as the test takes, or its recording.
func TestOllamasNomicIsTheDefault(t *testing.T) {
	ollamatest.Alias(t, ollamatest.Embedder, ollamatest.Nomic)
	server := ollamatest.Server(t, "testdata/exchanges/nomic.json")
	model := []string{"--model", "ollama:tiny-chat", "--base-url", server}
	require.Equal(t, "ollama:nomic-embed-text", embedderUsed(t, nil, model...))
	require.Equal(t, "builtin", embedderUsed(t, nil, append(model, "--embedder", "builtin")...)[:7], "a named one wins")
}

// lmStudio lists an embedding model, as LM Studio does, and embeds with it.
func lmStudio(t *testing.T, asked *atomic.Int64) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"models":[{"type":"llm","key":"m","loaded_instances":[],"max_context_length":4096},
			{"type":"embedding","key":"text-embedding-nomic-embed-text-v1.5","loaded_instances":[],"max_context_length":2048}]}`))
	})
	mux.HandleFunc("POST /v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model string
			Input []string
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		type vector struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		data := make([]vector, len(body.Input))
		for i, text := range body.Input {
			data[i] = vector{i, []float32{float32(strings.Count(text, "leave")), 1, 0}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9}}\n\ndata: [DONE]\n\n"))
	})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestLMStudiosNomicIsTheDefault(t *testing.T) {
	var asked atomic.Int64
	server := lmStudio(t, &asked)
	require.Equal(t, "openai:text-embedding-nomic-embed-text-v1.5", embedderUsed(t, nil, "--model", "openai:m", "--base-url", server+"/v1"))
}

// TestNobodyIsAskedWhoWasNotNamed: a server that runs beside is left alone (SEC-6).
func TestNobodyIsAskedWhoWasNotNamed(t *testing.T) {
	var asked atomic.Int64
	server := lmStudio(t, &asked)
	require.Contains(t, embedderUsed(t, map[string]string{"OLLAMA_HOST": server}), "builtin")
	require.Contains(t, embedderUsed(t, map[string]string{"OLLAMA_HOST": server}, "--model", "gpt-4o"), "builtin")
	require.Zero(t, asked.Load())
}
