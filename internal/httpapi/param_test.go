package httpapi_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// paramOf is the status, the param and the message of an error in the OpenAI
// API's form.
func paramOf(tb testing.TB, a answer) (int, any, string) {
	tb.Helper()
	var e struct {
		Error struct {
			Message string
			Param   any
		}
	}
	require.NoError(tb, json.Unmarshal(a.body, &e), string(a.body))
	return a.status, e.Error.Param, e.Error.Message
}

// TestMisplacedFields: a field of inlay's beside inlay goes to the upstream, and
// the answer says that it did nothing.
func TestMisplacedFields(t *testing.T) {
	u := newUpstream(t, says("hello"))
	s := start(t, setup{upstreams: u.list()})
	got := s.do("POST", "/v1/chat/completions", "", []byte(`{"model": "m", "chat_id": "c", "top_k": 3, "mode": "full", "messages": [{"role": "user", "content": "q"}]}`))
	require.Equal(t, 200, got.status)
	var out struct {
		Inlay struct {
			Warnings []struct{ Code, Message string }
		}
	}
	require.NoError(t, json.Unmarshal(got.body, &out))
	require.Len(t, out.Inlay.Warnings, 3, string(got.body)) // the last is of the window
	require.Equal(t, "field_misplaced", out.Inlay.Warnings[0].Code)
	require.Contains(t, out.Inlay.Warnings[0].Message, `{"inlay": {"chat_id": ...}}`)
	require.Contains(t, out.Inlay.Warnings[1].Message, "mode does nothing here")
}

// TestParam: an error names the field of the request that it is about, and
// nothing else under that name.
func TestParam(t *testing.T) {
	u := newUpstream(t, says("hello"))
	s := start(t, setup{upstreams: u.list()})
	for _, c := range []struct {
		method, path, body string
		status             int
		want               any
	}{
		{"POST", "/v1/responses", `{"model": "m", "input": "q", "stream": "yes"}`, 400, "stream"},
		{"POST", "/v1/responses", `{"model": "m", "input": [{"type": "message", "role": "user", "content": [{"type": "zzz"}]}]}`, 400, "input[0].content[0]"},
		{"POST", "/v1/chat/completions", `{"model": "m", "messages": [{"role": "nobody"}]}`, 400, "messages[0].role"},
		{"POST", "/v1/chat/completions", `{"model": "m", "messages": [{"role": "user", "content": "q"}], "inlay": {"chunk": 7}}`, 400, "inlay.chunk"},
		{"GET", "/v1/files?limit=none", "", 400, "limit"},
		{"POST", "/v1/uploads", `{"bytes": 0, "filename": "a.txt"}`, 400, "bytes"},
		{"POST", "/v1/chat/completions", `[]`, 400, nil},
		{"POST", "/v1/chat/completions", `{"model": "other", "messages": [{"role": "user", "content": "q"}]}`, 404, nil},
		{"GET", "/v1/files/file-none", "", 404, nil},
		{"GET", "/v1/assistants", "", 404, nil},
		{"PUT", "/v1/files", "", 405, nil},
	} {
		var body any
		if c.body != "" {
			body = []byte(c.body)
		}
		status, param, said := paramOf(t, s.do(c.method, c.path, "", body))
		require.Equal(t, c.status, status, "%s %s: %s", c.path, c.body, said)
		require.Equal(t, c.want, param, "%s %s: %s", c.path, c.body, said)
	}
}
