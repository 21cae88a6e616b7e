package httpapi_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamesOfModels: no door takes a name that is too long or is no name, and
// none repeats it.
func TestNamesOfModels(t *testing.T) {
	u := newUpstream(t, says("hi"))
	s := start(t, setup{upstreams: u.list()})
	for _, name := range []string{"up/" + strings.Repeat("ZEBRA", 60), "up/ZEBRA\n{}", "up/ZEBRA\x1b[2J"} {
		for path, body := range map[string]map[string]any{
			"/v1/chat/completions": {"messages": []any{map[string]any{"role": "user", "content": "q"}}},
			"/v1/responses":        {"input": "q"},
			"/v1/embeddings":       {"input": "q"},
			"/v1/preprocess":       {"messages": []any{map[string]any{"role": "user", "text": "q"}}, "context_length": 900},
			"/v1/strategies/summarize-documents/execute": {"input": "q", "context_length": 900},
			"/v1/preprocessors/files":                    {"input": "q", "context_length": 900},
		} {
			body["model"] = name
			got := s.do("POST", path, "", body)
			require.Equal(t, http.StatusBadRequest, got.status, "%s: %s", path, got.body)
			require.Contains(t, string(got.body), "model")
			require.NotContains(t, string(got.body), "ZEBRA", path)
		}
	}
	require.NotContains(t, s.logs.String(), "ZEBRA")
	got := s.do("POST", "/v1/chat/completions", "", ask([]any{map[string]any{"role": "user", "content": "q"}}, "model", "up/"+strings.Repeat("m", 200)))
	require.Equal(t, http.StatusOK, got.status, "%s", got.body)
}

// TestDepthOfFields: what goes to an upstream unread is not nested without end.
func TestDepthOfFields(t *testing.T) {
	u := newUpstream(t, says("hi"))
	s := start(t, setup{upstreams: u.list()})
	send := func(path, field string, levels int) answer {
		body := `{"model": "m", "messages": [{"role": "user", "content": "\"[[[\\"}], "input": "q", "` + field + `": ` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}`
		return s.do("POST", path, "", []byte(body))
	}
	require.Equal(t, http.StatusOK, send("/v1/chat/completions", "extra_field", 256).status)
	for _, path := range []string{"/v1/chat/completions", "/v1/responses"} {
		got := send(path, "extra_field", 257)
		require.Equal(t, http.StatusBadRequest, got.status, "%s: %s", path, got.body)
		require.Contains(t, string(got.body), "extra_field: is nested deeper than 256 levels")
		require.NotContains(t, string(send(path, "ZEBRA field", 257).body), "ZEBRA")
	}
	require.Len(t, u.bodies, 1)
}

// TestOneBodyOpensNoCircuit: requests that make the upstream end the connection
// fail alone while it answers us.
func TestOneBodyOpensNoCircuit(t *testing.T) {
	fine := says("hi")
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Drop") != "" {
			panic(http.ErrAbortHandler)
		}
		fine(w, r)
	})
	inner := u.Config.Handler
	u.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" && r.ContentLength > 5000 {
			panic(http.ErrAbortHandler)
		}
		inner.ServeHTTP(w, r)
	})
	s := start(t, setup{keys: true, upstreams: u.list()})
	ann, bob := s.key("ann"), s.key("bob")
	question := func(more ...any) map[string]any {
		return ask([]any{map[string]any{"role": "user", "content": "q"}}, more...)
	}
	for range 4 {
		require.Equal(t, http.StatusBadGateway, s.do("POST", "/v1/chat/completions", ann, question("extra", strings.Repeat("x", 5000))).status)
		require.Equal(t, http.StatusOK, s.do("GET", "/readyz", "", nil).status)
	}
	got := s.do("POST", "/v1/chat/completions", bob, question())
	require.Equal(t, http.StatusOK, got.status, "%s", got.body)
}

// TestRequestLines: what a request says in its first line does not stand in for
// its Host, and no header counts twice.
func TestRequestLines(t *testing.T) {
	s := start(t, setup{})
	send := func(request string) int {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
		require.NoError(t, err)
		defer func() { _ = conn.Close() }()
		_, err = fmt.Fprint(conn, strings.ReplaceAll(request, "\n", "\r\n")+"\r\n")
		require.NoError(t, err)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	requests := map[string]int{
		"GET /v1/files HTTP/1.1\nHost: localhost\n":                                                        200,
		"GET /v1/files HTTP/1.0\n":                                                                         200, // no browser sends it
		"GET http://localhost/v1/files HTTP/1.1\nHost: evil.example\n":                                     403,
		"GET http://localhost/v1/files HTTP/1.0\n":                                                         403,
		"GET /v1/files HTTP/1.1\nHost:\n":                                                                  403,
		"GET /v1/files HTTP/1.1\nHost: localhost\nOrigin: http://localhost\n":                              200,
		"GET /v1/files HTTP/1.1\nHost: localhost\nOrigin: http://localhost\nOrigin: http://evil.example\n": 403,
		"GET /v1/files HTTP/1.1\nHost: localhost\nSec-Fetch-Site: none\nSec-Fetch-Site: cross-site\n":      403,
		"GET /v1/files HTTP/1.1\nHost: localhost\nHost: evil.example\n":                                    400,
		"GET //localhost/v1/files HTTP/1.1\nHost: evil.example\n":                                          403,
	}
	for request, want := range requests {
		require.Equal(t, want, send(request), request)
	}
	secret := s.key("ann")
	require.Equal(t, http.StatusOK, send("GET http://inlay.example/v1/files HTTP/1.1\nHost: inlay.example\nX-Api-Key: "+secret+"\n"), "a key says who calls, by whatever name")
}

// TestNamesOnOneLine: names that people see are of one line, at every door.
func TestNamesOnOneLine(t *testing.T) {
	s := start(t, setup{keys: true})
	secret := s.keyOf("ann", "admin")
	file := s.upload(secret, "a.txt", "text")
	var store vectorStore
	s.do("POST", "/v1/vector_stores", secret, map[string]any{"name": "fine ñ 名"}).into(t, &store)
	at := "/v1/vector_stores/" + store.ID
	for _, bad := range []string{"a\nb", "a\rb", "a\x1b[2Jb", "a\x00b", "a\u2028b", "a\u202eb"} {
		attributes := []any{map[string]any{"key": bad}, map[string]any{bad: "value"}}
		for _, one := range []struct {
			path, field string
			body        map[string]any
		}{
			{"/v1/keys", "name", map[string]any{"name": bad}},
			{"/v1/chats", "title", map[string]any{"title": bad}},
			{"/v1/vector_stores", "name", map[string]any{"name": bad}},
			{at, "name", map[string]any{"name": bad}},
			{at + "/files", "attributes", map[string]any{"file_id": file, "attributes": attributes[0]}},
			{at + "/files", "attributes", map[string]any{"file_id": file, "attributes": attributes[1]}},
			{at + "/file_batches", "attributes", map[string]any{"file_ids": []any{file}, "attributes": attributes[1]}},
			{"/v1/evaluations", "name", map[string]any{"name": bad, "files": []any{map[string]any{"id": file}}, "questions": []any{map[string]any{"question": "q"}}}},
		} {
			got := s.do("POST", one.path, secret, one.body)
			require.Equal(t, http.StatusBadRequest, got.status, "%s %q: %s", one.path, bad, got.body)
			require.Contains(t, string(got.body), one.field+": ", one.path)
		}
	}
}
