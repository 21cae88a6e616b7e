package httpapi_test

import (
	"crypto/md5" //nolint:gosec // the API's
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/httpapi"
)

// begun begins an upload of that many bytes.
func (s *server) begun(secret string, bytes int) string {
	s.t.Helper()
	var u struct{ ID string }
	got := s.do("POST", "/v1/uploads", secret, map[string]any{"bytes": bytes, "filename": "big.txt", "mime_type": "text/plain", "purpose": "user_data"})
	require.Equal(s.t, http.StatusOK, got.status, string(got.body))
	got.into(s.t, &u)
	return u.ID
}

func (s *server) part(secret, id, data string) (string, answer) {
	s.t.Helper()
	var p struct{ ID string }
	got := s.do("POST", "/v1/uploads/"+id+"/parts", secret, formOf(s.t, "@data:blob", data))
	_ = json.Unmarshal(got.body, &p)
	return p.ID, got
}

// left are the parts of uploads under way.
func (s *server) left() []string { return s.keysOf("uploads/") }

// kept are the bytes of uploads.
func (s *server) kept() []string { return s.keysOf("files/") }

func (s *server) keysOf(prefix string) []string {
	var keys []string
	for e, err := range s.store.bytes.List(s.t.Context(), prefix) {
		require.NoError(s.t, err)
		keys = append(keys, e.Key)
	}
	return keys
}

// TestUpload: a file in parts, in the order that the last request gives.
func TestUpload(t *testing.T) {
	s := start(t, setup{})
	text := "The notice period is four weeks.\n"
	id := s.begun("", 2*len(text))
	second, _ := s.part("", id, text[:10])
	first, _ := s.part("", id, text+text[10:])
	_ = second
	sum := md5.Sum([]byte(text + text[10:] + text[:10])) //nolint:gosec // the API's
	complete := func(sum string, ids ...string) answer {
		return s.do("POST", "/v1/uploads/"+id+"/complete", "", map[string]any{"part_ids": ids, "md5": sum})
	}
	for _, c := range []struct {
		got  answer
		want string
	}{
		{complete("", first), "part_ids"},
		{complete("", first, first), "part_ids[1]"},
		{complete("", first, "part_none2345678"), "part_ids[1]"},
		{complete("", first, "../../../etc/passwd"), "part_ids[1]"},
		{complete(strings.Repeat("0", 32), first, second), "md5"},
	} {
		require.Equal(t, http.StatusBadRequest, c.got.status, string(c.got.body))
		require.Contains(t, string(c.got.body), c.want)
	}
	var done struct {
		Status string
		File   struct{ ID, Filename string }
	}
	got := complete(hex.EncodeToString(sum[:]), first, second)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	got.into(t, &done)
	require.Equal(t, "completed", done.Status)
	require.Equal(t, "big.txt", done.File.Filename)
	require.Equal(t, text+text[10:]+text[:10], string(s.do("GET", "/v1/files/"+done.File.ID+"/content", "", nil).body))
	require.Empty(t, s.left(), "the parts are gone")
	require.Equal(t, http.StatusNotFound, complete("", first, second).status)
}

// TestUploadBounds: sizes, numbers, owners and time.
func TestUploadBounds(t *testing.T) {
	s := start(t, setup{keys: true, limits: httpapi.Limits{File: 1000}})
	ann, bob := s.key("ann"), s.key("bob")
	for body, want := range map[string]string{
		`{"bytes": 1001, "filename": "a.txt"}`:                                                       "bytes",
		`{"bytes": 0, "filename": "a.txt"}`:                                                          "bytes",
		`{"bytes": 1, "filename": ".."}`:                                                             "filename",
		`{"bytes": 1, "filename": "a.txt", "purpose": "x"}`:                                          "purpose",
		`{"bytes": 1, "filename": "a.txt", "expires_after": {"anchor": "created_at", "seconds": 1}}`: "expires_after.seconds",
	} {
		got := s.do("POST", "/v1/uploads", ann, []byte(body))
		require.GreaterOrEqual(t, got.status, 400)
		require.Contains(t, string(got.body), want)
	}
	id := s.begun(ann, 10)
	_, got := s.part(ann, id, "12345678901")
	require.Equal(t, http.StatusRequestEntityTooLarge, got.status)
	_, got = s.part(ann, id, "123456")
	require.Equal(t, http.StatusOK, got.status)
	_, got = s.part(ann, id, "12345")
	require.Equal(t, http.StatusRequestEntityTooLarge, got.status)
	for _, path := range []string{"parts", "complete", "cancel"} {
		body := any([]byte(`{}`))
		if path == "parts" {
			body = formOf(t, "@data:x", "1")
		}
		require.Equal(t, http.StatusNotFound, s.do("POST", "/v1/uploads/"+id+"/"+path, bob, body).status, path)
	}
	require.Equal(t, http.StatusBadRequest, s.do("POST", "/v1/uploads/"+id+"/parts", ann, formOf(t, "x", "1")).status)
	require.Equal(t, http.StatusOK, s.do("POST", "/v1/uploads/"+id+"/cancel", ann, nil).status)
	require.Empty(t, s.left())

	var old string
	for n := range 16 {
		old = s.begun(ann, 1+n)
	}
	got = s.do("POST", "/v1/uploads", ann, map[string]any{"bytes": 1, "filename": "a.txt"})
	require.Equal(t, http.StatusBadRequest, got.status)
	s.begun(bob, 1000)
	s.begun(bob, 1000)
	got = s.do("POST", "/v1/uploads", bob, map[string]any{"bytes": 1, "filename": "a.txt"})
	require.Equal(t, http.StatusBadRequest, got.status, "their bytes are bounded together")

	s.store.run("UPDATE uploads SET expires = 1 WHERE id = '" + old + "'")
	got = s.do("POST", "/v1/uploads/"+old+"/complete", ann, []byte(`{"part_ids": []}`))
	require.Equal(t, http.StatusNotFound, got.status)
	s.begun(ann, 1)
}
