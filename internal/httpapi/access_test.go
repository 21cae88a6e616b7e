package httpapi_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/internal/httpapi"
)

const (
	waitFor = 5 * time.Minute
	tick    = 5 * time.Millisecond
)

// requestIDs differ from answer to answer.
var requestIDs = regexp.MustCompile(`req_[a-z0-9]+`)

// TestAccess asks every route that is not open with no key, a wrong key, and
// another key's ids. All are refused; what is another's answers as what is
// nobody's, but for the id.
func TestAccess(t *testing.T) {
	s := start(t, setup{keys: true, limits: httpapi.Limits{WrongKeys: 1000}, upstreams: newUpstream(t, says("hi")).list()})
	ann, bob := s.key("ann"), s.key("bob")
	mine := s.made(ann)
	inside := strings.NewReplacer("{file}", mine["files"], "{batch}", "vsfb_other")
	var table strings.Builder
	fmt.Fprintf(&table, "%-45s %-8s %-10s %-14s %-12s %s\n", "route", "no key", "wrong key", "another's id", "nobody's id", "same answer")
	for _, r := range httpapi.Protected(s.api) {
		method, path, _ := strings.Cut(r, " ")
		kind := kindOf(path)
		path = inside.Replace(path)
		theirs, nobodys := strings.ReplaceAll(path, "{id}", cmp.Or(mine[kind], "x")), strings.ReplaceAll(path, "{id}", "none")
		row := []any{}
		require.Equal(t, http.StatusUnauthorized, s.do(method, theirs, ann+"x", []byte("{}")).status, r)
		for _, secret := range []string{"", "inlay_wrong"} {
			got := s.do(method, theirs, secret, []byte("{}"))
			require.Equal(t, http.StatusUnauthorized, got.status, r)
			require.Contains(t, got.header.Get("WWW-Authenticate"), "Bearer")
			row = append(row, got.status)
		}
		if mine[kind] != "" && strings.Contains(path, "{id}") {
			foreign, missing := s.do(method, theirs, bob, bodyFor(t, path)), s.do(method, nobodys, bob, bodyFor(t, path))
			require.Equal(t, http.StatusNotFound, foreign.status, "%s: %s", r, foreign.body)
			require.Equal(t, missing.status, foreign.status, r)
			require.Equal(t, masked(missing.body, "none"), masked(foreign.body, mine[kind]), r)
			row = append(row, foreign.status, missing.status, "yes")
		} else {
			row = append(row, "-", "-", "-")
		}
		fmt.Fprintf(&table, "%-45s %-8v %-10v %-14v %-12v %v\n", append([]any{r}, row...)...)
	}
	t.Logf("access\n%s", table.String())
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/files/"+mine["files"], ann, nil).status, "the owner still has it")

	for path, body := range map[string]string{
		"/v1/preprocess":                             `{"messages": [{"role": "user", "text": "q"}], "context_length": 100, "files": [{"id": "ID"}]}`,
		"/v1/preprocess#":                            `{"messages": [{"role": "user", "text": "q"}], "context_length": 100, "chat_id": "CHAT"}`,
		"/v1/preprocessors/files":                    `{"input": "q", "context_length": 100, "files": [{"id": "ID"}]}`,
		"/v1/responses":                              `{"model": "m", "inlay": {"context_length": 900}, "input": [{"role": "user", "content": [{"type": "input_text", "text": "q"}, {"type": "input_file", "file_id": "ID"}]}]}`,
		"/v1/responses#":                             `{"model": "m", "inlay": {"context_length": 900}, "input": "q", "previous_response_id": "resp_RESPONSE"}`,
		"/v1/responses##":                            `{"model": "m", "inlay": {"context_length": 900}, "input": [{"type": "item_reference", "id": "msg_RESPONSE_o0"}]}`,
		"/v1/evaluations":                            `{"files": [{"id": "ID"}], "questions": [{"question": "q"}]}`,
		"/v1/vector_stores":                          `{"file_ids": ["ID"]}`,
		"/v1/responses###":                           `{"model": "m", "inlay": {"context_length": 900}, "input": "q", "tools": [{"type": "file_search", "vector_store_ids": ["STORE"]}]}`,
		"/v1/strategies/match":                       `{"files": [{"id": "ID"}]}`,
		"/v1/strategies/summarize-documents/execute": `{"context_length": 100, "files": [{"id": "ID"}]}`,
	} {
		with := func(file, chat, response, store string) answer {
			body := strings.NewReplacer("STORE", store, "ID", file, "CHAT", chat, "RESPONSE", response).Replace(body)
			return s.do("POST", strings.TrimRight(path, "#"), bob, []byte(body))
		}
		response := strings.TrimPrefix(mine["responses"], "resp_")
		foreign, missing := with(mine["files"], mine["chats"], response, mine["vector_stores"]), with("none", "none", "none", "none")
		require.Equal(t, http.StatusNotFound, foreign.status, "%s: %s", path, foreign.body)
		require.Equal(t, masked(missing.body, "none"), masked([]byte(masked([]byte(masked([]byte(masked(foreign.body, mine["files"])), mine["chats"])), response)), mine["vector_stores"]), path)
	}
}

// made is one thing of each kind that belongs to a key.
func (s *server) made(secret string) map[string]string {
	var chat struct{ ID string }
	s.do("POST", "/v1/chats", secret, map[string]any{"title": "t"}).into(s.t, &chat)
	file := s.upload(secret, "a.txt", "text")
	var r reply
	s.do("POST", "/v1/responses", secret, respond("q")).into(s.t, &r)
	var store vectorStore
	s.do("POST", "/v1/vector_stores", secret, map[string]any{"file_ids": []any{file}}).into(s.t, &store)
	return map[string]string{"vector_stores": store.ID, "libraries": store.ID, "files": file, "chats": chat.ID, "evaluations": s.evaluate(secret, file), "responses": r.ID, "uploads": s.begun(secret, 10)}
}

// kindOf is what a path is about: files, chats.
func kindOf(path string) string {
	_, rest, _ := strings.Cut(path, "/v1/")
	kind, _, _ := strings.Cut(rest, "/")
	return kind
}

// bodyFor is a body that the route would take.
func bodyFor(tb testing.TB, path string) any {
	tb.Helper()
	if strings.HasSuffix(path, "/parts") {
		return formOf(tb, "@data:blob", "x")
	}
	if strings.HasSuffix(path, "/messages") {
		return []byte(`{"role": "assistant", "text": "x"}`)
	}
	if path == "/v1/responses" {
		return []byte(`{"store": false}`)
	}
	for end, body := range map[string]string{"/search": `{"query": "q"}`, "/files": `{"file_id": "file-none"}`, "/file_batches": `{"file_ids": ["file-none"]}`} {
		if strings.HasPrefix(path, "/v1/vector_stores/") && strings.HasSuffix(path, end) {
			return []byte(body)
		}
	}
	return []byte("{}")
}

func masked(body []byte, id string) string {
	return requestIDs.ReplaceAllString(string(bytes.ReplaceAll(body, []byte(id), []byte("ID"))), "REQUEST")
}

// TestKeys: Bearer and x-api-key, until the key is revoked.
func TestKeys(t *testing.T) {
	s := start(t, setup{})
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/files", "made-up", nil).status, "no key was ever made: clients must send one, any will do")
	secret := s.key("ann")
	require.Equal(t, http.StatusUnauthorized, s.do("GET", "/v1/files", "made-up", nil).status, "at once")
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/files", secret, nil).status)
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/files", "", nil, "X-Api-Key", secret).status)
	for _, open := range []string{"/healthz", "/readyz", "/metrics", "/openapi.json"} {
		require.Equal(t, http.StatusOK, s.do("GET", open, "", nil).status, open)
	}
	list, err := s.store.ListKeys(t.Context(), "")
	require.NoError(t, err)
	require.NoError(t, s.store.RevokeKey(t.Context(), "", list[0].ID, time.Now()))
	require.Equal(t, http.StatusUnauthorized, s.do("GET", "/v1/files", secret, nil).status, "at once")
	require.NotContains(t, s.logs.String(), secret)
}

// TestWebPages may not call unless their origin is allowed, and never by a name
// that was bound to this computer.
func TestWebPages(t *testing.T) {
	s := start(t, setup{origins: []string{"https://app.example.org"}})
	evil := s.do("POST", "/v1/files", "", formOf(t, "@file:a.txt", "x"), "Origin", "https://evil.example.org", "Sec-Fetch-Site", "cross-site")
	require.Equal(t, http.StatusForbidden, evil.status)
	require.Empty(t, evil.header.Get("Access-Control-Allow-Origin"))

	good := s.do("GET", "/v1/files", "", nil, "Origin", "https://app.example.org")
	require.Equal(t, http.StatusOK, good.status)
	require.Equal(t, "https://app.example.org", good.header.Get("Access-Control-Allow-Origin"))
	preflight := s.do("OPTIONS", "/v1/files", "", nil, "Origin", "https://app.example.org", "Access-Control-Request-Method", "POST")
	require.Equal(t, http.StatusNoContent, preflight.status)

	for _, c := range []struct {
		method, origin, site, mode, dest string
		want                             int
	}{
		{"GET", "https://evil.example.org", "cross-site", "cors", "empty", http.StatusForbidden},
		{"GET", "", "cross-site", "no-cors", "image", http.StatusForbidden},
		{"GET", "", "same-site", "no-cors", "empty", http.StatusForbidden},
		{"GET", "null", "cross-site", "navigate", "iframe", http.StatusForbidden},
		{"GET", "", "cross-site", "navigate", "iframe", http.StatusForbidden},
		{"GET", "", "cross-site", "navigate", "document", http.StatusOK},
		{"GET", "", "none", "navigate", "document", http.StatusOK},
		{"GET", s.URL, "same-origin", "cors", "empty", http.StatusOK},
		{"POST", "", "cross-site", "navigate", "document", http.StatusForbidden},
	} {
		got := s.do(c.method, "/v1/files", "", nil, "Origin", c.origin, "Sec-Fetch-Site", c.site, "Sec-Fetch-Mode", c.mode, "Sec-Fetch-Dest", c.dest)
		require.Equal(t, c.want, got.status, "%+v: %s", c, got.body)
	}
}

// TestLocalMeansLocal: without keys, only names of this computer and those that
// the operator allows are served, whatever other headers a request has.
func TestLocalMeansLocal(t *testing.T) {
	s := start(t, setup{hosts: []string{"inlay.example.org"}})
	ask := func(host string, headers ...string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/files", nil)
		require.NoError(t, err)
		req.Host = host
		for i := 0; i+1 < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		resp, err := s.Client().Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode
	}
	for _, host := range []string{"localhost", "LOCALHOST.:8765", "127.0.0.1:1", "127.8.9.10", "[::1]:8765", "inlay.localhost", "inlay.example.org", "Inlay.example.org:80"} {
		require.Equal(t, http.StatusOK, ask(host), host)
	}
	headers := [][]string{{"X-Api-Key", "x"}, {"Authorization", "Bearer x"}, {"X-Forwarded-Host", "localhost"}, {"Origin", "http://evil.example"}, {"Sec-Fetch-Site", "same-origin"}, {}}
	for _, host := range []string{"evil.example", "localhost.evil.example", "evil.inlay.example.org", "192.168.1.5", "0.0.0.0:8765", "[::]", "127.0.0.1.evil.example", "desk"} {
		for _, h := range headers {
			require.Equal(t, http.StatusForbidden, ask(host, h...), "%s %v", host, h)
		}
	}
	secret := s.key("ann")
	require.Equal(t, http.StatusOK, ask("192.168.1.5", "X-Api-Key", secret), "the advice was followed")
	require.Equal(t, http.StatusUnauthorized, ask("192.168.1.5"))
}

// TestRate: one key's excess is refused with when to come again, another's
// requests are not touched.
func TestRate(t *testing.T) {
	s := start(t, setup{keys: true, limits: httpapi.Limits{Rate: .1, Burst: 2}})
	ann, bob := s.key("ann"), s.key("bob")
	for range 2 {
		require.Equal(t, http.StatusOK, s.do("GET", "/v1/files", ann, nil).status)
	}
	got := s.do("GET", "/v1/files", ann, nil)
	require.Equal(t, http.StatusTooManyRequests, got.status)
	require.Regexp(t, `^([5-9]|10)$`, got.header.Get("Retry-After"))
	require.Contains(t, string(got.body), "rate_limit_error")
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/files", bob, nil).status)
}

// TestCrowd: of more requests at once than the server takes, those beyond are
// told when to come again, whoever sends them.
func TestCrowd(t *testing.T) {
	s := start(t, setup{keys: true, limits: httpapi.Limits{Requests: 3, Concurrency: 2}})
	ann, bob := s.key("ann"), s.key("bob")
	s.Client().Transport.(*http.Transport).ExpectContinueTimeout = waitFor //nolint:forcetypeassert // httptest's
	hold := func(secret string) func() {
		r, w := io.Pipe()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/preprocess", r)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+secret)
		req.Header.Set("Expect", "100-continue")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if resp, err := s.Client().Do(req); err == nil {
				_ = resp.Body.Close()
			}
		}()
		_, err = w.Write([]byte("{")) // sent when the server asks for it: the request was let in
		require.NoError(t, err)
		return func() { _ = w.Close(); <-ended }
	}
	refused := func(secret string) bool {
		got := s.do("GET", "/v1/files", secret, nil)
		return got.status == http.StatusTooManyRequests && got.header.Get("Retry-After") == "1"
	}
	first, second := hold(ann), hold(ann)
	require.Eventually(t, func() bool { return refused(ann) }, waitFor, tick, "ann has as many as one may have")
	require.False(t, refused(bob))
	third := hold(bob)
	require.Eventually(t, func() bool { return refused(bob) }, waitFor, tick, "all together have as many as there may be")
	first()
	second()
	third()
	require.Eventually(t, func() bool { return !refused(ann) && !refused(bob) }, waitFor, tick)
}
