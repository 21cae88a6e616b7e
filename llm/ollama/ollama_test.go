package ollama_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/llm/ollama"
	"inlay/llm/ollama/ollamatest"
	"inlay/tokens"
)

// exchanges names the recording of a test.
func exchanges(t *testing.T) string {
	t.Helper()
	return "testdata/exchanges/" + strings.ReplaceAll(t.Name(), "/", "-") + ".json"
}

func open(t *testing.T, c ollama.Config) *ollama.Model {
	t.Helper()
	m, err := ollama.New(c)
	require.NoError(t, err)
	return m
}

func user(text string) []chat.Message { return []chat.Message{{Role: chat.User, Text: text}} }

func TestWindowIsTheOneInForce(t *testing.T) {
	for _, c := range []struct {
		name  string
		asked int
		want  int
	}{
		{"asked for", 2048, 2048},
		{"more than the model was trained for", 100_000, 8192},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := open(t, ollama.Config{Model: ollamatest.Chat, URL: ollamatest.Server(t, exchanges(t)), Length: c.asked})
			n, err := m.Length(t.Context())
			require.NoError(t, err)
			require.Equal(t, tokens.Count{N: c.want, Method: tokens.Exact, By: "ollama:tiny-chat"}, n)
		})
	}
}

func TestAnswerStreams(t *testing.T) {
	for _, model := range []string{ollamatest.Chat, ollamatest.Llama3} {
		t.Run(model, func(t *testing.T) {
			m := open(t, ollama.Config{Model: model, URL: ollamatest.Server(t, exchanges(t)), Length: 2048})
			messages := []chat.Message{{Role: chat.System, Text: "Be brief."}, {Role: chat.User, Text: "Where does the answer stand?"}}
			pieces := 0
			var text strings.Builder
			var last llm.Delta
			for d, err := range m.Generate(t.Context(), llm.Request{Messages: messages}) {
				require.NoError(t, err)
				text.WriteString(d.Text)
				pieces++
				last = d
			}
			require.Equal(t, ollamatest.Answer, text.String())
			require.Greater(t, pieces, 5)
			require.Equal(t, "stop", last.Done)
			n, err := m.CountMessages(t.Context(), messages)
			require.NoError(t, err)
			require.Equal(t, tokens.Count{N: last.Usage.Prompt, Method: tokens.Exact, By: "ollama:" + model}, n)
		})
	}
}

func TestAnswerIsBounded(t *testing.T) {
	m := open(t, ollama.Config{Model: ollamatest.Endless, URL: ollamatest.Server(t, exchanges(t)), Length: 2048})
	zero, seed := 0.0, 7
	a, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("go on"), MaxTokens: 6, Temperature: &zero, Seed: &seed, Stop: []string{"!"}})
	require.NoError(t, err)
	require.Equal(t, "on and on and on and", a.Text)
	require.Equal(t, "length", a.Done)
	require.Equal(t, 6, a.Usage.Completion)
}

func TestTooLongAPromptIsRefusedWithTheNumbers(t *testing.T) {
	m := open(t, ollama.Config{Model: ollamatest.Chat, URL: ollamatest.Server(t, exchanges(t)), Length: 256})
	_, err := llm.Collect(t.Context(), m, llm.Request{Messages: user(strings.Repeat("the door ", 300))})
	require.True(t, fault.Is(err, fault.DoesNotFit), "%v", err)
	require.ErrorContains(t, err, "the prompt has 611 tokens, the window 256")
}

func TestMissingModelNamesThePull(t *testing.T) {
	url := ollamatest.Server(t, exchanges(t))
	m := open(t, ollama.Config{Model: "no-such-model", URL: url})
	_, err := m.Length(t.Context())
	require.True(t, fault.Is(err, fault.ModelNotFound), "%v", err)
	require.ErrorContains(t, err, "ollama pull no-such-model")
	_, err = m.CountMessages(t.Context(), user("hello"))
	require.True(t, fault.Is(err, fault.ModelNotFound), "%v", err)
	_, err = ollama.NewEmbedder(t.Context(), ollama.Config{Model: "no-such-model", URL: url})
	require.True(t, fault.Is(err, fault.ModelNotFound), "%v", err)
}

func TestUnequalCountsAreNotCalledExact(t *testing.T) {
	m := open(t, ollama.Config{Model: ollamatest.Sentence, URL: ollamatest.Server(t, exchanges(t)), Length: 2048})
	c, err := m.Counter(t.Context())
	require.NoError(t, err)
	n := c.Count("and the answer is on")
	require.Equal(t, tokens.Estimated, n.Method)
	require.Positive(t, n.Margin)
	// The prompt's own count is then the server's.
	messages := user("and the answer is on")
	whole, err := m.CountMessages(t.Context(), messages)
	require.NoError(t, err)
	require.Equal(t, tokens.Exact, whole.Method)
	a, err := llm.Collect(t.Context(), m, llm.Request{Messages: messages, MaxTokens: 1})
	require.NoError(t, err)
	require.Equal(t, a.Usage.Prompt, whole.N)
}

func TestServerDownSaysHowToStartIt(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	m := open(t, ollama.Config{Model: "any", URL: gone.URL})
	_, err := m.Length(t.Context())
	require.True(t, fault.Is(err, fault.BackendUnreachable), "%v", err)
	require.ErrorContains(t, err, "ollama serve")
	_, err = llm.Collect(t.Context(), m, llm.Request{Messages: user("hello")})
	require.True(t, fault.Is(err, fault.BackendUnreachable), "%v", err)
}

func TestConfigIsChecked(t *testing.T) {
	for name, c := range map[string]ollama.Config{
		"no model":   {},
		"no address": {Model: "m", URL: "localhost"},
		"no http":    {Model: "m", URL: "ftp://127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ollama.New(c)
			require.True(t, fault.Is(err, fault.Usage), "%v", err)
		})
	}
}

// answering is a server that says one thing to everything.
func answering(t *testing.T, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestServerErrorsHaveCodesAndHoldNoContent(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		code   fault.Code
		says   string
	}{
		"busy":         {http.StatusServiceUnavailable, `{"error":"server busy: SECRET"}`, fault.RateLimited, "busy"},
		"sign in":      {http.StatusUnauthorized, `{"error":"SECRET"}`, fault.Unauthorized, "ollama signin"},
		"memory":       {http.StatusInternalServerError, `{"error":"model requires more system memory (9 GiB) than is available"}`, fault.Internal, "9 GiB"},
		"quotes":       {http.StatusInternalServerError, `{"error":"cannot parse: SECRET"}`, fault.Internal, "500"},
		"in a stream":  {http.StatusOK, `{"error":"SECRET in the middle"}`, fault.Internal, "failed"},
		"not JSON":     {http.StatusOK, `<html>SECRET`, fault.BackendUnreachable, "not JSON"},
		"endless line": {http.StatusOK, strings.Repeat("SECRET", 2<<20), fault.BackendUnreachable, "longer than 8 MiB"},
		"refused":      {http.StatusBadRequest, `{"error":"\"m\" does not support tools"}`, fault.BackendRefused, "does not support tools"},
		"invalid":      {http.StatusUnprocessableEntity, `{"error":"SECRET"}`, fault.BackendRefused, "(422)"},
		"not finished": {http.StatusOK, `{"message":{"content":""}}`, fault.BackendUnreachable, "broke"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			m := open(t, ollama.Config{
				Model: "m", URL: answering(t, c.status, c.body), Length: 100, Backoff: time.Millisecond,
				Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			})
			_, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("SECRET")})
			require.True(t, fault.Is(err, c.code), "%v", err)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error()+log.String(), "SECRET")
		})
	}
}

func TestToolsGoThereAndCallsComeBack(t *testing.T) {
	var sent api.ChatRequest
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/chat" {
			_ = json.NewDecoder(r.Body).Decode(&sent)
			_, _ = io.WriteString(w, `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read_file","arguments":{"path":"a.md"}}}]},"done":false}
{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}
`)
			return
		}
		_, _ = io.WriteString(w, `{"models":[{"name":"m:latest","model":"m:latest","context_length":2048}],"model_info":{"general.architecture":"x","x.context_length":4096}}`)
	}))
	t.Cleanup(s.Close)
	m := open(t, ollama.Config{Model: "m", URL: s.URL, Length: 2048})
	parameters := []byte(`{"type":"object","properties":{"path":{"type":"string","description":"Which."}},"required":["path"]}`)
	a, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("hi"), Tools: []llm.Tool{{Name: "read_file", Parameters: parameters}, {Name: "now"}}})
	require.NoError(t, err)
	require.Equal(t, []chat.ToolCall{{ID: "call_1", Name: "read_file", Arguments: `{"path":"a.md"}`}}, a.ToolCalls)
	require.Len(t, sent.Tools, 2)
	require.Equal(t, []string{"path"}, sent.Tools[0].Function.Parameters.Required)
	_, err = llm.Collect(t.Context(), m, llm.Request{Messages: user("hi"), Tools: []llm.Tool{{Name: "bad", Parameters: []byte(`[]`)}}})
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
}
