package ollama_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/llm"
	"inlay/llm/ollama"
)

// ending is a server that answers with body and ends in good order.
func ending(t *testing.T, body string) *ollama.Model {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/ps" {
			_, _ = fmt.Fprintln(w, `{"models":[{"model":"m:latest","context_length":512}]}`)
			return
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return open(t, ollama.Config{Model: "m", URL: s.URL})
}

// TestOtherAnswersAreNoModelThatRepeatsItself: nothing that a model says has come.
func TestOtherAnswersAreNoModelThatRepeatsItself(t *testing.T) {
	for _, body := range []string{"", "{}\n", `{"SECRET":1}` + "\n", `{"choices":[{"message":{"content":"SECRET"}}]}` + "\n"} {
		m := ending(t, body)
		_, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("go on")})
		require.Equal(t, fault.BackendUnreachable, fault.CodeOf(err), "%v", err)
		require.ErrorContains(t, err, "empty, or not one of Ollama's")
		require.NotContains(t, err.Error(), "SECRET")
		var last error
		for _, err := range m.Relay(t.Context(), map[string]json.RawMessage{"messages": []byte(`[{"role":"user","content":"go on"}]`)}) {
			last = err
		}
		require.Equal(t, fault.BackendUnreachable, fault.CodeOf(last), "%v", last)
	}
}

// TestServerThatEndsAnAnswerIsReachable: Ollama closes the stream in good order,
// without a last line, when a model repeats itself.
func TestServerThatEndsAnAnswerIsReachable(t *testing.T) {
	m := ending(t, `{"message":{"content":"a"},"done":false}`+"\n")
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

// TestOneAnswerToARequest: the server gives one, so asking for more is refused, and not cut to one.
func TestOneAnswerToARequest(t *testing.T) {
	m := ending(t, `{"message":{"content":"a"},"done":true}`+"\n")
	for n, refused := range map[string]bool{"1": false, "null": false, "2": true, `"x"`: true} {
		var last error
		for _, err := range m.Relay(t.Context(), map[string]json.RawMessage{"n": []byte(n), "messages": []byte(`[{"role":"user","content":"go on"}]`)}) {
			last = err
		}
		require.Equal(t, refused, fault.Is(last, fault.BackendRefused), "%s: %v", n, last)
		if f := (&fault.Error{}); refused && errors.As(last, &f) {
			require.Equal(t, http.StatusBadRequest, f.Status)
		}
	}
}
