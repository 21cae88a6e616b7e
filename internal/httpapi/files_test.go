package httpapi_test

import (
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/httpapi"
	"inlay/internal/service"
	"inlay/internal/state"
)

type fileAnswer struct {
	ID, Status, Filename, Purpose string
	Bytes                         int
	Inlay                         struct {
		State    string
		Coverage struct{ Characters int }
		Error    struct{ Code, Reason string }
	}
}

func TestFilesLive(t *testing.T) {
	s := start(t, setup{})
	text := handbook(t)
	id := s.upload("", "handbook.md", text)
	var f fileAnswer
	s.do("GET", "/v1/files/"+id, "", nil).into(t, &f)
	require.Equal(t, "processed", f.Status)
	require.Equal(t, "ready", f.Inlay.State)
	require.Equal(t, len(text), f.Bytes)
	require.Positive(t, f.Inlay.Coverage.Characters)

	content := s.do("GET", "/v1/files/"+id+"/content", "", nil)
	require.Equal(t, text, string(content.body))
	require.Equal(t, "application/octet-stream", content.header.Get("Content-Type"))

	broken := s.upload("", "empty.pdf", "")
	s.do("GET", "/v1/files/"+broken, "", nil).into(t, &f)
	require.Equal(t, "error", f.Status)
	require.Equal(t, "no_text_layer", f.Inlay.Error.Code)

	var list struct {
		Data    []fileAnswer
		HasMore bool   `json:"has_more"`
		LastID  string `json:"last_id"`
	}
	s.do("GET", "/v1/files?limit=1&order=asc", "", nil).into(t, &list)
	require.True(t, list.HasMore)
	require.Equal(t, id, list.LastID)
	s.do("GET", "/v1/files?limit=1&order=asc&after="+id, "", nil).into(t, &list)
	require.False(t, list.HasMore)
	require.Equal(t, broken, list.Data[0].ID)

	require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/files/"+id, "", nil).status)
	require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/files/"+id+"/content", "", nil).status)
}

// TestUploadsAreRefused in the OpenAI API's form, and leave nothing behind.
func TestUploadsAreRefused(t *testing.T) {
	dir := t.TempDir()
	s := start(t, setup{dir: dir, limits: httpapi.Limits{File: 100}, quota: state.Quota{Files: 1}})
	for name, c := range map[string]struct {
		body   any
		status int
		says   string
	}{
		"no form":     {map[string]any{}, 400, "multipart"},
		"no file":     {formOf(t, "purpose", "user_data"), 400, "file: is missing"},
		"two files":   {formOf(t, "@file:a.txt", "x", "@file:b.txt", "y"), 400, "twice"},
		"too large":   {formOf(t, "@file:a.txt", strings.Repeat("x", 101)), 413, "larger than 100 bytes"},
		"odd purpose": {formOf(t, "purpose", "mischief", "@file:a.txt", "x"), 400, "purpose"},
		"odd field":   {formOf(t, "colour", "red", "@file:a.txt", "x"), 400, "unknown field colour"},
		"no name":     {formOf(t, "@file:..", "x"), 400, "filename"},
		"long name":   {formOf(t, "@file:"+strings.Repeat("n", 300), "x"), 400, "255"},
		"turned name": {formOf(t, "@file:invoice\u202efdp.exe", "x"), 400, "control characters"},
		"odd head": {form{
			strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\x00\"\r\n\r\nx\r\n--b--\r\n"),
			"multipart/form-data; boundary=b",
		}, 400, "head cannot be read"},
		"cut off form":  {form{strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nxx"), "multipart/form-data; boundary=b"}, 400, "did not arrive whole"},
		"nothing in it": {form{strings.NewReader(""), "multipart/form-data; boundary=b"}, 400, "file: is missing"},
	} {
		got := s.do("POST", "/v1/files", "", c.body)
		require.Equal(t, c.status, got.status, "%s: %s", name, got.body)
		var e struct {
			Error struct{ Message, Type, Code string }
		}
		got.into(t, &e)
		require.Contains(t, e.Error.Message, c.says, name)
		require.NotContains(t, string(got.body), "mischief", "a value is never repeated")
		require.Equal(t, "invalid_request_error", e.Error.Type)
	}
	s.upload("", "../../\u200fa.txt", "x") // a mark of direction belongs to names of its script
	packed := s.do("POST", "/v1/preprocess", "", []byte(`{}`), "Content-Encoding", "gzip")
	require.Equal(t, http.StatusUnsupportedMediaType, packed.status)
	require.Contains(t, string(packed.body), "send it without compression")
	got := s.do("POST", "/v1/files", "", formOf(t, "@file:b.txt", "y"))
	require.Equal(t, http.StatusBadRequest, got.status)
	require.Contains(t, string(got.body), "more than 1 file ")
	require.Len(t, s.kept(), 1, "refused bytes are not kept")
	pending, err := filepath.Glob(filepath.Join(dir, "tmp", "*"))
	require.NoError(t, err)
	require.Empty(t, pending)
}

// TestRestart: what was accepted is there, what was not read is read, and what
// nobody acknowledged is gone.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	s := start(t, setup{dir: dir})
	id := s.upload("", "a.txt", "some text")
	require.NoError(t, s.store.SetFileState(t.Context(), state.Local, id, state.Uploaded, nil))
	s.stop()
	const stray, text = "files/" + state.Local + "/ab/abcd", "never acknowledged"
	require.NoError(t, s.store.bytes.Put(t.Context(), stray, strings.NewReader(text), int64(len(text))))

	again := start(t, setup{dir: dir})
	if !shared() { // there it may be another server's, and gets its time
		_, err := again.store.bytes.Stat(t.Context(), stray)
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	require.Equal(t, "some text", string(again.do("GET", "/v1/files/"+id+"/content", "", nil).body))
	require.Eventually(t, func() bool {
		f, err := again.store.File(t.Context(), state.Local, id)
		return err == nil && f.State == state.Processed
	}, waitFor, tick)
}

// TestOneServerForEachFolder: the second is told so.
func TestOneServerForEachFolder(t *testing.T) {
	dir := t.TempDir()
	s := start(t, setup{dir: dir})
	_, err := service.Open(t.Context(), service.Config{Data: dir, State: s.store})
	require.ErrorContains(t, err, "another server works in this data folder")
}

// TestDeletedFileLeavesNothing: its parse, its passages and what was laid into
// turns go with the last upload of its bytes; another file's stay.
func TestDeletedFileLeavesNothing(t *testing.T) {
	s := start(t, setup{})
	ask := func(id string) {
		got := s.do("POST", "/v1/preprocess", "", map[string]any{"messages": user("notice period?"), "files": []map[string]any{{"id": id}}, "context_length": 4096, "mode": "retrieval"})
		require.Equal(t, http.StatusOK, got.status, string(got.body))
	}
	kept := s.upload("", "other.md", "# Other\n\nThe notice period is a year.")
	ask(kept)
	before := s.derived()
	require.NotEmpty(t, before)
	one, two := s.upload("", "one.md", handbook(t)), s.upload("", "two.md", handbook(t))
	ask(one)
	with := s.derived()
	require.Greater(t, len(with), len(before))
	require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/files/"+one, "", nil).status)
	require.Equal(t, with, s.derived(), "the other upload has the same bytes")
	require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/files/"+two, "", nil).status)
	require.Equal(t, before, s.derived())
}

// derived are the entries of the server's cache.
func (s *server) derived() []string {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.dir, "cache", "??", "*"))
	require.NoError(s.t, err)
	return found
}

// TestSharedBytes: two uploads of the same bytes, and each can go by itself.
func TestSharedBytes(t *testing.T) {
	s := start(t, setup{})
	a, b := s.upload("", "a.txt", "same"), s.upload("", "b.txt", "same")
	require.NotEqual(t, a, b)
	require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/files/"+a, "", nil).status)
	require.Equal(t, "same", string(s.do("GET", "/v1/files/"+b+"/content", "", nil).body))
}
