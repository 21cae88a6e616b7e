package httpapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/internal/upstream"
	"inlay/llm/openai"
	"inlay/tokens"
)

// echo is a server of models without a network. It says "hi", whole or as a
// stream, or what the request has as its user: so what it answers is fuzzed too.
type echo struct{}

// RoundTrip implements http.RoundTripper.
func (echo) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := `{"data": [{"id": "m"}]}`
	if r.Method == http.MethodPost {
		var asked struct {
			Stream bool
			User   string
		}
		data, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(data, &asked)
		}
		switch {
		case err != nil:
			return nil, err
		case asked.User != "":
			answer = asked.User
		case asked.Stream:
			answer = "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"hi [1]\"}}]}\n\ndata: {\"choices\": [{\"index\": 0, \"delta\": {}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n"
		default:
			answer = `{"choices": [{"index": 0, "message": {"role": "assistant", "content": "hi [1]"}, "finish_reason": "stop"}]}`
		}
	}
	kind := "application/json"
	if strings.HasPrefix(answer, "data:") {
		kind = "text/event-stream"
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

func echoes() upstream.Servers {
	c := openai.Config{BaseURL: "http://echo/v1", Library: &tokens.Library{}, Backoff: time.Millisecond, HTTP: &http.Client{Transport: echo{}}}
	return upstream.Servers{openaiUpstream("echo", c)}
}

// FuzzRoutes sends malformed bodies to every route that takes one, those of
// chat completions on to a server of models that may answer anything: no panic,
// no 500, and an answer in the form of its route.
func FuzzRoutes(f *testing.F) {
	const ask = `{"model": "m", "inlay": {"context_length": 4096}, "messages": [{"role": "user", "content": `
	const file = `[{"type": "text", "text": "what?"}, {"type": "file", "file": {"filename": "a.md", "file_data": "data:text/plain;base64,VGhlIHNreSBpcyBncmVlbi4="}}]`
	for _, seed := range []string{
		``, `{}`, `[]`, `{"messages": [{"role": "user", "text": "q"}], "context_length": 100}`,
		`{"model": "m", "messages": [{"role": "user", "content": [{"type": "file", "file": {"file_data": "eA=="}}]}], "inlay": {"context_length": 99}}`,
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nx\r\n--b--\r\n", `{"title": "t"}`, `{"context": {"extra": {}}, "input": "x", "settings": {"a": 1}}`,
		"--b\r\nContent-Disposition: form-data; name=\"request\"\r\n\r\n{\"messages\": [{\"role\": \"user\", \"text\": \"q\"}], \"context_length\": 900}\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nx\r\n--b--\r\n",
		`{"files": [{"name": "a.txt", "data": "eA=="}], "questions": [{"question": "q", "expected": [{"quote": "x"}]}], "thresholds": "0:1:.5", "limits": [1], "chunks": ["50/0"], "aim": "f1", "cost": {"miss": 1}}`,
		ask + `"q"}]}`, ask + file + `}]}`, ask + file + `}], "stream": true, "max_tokens": 5}`,
		ask + file + `}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c", "content": "x"}, {"role": "user", "content": "and?"}], "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}], "n": 2}`,
		ask + `[{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]}], "user": "{\"choices\": [{\"index\": 3, \"message\": {\"content\": [1], \"annotations\": 7}}]}"}`,
		ask + file + `}], "stream": true, "user": "data: {\"choices\": [{\"delta\": {\"content\": \"hi\"}, \"finish_reason\": \"stop\"}, {\"index\": -1}]}\n\ndata: {\"error\": {\"message\": \"x\"}}\n\n"}`,
		`{"model": "builtin", "input": ["a", "b"], "encoding_format": "base64"}`, `{"bytes": 5, "filename": "a.txt", "purpose": "user_data"}`, `{"part_ids": ["part_aaaaaaaaaa", "../x"], "md5": "x"}`,
		"--b\r\nContent-Disposition: form-data; name=\"data\"; filename=\"blob\"\r\n\r\nx\r\n--b--\r\n",
		`{"model": "m", "input": "q", "inlay": {"context_length": 4096}}`, `{"model": "m", "inlay": {"context_length": 4096}, "stream": true, "store": false, "input": [{"role": "user", "content": [{"type": "input_text", "text": "what?"}, {"type": "input_file", "filename": "a.md", "file_data": "VGhlIHNreSBpcyBncmVlbi4="}]}, {"type": "reasoning", "summary": []}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}, {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "x"}]}], "tools": [{"type": "function", "name": "f"}, {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "g"}]}, {"type": "custom", "name": "h", "format": {"type": "grammar", "syntax": "lark"}}], "tool_choice": {"type": "function", "name": "f"}}`,
		`{"model": "m", "previous_response_id": "resp_x", "input": [{"type": "item_reference", "id": "msg_x_o0"}], "text": {"format": {"type": "json_schema", "schema": {}}}, "metadata": {"a": "b"}}`,
		`{"model": "m", "inlay": {"context_length": 4096}, "stream": true, "user": "data: {\"choices\": [{\"delta\": {\"content\": \"hi\", \"tool_calls\": [{\"index\": 7, \"function\": {\"arguments\": \"{\"}}, {\"index\": 7, \"id\": \"x\"}]}, \"finish_reason\": \"content_filter\"}]}\n\ndata: [DONE]\n\n", "input": "q"}`,
		`{"model": "echo/m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "q", "name": "n"}], "inlay": {"strategy": "summarize-documents", "mode": "retrieval", "retrieval_limit": 2, "retrieval_affinity_threshold": 0, "context": {"extra": {"a": 1}}, "intent": "builtin", "context_length": 999}}`,
	} {
		for route := range 17 {
			f.Add(uint8(route), false, []byte(seed))
			f.Add(uint8(route), true, []byte(seed))
		}
	}
	paths := []string{
		"/v1/files", "/v1/preprocess", "/v1/chat/completions", "/v1/strategies/match", "/v1/strategies/summarize-documents/execute",
		"/v1/preprocessors/files", "/v1/chats", "/v1/chats/none/messages", "/v1/evaluations", "/v1/evaluations/none/cancel",
		"/v1/responses", "/v1/responses/none/cancel", "/v1/embeddings",
		"/v1/uploads", "/v1/uploads/upload_aaaaaaaaaa/parts", "/v1/uploads/upload_aaaaaaaaaa/complete", "/v1/uploads/upload_aaaaaaaaaa/cancel",
	}
	s := start(f, setup{upstreams: echoes()}).api.Handler()
	f.Fuzz(func(t *testing.T, route uint8, form bool, body []byte) {
		kind := "application/json"
		if form {
			kind = "multipart/form-data; boundary=b"
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, paths[int(route)%len(paths)], bytes.NewReader(body))
		r.Host = "localhost"
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), `"upstream"`) {
			require.Less(t, w.Code, 500, "%s: %s", r.URL.Path, w.Body)
		}
		require.True(t, json.Valid(w.Body.Bytes()) || w.Header().Get("Content-Type") == "text/event-stream", "%s: %s", r.URL.Path, w.Body)
	})
}

// TestEcho: the seeds of the fuzz reach the model and come back.
func TestEcho(t *testing.T) {
	s := start(t, setup{upstreams: echoes()})
	ask := map[string]any{"model": "m", "inlay": map[string]any{"context_length": 4096}, "messages": []any{map[string]any{"role": "user", "content": "q"}}}
	require.Contains(t, string(s.do("POST", "/v1/chat/completions", "", ask).body), "hi [1]")
	ask["stream"] = true
	require.Contains(t, string(s.do("POST", "/v1/chat/completions", "", ask).body), "data: [DONE]")
	ask["user"] = "nonsense"
	require.Equal(t, http.StatusBadGateway, s.do("POST", "/v1/chat/completions", "", ask).status)
}
