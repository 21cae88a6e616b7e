package httpapi_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/internal/httpapi"
	"inlay/internal/keys"
	"inlay/internal/state"
)

// scopes in the order in which they grow.
var scopes = []state.Scope{state.Read, state.Write, state.Admin}

// keyOf makes a key of an owner.
func (s *server) keyOf(owner string, scope state.Scope) string {
	s.t.Helper()
	_, secret, err := keys.Make(s.t.Context(), s.store, keys.Wish{Name: owner + " " + string(scope), OwnerName: owner, Scope: scope})
	require.NoError(s.t, err)
	return secret
}

// TestScopes: two owners, three keys each, every route. A key that does not
// allow a route is refused by name whatever it is sent; one that does gets
// further; the other owner's keys of every scope find nothing of it.
func TestScopes(t *testing.T) {
	s := start(t, setup{keys: true})
	secrets := map[string]map[state.Scope]string{"ann": {}, "bob": {}}
	for owner := range secrets {
		for _, scope := range scopes {
			secrets[owner][scope] = s.keyOf(owner, scope)
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-47s %-7s %-7s %-7s  %s\n", "route", "read", "write", "admin", "bob's keys, ann's id")
	for _, r := range httpapi.Protected(s.api) {
		method, path, _ := strings.Cut(r, " ")
		kind := kindOf(path)
		var row []any
		allowed := 0
		for _, scope := range scopes {
			mine := s.made(secrets["ann"][state.Write])
			mine["keys"] = s.spareKey("ann")
			at := strings.NewReplacer("{id}", cmp.Or(mine[kind], "x"), "{turn}", "1", "{file}", mine["files"], "{batch}", "vsfb_other").Replace(path)
			got := s.do(method, at, secrets["ann"][scope], bodyFor(t, path))
			refused := got.status == http.StatusForbidden
			if refused {
				require.Contains(t, string(got.body), "forbidden", r)
				require.Contains(t, string(got.body), "--scope", r)
			} else {
				allowed++
				require.NotEqual(t, http.StatusUnauthorized, got.status, r)
				require.Less(t, got.status, 500, "%s: %s", r, got.body)
			}
			row = append(row, got.status)
			if mine[kind] == "" || !strings.Contains(path, "{id}") {
				s.forget(secrets["ann"][state.Write], mine)
				continue
			}
			foreign := s.do(method, at, secrets["bob"][scope], bodyFor(t, path))
			require.Contains(t, []int{http.StatusNotFound, http.StatusForbidden}, foreign.status, "%s %s: %s", r, scope, foreign.body)
			require.Equal(t, refused, foreign.status == http.StatusForbidden, r)
			s.forget(secrets["ann"][state.Write], mine)
		}
		require.Equal(t, httpapi.Allowed(s.api, r), allowed, "%s: what one scope allows the next one does too", r)
		fmt.Fprintf(&table, "%-47s %-7v %-7v %-7v  not found\n", append([]any{r}, row...)...)
	}
	t.Logf("scopes\n%s", table.String())
}

// forget ends what an owner may have a few of at a time.
func (s *server) forget(secret string, mine map[string]string) {
	s.do("POST", "/v1/uploads/"+mine["uploads"]+"/cancel", secret, nil)
	s.do("DELETE", "/v1/evaluations/"+mine["evaluations"], secret, nil)
}

// spareKey is the id of a key to be revoked.
func (s *server) spareKey(owner string) string {
	s.t.Helper()
	k, _, err := keys.Make(s.t.Context(), s.store, keys.Wish{Name: "spare", OwnerName: owner})
	require.NoError(s.t, err)
	return k.ID
}

// TestReadKeepsNothing: a key that may only read asks, and adds to no chat.
func TestReadKeepsNothing(t *testing.T) {
	s := start(t, setup{keys: true})
	read, write := s.keyOf("ann", state.Read), s.keyOf("ann", state.Write)
	mine := s.made(write)
	ask := map[string]any{"messages": []any{map[string]any{"role": "user", "text": "q"}}, "context_length": 4000, "files": []any{map[string]any{"id": mine["files"]}}}
	require.Equal(t, http.StatusOK, s.do("POST", "/v1/preprocess", read, ask).status, "an owner's keys see the same files")
	ask["chat_id"] = mine["chats"]
	require.Equal(t, http.StatusForbidden, s.do("POST", "/v1/preprocess", read, ask).status)
	require.Equal(t, http.StatusOK, s.do("POST", "/v1/preprocess", write, ask).status)
	run := map[string]any{"input": "q", "context_length": 4000, "chat_id": mine["chats"]}
	require.Equal(t, http.StatusForbidden, s.do("POST", "/v1/preprocessors/files", read, run).status)
	require.Equal(t, http.StatusForbidden, s.do("POST", "/v1/strategies/builtin.ask-documents/execute", read, run).status)
	chat := map[string]any{"model": "m", "messages": []any{map[string]any{"role": "user", "content": "q"}}, "inlay": map[string]any{"chat_id": mine["chats"]}}
	require.Equal(t, http.StatusForbidden, s.do("POST", "/v1/chat/completions", read, chat).status)
}

// TestReadResponds: a key that may only read gets responses that are not stored,
// and is told how to ask for one.
func TestReadResponds(t *testing.T) {
	u := newUpstream(t, says("hello"))
	s := start(t, setup{keys: true, upstreams: u.list()})
	read, write := s.keyOf("ann", state.Read), s.keyOf("ann", state.Write)
	mine := s.made(write)
	body := map[string]any{"model": "m", "store": false, "input": []any{map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "input_text", "text": "q"},
		map[string]any{"type": "input_file", "file_id": mine["files"]},
		map[string]any{"type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,aGVsbG8="},
	}}}, "inlay": map[string]any{"context_length": 4000}}
	count := func() int { return strings.Count(string(s.do("GET", "/v1/files", write, nil).body), `"object":"file"`) }
	before := count()
	got := s.do("POST", "/v1/responses", read, body)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	require.Equal(t, before, count(), "nothing is kept")
	for _, store := range []any{nil, true} {
		if body["store"] = store; store == nil {
			delete(body, "store")
		}
		got = s.do("POST", "/v1/responses", read, body)
		require.Equal(t, http.StatusForbidden, got.status)
		require.Contains(t, string(got.body), `send \"store\": false, or use a key`)
	}
	require.Equal(t, http.StatusOK, s.do("POST", "/v1/responses", write, body).status)
}

// TestKeysOverHTTP: an admin key makes, rotates and revokes keys of its owner.
func TestKeysOverHTTP(t *testing.T) {
	s := start(t, setup{keys: true})
	ann, bob := s.keyOf("ann", state.Admin), s.keyOf("bob", state.Admin)
	file := s.upload(ann, "a.txt", "text")
	type object struct {
		ID, Secret, Scope string
		ExpiresAt         int64 `json:"expires_at"`
		RevokedAt         int64 `json:"revoked_at"`
	}
	var made, next object
	got := s.do("POST", "/v1/keys", ann, map[string]any{"name": "phone", "scope": "read", "expires_in": 3600})
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	got.into(t, &made)
	require.InDelta(t, time.Now().Add(time.Hour).Unix(), made.ExpiresAt, 60)
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/files/"+file, made.Secret, nil).status, "it counts at once, for the same owner")
	require.Equal(t, http.StatusForbidden, s.do("GET", "/v1/keys", made.Secret, nil).status)

	require.Equal(t, http.StatusNotFound, s.do("POST", "/v1/keys/"+made.ID+"/rotate", bob, nil).status)
	require.Equal(t, http.StatusNotFound, s.do("DELETE", "/v1/keys/"+made.ID, bob, nil).status)
	require.NotContains(t, string(s.do("GET", "/v1/keys", bob, nil).body), made.ID)

	s.do("POST", "/v1/keys/"+made.ID+"/rotate", ann, map[string]any{"grace": 3600}).into(t, &next)
	for _, secret := range []string{made.Secret, next.Secret} {
		require.Equal(t, http.StatusOK, s.do("GET", "/v1/files", secret, nil).status)
	}
	s.do("POST", "/v1/keys/"+next.ID+"/rotate", ann, nil).into(t, &made)
	require.Equal(t, http.StatusUnauthorized, s.do("GET", "/v1/files", next.Secret, nil).status, "without grace the old one ends at once")
	require.Equal(t, http.StatusConflict, s.do("POST", "/v1/keys/"+next.ID+"/rotate", ann, nil).status)
	require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/keys/"+made.ID, ann, nil).status)
	require.Equal(t, http.StatusUnauthorized, s.do("GET", "/v1/files", made.Secret, nil).status)
	list := string(s.do("GET", "/v1/keys", ann, nil).body)
	require.NotContains(t, list, "secret")
	require.Contains(t, list, "revoked_at")
	for _, bad := range []string{`{"name": ""}`, `{"name": "x", "scope": "root"}`, `{"name": "x", "expires_in": -1}`, `{"name": "x", "expires_in": 9223372036854775807}`} {
		require.Equal(t, http.StatusBadRequest, s.do("POST", "/v1/keys", ann, []byte(bad)).status, bad)
	}
	require.NotContains(t, s.logs.String(), made.Secret)
}

// TestKeylessHasNoKeysOverHTTP: who may call without a key may not shut others out.
func TestKeylessHasNoKeysOverHTTP(t *testing.T) {
	s := start(t, setup{})
	got := s.do("POST", "/v1/keys", "", map[string]any{"name": "x"})
	require.Equal(t, http.StatusForbidden, got.status)
	require.Contains(t, string(got.body), "inlay keys make")
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/files", "", nil).status)
}

// TestExpiredKey: a key counts until it expires.
func TestExpiredKey(t *testing.T) {
	s := start(t, setup{keys: true})
	_, secret, err := keys.Make(t.Context(), s.store, keys.Wish{Name: "ann", Expires: time.Second})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.do("GET", "/v1/files", secret, nil).status == http.StatusUnauthorized }, waitFor, 50*time.Millisecond)
}

// TestFirstKeyAdopts: the first owner has what was kept without keys, the next has not.
func TestFirstKeyAdopts(t *testing.T) {
	s := start(t, setup{})
	file := s.upload("", "a.txt", "text")
	ann, bob := s.key("ann"), s.key("bob")
	require.Equal(t, "text", string(s.do("GET", "/v1/files/"+file+"/content", ann, nil).body))
	require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/files/"+file, bob, nil).status)
	require.Equal(t, http.StatusUnauthorized, s.do("GET", "/v1/files/"+file, "", nil).status)
}

// TestWrongKeys of one address are refused with when to come again; keys that
// were good before are let in meanwhile.
func TestWrongKeys(t *testing.T) {
	s := start(t, setup{keys: true})
	ann, bob := s.key("ann"), s.key("bob")
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/files", ann, nil).status)
	limited := 0
	for i := range 200 {
		got := s.do("GET", "/v1/files", fmt.Sprintf("inlay_%d", i), nil)
		if got.status == http.StatusTooManyRequests {
			limited++
			require.NotEmpty(t, got.header.Get("Retry-After"))
			require.Contains(t, string(got.body), "wrong keys")
		}
	}
	require.Positive(t, limited)
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/files", ann, nil).status)
	require.Eventually(t, func() bool { return s.do("GET", "/v1/files", bob, nil).status == http.StatusOK }, waitFor, 100*time.Millisecond, "a new key, when the address may try again")
}
