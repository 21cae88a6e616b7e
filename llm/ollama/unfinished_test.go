package ollama_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/llm"
	"inlay/llm/ollama"
)

// TestServerThatEndsAnAnswerIsReachable: Ollama closes the stream in good order,
// without a last line, when a model repeats itself.
func TestServerThatEndsAnAnswerIsReachable(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/ps" {
			_, _ = fmt.Fprintln(w, `{"models":[{"model":"m:latest","context_length":512}]}`)
			return
		}
		_, _ = fmt.Fprintln(w, `{"message":{"content":"a"},"done":false}`)
	}))
	defer s.Close()
	m := open(t, ollama.Config{Model: "m", URL: s.URL})
	a, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("go on")})
	require.Equal(t, "a", a.Text, "what came is kept")
	require.True(t, fault.Is(err, fault.AnswerUnfinished), "%v", err)
	require.ErrorIs(t, err, llm.ErrUnfinished)
	var last error
	for _, err := range m.Relay(t.Context(), map[string]json.RawMessage{"stream": []byte("true"), "messages": []byte(`[{"role":"user","content":"go on"}]`)}) {
		last = err
	}
	require.ErrorIs(t, last, llm.ErrUnfinished)
}
