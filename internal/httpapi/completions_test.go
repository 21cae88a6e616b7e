package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/internal/upstream"
	"inlay/llm/openai"
	"inlay/tokens"
)

// fakeServer is a server of models that does as a test says. The real ones are
// in the integration tests; this one is for what they do not do on demand.
type fakeServer struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
	answer http.HandlerFunc
}

func newUpstream(tb testing.TB, answer http.HandlerFunc) *fakeServer {
	tb.Helper()
	u := &fakeServer{answer: answer}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			_, _ = io.WriteString(w, `{"data": [{"id": "m"}]}`)
		case "/v1/chat/completions":
			var body map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body)
			u.mu.Lock()
			u.bodies = append(u.bodies, body)
			u.mu.Unlock()
			u.answer(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
	tb.Cleanup(u.Close)
	return u
}

func (u *fakeServer) last() map[string]any {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.bodies[len(u.bodies)-1]
}

func (u *fakeServer) list() upstream.Servers {
	c := openai.Config{BaseURL: u.URL + "/v1", Library: &tokens.Library{}, Backoff: time.Millisecond, HTTP: &http.Client{}}
	return upstream.Servers{openaiUpstream("up", c)}
}

func openaiUpstream(name string, c openai.Config) upstream.Server {
	return upstream.Server{
		Name: name,
		Open: func(model string, length int) (upstream.Model, error) {
			c := c
			c.Model, c.Length = model, length
			return openai.New(c)
		},
		Models: func(ctx context.Context) ([]string, error) { return openai.Models(ctx, c) },
	}
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"id": "x", "object": "chat.completion", "odd": 1, "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": %q}}]}`, text)
	}
}

func streams(lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, l := range lines {
			_, _ = io.WriteString(w, "data: "+l+"\n\n")
			w.(http.Flusher).Flush()
		}
	}
}

// ask is a request with a window of 1024 tokens, in which the short wording of
// classic leaves room for a second turn.
func ask(messages any, more ...any) map[string]any {
	r := map[string]any{"model": "m", "messages": messages, "inlay": map[string]any{"context_length": 1024, "retrieval_limit": 1, "prompt_set": "classic"}}
	for i := 0; i+1 < len(more); i += 2 {
		r[more[i].(string)] = more[i+1]
	}
	return r
}

func withFile(text, id string) map[string]any {
	return map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "text", "text": text}, map[string]any{"type": "file", "file": map[string]any{"file_id": id}},
	}}
}

// TestPassedThrough: tools, images and what nobody knows reach the upstream as
// they were, and so does a message without files.
func TestPassedThrough(t *testing.T) {
	u := newUpstream(t, says("hello"))
	s := start(t, setup{upstreams: u.list()})
	tools := []any{map[string]any{"type": "function", "function": map[string]any{"name": "f", "parameters": map[string]any{"type": "object"}}}}
	image := map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,AA=="}}
	messages := []any{
		map[string]any{"role": "developer", "content": "be brief", "name": "x"},
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "see"}, image}},
		map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": "c", "type": "function", "function": map[string]any{"name": "f", "arguments": "{}"}}}},
		map[string]any{"role": "tool", "tool_call_id": "c", "content": "done"},
	}
	got := s.do("POST", "/v1/chat/completions", "", ask(messages, "tools", tools, "tool_choice", "auto", "x_future", map[string]any{"a": 1.0}))
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	require.Contains(t, string(got.body), `"odd":1`)
	body := u.last()
	require.Equal(t, messages, body["messages"])
	require.Equal(t, tools, body["tools"])
	require.Equal(t, map[string]any{"a": 1.0}, body["x_future"])
	require.NotContains(t, body, "inlay")
}

// TestFilesInCompletions: laid into the newest message, with the image beside
// it; on the next turn the message is as it did.
func TestFilesInCompletions(t *testing.T) {
	u := newUpstream(t, says("Four weeks [1]."))
	s := start(t, setup{upstreams: u.list()})
	id := s.upload("", "handbook.md", handbook(t))
	picture := s.upload("", "p.png", "\x89PNG\r\n\x1a\nxxxx")
	first := withFile("How long is the notice period?", id)
	first["content"] = append(first["content"].([]any), map[string]any{"type": "file", "file": map[string]any{"file_id": picture}})
	got := s.do("POST", "/v1/chat/completions", "", ask([]any{first}))
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	var a struct {
		Choices []struct {
			Message struct {
				Annotations []struct {
					Type string
					File struct {
						FileID string `json:"file_id"`
						Cited  bool
					} `json:"file_citation"`
				}
			}
		}
		Inlay struct{ Strategy, Upstream string }
	}
	got.into(t, &a)
	require.Equal(t, "retrieval", a.Inlay.Strategy)
	require.Equal(t, "up", a.Inlay.Upstream)
	require.Equal(t, id, a.Choices[0].Message.Annotations[0].File.FileID)
	require.True(t, a.Choices[0].Message.Annotations[0].File.Cited)
	sent := u.last()["messages"].([]any)[0].(map[string]any)["content"].([]any)
	require.Len(t, sent, 2)
	require.Contains(t, sent[0].(map[string]any)["text"], "The following citations were found")
	require.Equal(t, "image_url", sent[1].(map[string]any)["type"])

	next := []any{first, map[string]any{"role": "assistant", "content": "Four weeks [1]."}, map[string]any{"role": "user", "content": "And the notice period in probation?"}}
	got = s.do("POST", "/v1/chat/completions", "", ask(next))
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	messages := u.last()["messages"].([]any)
	require.Equal(t, sent, messages[0].(map[string]any)["content"], "as it was when it was new")
	require.Contains(t, messages[2].(map[string]any)["content"], "probation")
}

// TestWholeFileOnNextTurn: what is whole in the window is not searched.
func TestWholeFileOnNextTurn(t *testing.T) {
	u := newUpstream(t, says("ok"))
	s := start(t, setup{upstreams: u.list()})
	id := s.upload("", "a.txt", "The sky is green.")
	first := withFile("What colour?", id)
	s.do("POST", "/v1/chat/completions", "", ask([]any{first}))
	got := s.do("POST", "/v1/chat/completions", "", ask([]any{first, map[string]any{"role": "assistant", "content": "ok"}, map[string]any{"role": "user", "content": "Sure?"}}))
	require.Contains(t, string(got.body), `"reason_code":"already_in_context"`)
	messages := u.last()["messages"].([]any)
	require.Contains(t, fmt.Sprint(messages[0]), "The sky is green.")
	require.Equal(t, "Sure?", messages[2].(map[string]any)["content"])
}

// TestUpstreamFails in each of its ways, told apart from ours.
func TestUpstreamFails(t *testing.T) {
	piece := `{"choices": [{"index": 0, "delta": {"content": "half"}}]}`
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		stream bool
		status int
		says   string
	}{
		"busy":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, false, 429, `"upstream":"up"`},
		"key":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, false, 502, `"type":"upstream_error"`},
		"broken": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, true, 502, `"type":"upstream_error"`},
		"too long": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"error": {"code": "context_length_exceeded"}}`)
		}, false, 400, `"code":"context_length_exceeded"`},
		"no JSON":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, false, 502, `backend_unreachable`},
		"cut off":     {streams(piece), true, 200, `"code":"answer_unfinished"`},
		"cut at once": {streams(), true, 502, `"code":"answer_unfinished"`},
	} {
		u := newUpstream(t, c.answer)
		s := start(t, setup{upstreams: u.list()})
		got := s.do("POST", "/v1/chat/completions", "", ask([]any{map[string]any{"role": "user", "content": "q"}}, "stream", c.stream))
		require.Equal(t, c.status, got.status, "%s: %s", name, got.body)
		require.Contains(t, string(got.body), c.says, name)
		require.NotContains(t, string(got.body), "[DONE]", name)
		if c.status == 429 {
			require.NotEmpty(t, got.header.Get("Retry-After"))
		}
		s.stop()
	}
	gone := newUpstream(t, says("x"))
	s := start(t, setup{upstreams: gone.list()})
	gone.Close()
	got := s.do("POST", "/v1/chat/completions", "", ask([]any{map[string]any{"role": "user", "content": "q"}}))
	require.Equal(t, http.StatusBadGateway, got.status, string(got.body))
	require.NotContains(t, string(got.body), gone.URL)
}

// TestStream hands chunks on, the decision on the first, annotations on the last.
func TestStream(t *testing.T) {
	u := newUpstream(t, streams(
		`{"id": "1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Four"}}]}`,
		`{"id": "1", "choices": [{"index": 0, "delta": {"content": " weeks [1]."}, "logprobs": null}]}`,
		`{"id": "1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}`, `[DONE]`))
	s := start(t, setup{upstreams: u.list()})
	id := s.upload("", "handbook.md", handbook(t))
	got := s.do("POST", "/v1/chat/completions", "", ask([]any{withFile("How long is the notice period?", id)}, "stream", true))
	_, data := eventsOf(t, got.body)
	require.Len(t, data, 4)
	require.Contains(t, data[0], `"inlay":{"schema":"inlay.result/v1"`)
	require.NotContains(t, data[1], "inlay")
	require.Contains(t, data[2], `"cited":true`)
	require.Equal(t, "[DONE]", data[3])
}

// TestCompletionsRefuse without repeating anything.
func TestCompletionsRefuse(t *testing.T) {
	u := newUpstream(t, says("x"))
	s := start(t, setup{upstreams: u.list()})
	for body, want := range map[string]string{
		`[]`:                           `body: is not a JSON object`,
		`{"model": "m"}`:               `messages: is invalid`,
		`{"model": 1, "messages": []}`: `model: is invalid`,
		`{"model": "m", "messages": [{"role": "SECRET", "content": "x"}]}`:                                                          `messages[0].role: is invalid`,
		`{"model": "m", "messages": [{"role": "user", "content": 7}]}`:                                                              `messages[0].content: is invalid`,
		`{"model": "m", "messages": [{"role": "user", "content": [{"type": "file", "file": {}}]}]}`:                                 `either file_id or file_data`,
		`{"model": "m", "messages": [{"role": "user", "content": [{"type": "file", "file": {"file_data": "SECRET!"}}]}]}`:           `base64`,
		`{"model": "m", "messages": [{"role": "assistant", "content": [{"type": "file", "file": {"file_id": "x"}}]}]}`:              `not the user's`,
		`{"model": "m", "messages": [{"role": "user", "content": "q"}], "inlay": {"SECRET text": 1}}`:                               `an unknown field`,
		`{"model": "m", "messages": [{"role": "user", "content": "q"}], "inlay": {"strategy": "none", "context_length": 9}}`:        `there is no such strategy`,
		`{"model": "m", "messages": [{"role": "user", "content": "q"}], "inlay": {"preprocessors": ["none"], "context_length": 9}}`: `there is no such preprocessor`,
		`{"model": "other", "messages": [{"role": "user", "content": "q"}]}`:                                                        `no upstream serves it`,
		`{"model": "m", "messages": [{"role": "user", "content": "q"}], "inlay": {"context_length": 9, "chat_id": "none"}}`:         `there is no such chat`,
	} {
		got := s.do("POST", "/v1/chat/completions", "", []byte(body))
		require.True(t, got.status == 400 || got.status == 404, "%d %s", got.status, body)
		require.Contains(t, string(got.body), want, body)
		require.NotContains(t, string(got.body), "SECRET")
	}
	require.NotContains(t, s.logs.String(), "SECRET")
}

// TestStrategyInCompletions makes the prompt; a kept chat has both sides.
func TestStrategyInCompletions(t *testing.T) {
	u := newUpstream(t, says("A summary."))
	s := start(t, setup{upstreams: u.list()})
	id := s.upload("", "a.txt", "The sky is green.")
	r := ask([]any{withFile("", id)})
	r["inlay"] = map[string]any{"strategy": "summarize-documents", "context_length": 4096}
	got := s.do("POST", "/v1/chat/completions", "", r)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	require.Contains(t, string(got.body), `"strategy_id":"builtin.summarize-documents"`)
	require.Contains(t, fmt.Sprint(u.last()["messages"]), "The sky is green.")

	var made struct{ ID string }
	s.do("POST", "/v1/chats", "", map[string]any{}).into(t, &made)
	for range 2 {
		r = ask([]any{map[string]any{"role": "user", "content": "hello"}})
		r["inlay"] = map[string]any{"chat_id": made.ID, "context_length": 4096}
		require.Equal(t, http.StatusOK, s.do("POST", "/v1/chat/completions", "", r).status)
	}
	require.Len(t, u.last()["messages"], 3)
	require.Equal(t, 2, strings.Count(string(s.do("GET", "/v1/chats/"+made.ID, "", nil).body), "A summary."))
}
