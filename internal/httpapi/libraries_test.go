package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/library"
	"inlay/parse"
	"inlay/parse/pdf"
	"inlay/parse/plain"
	"inlay/retrieve"
)

// folders makes a library of an owner of the files of a folder.
func (s *server) folders(owner, name, folder string) {
	s.t.Helper()
	store := openLibraries(s.t, s.dir, s.store)
	defer func() { require.NoError(s.t, store.(io.Closer).Close()) }()
	registry, err := parse.NewRegistry(slices.Concat(plain.All(parse.Limits{}), []parse.Parser{pdf.Parser{}})...)
	require.NoError(s.t, err)
	r := retrieve.New(retrieve.Options{})
	k := &library.Keeper{Index: store, Parser: registry, Indexer: r}
	require.NoError(s.t, k.AddFolders(s.t.Context(), owner, name, library.Settings{Fingerprint: r.Fingerprint()}, []string{folder}, nil))
	_, err = k.Sync(s.t.Context(), owner, name)
	require.NoError(s.t, err)
}

// shelved is the text of a document of a library.
type shelved struct {
	Object, Filename, Text string
	MediaType              string `json:"media_type"`
	FileID                 string `json:"file_id"`
}

// TestLibraryDocuments: text, bytes and boxes of the documents of vector stores and of libraries of folders
// are their owner's, and those of a file that changed are not shown as the ones that were read.
func TestLibraryDocuments(t *testing.T) {
	s := start(t, setup{keys: true})
	ann, bob := s.key("ann"), s.key("bob")
	upload := s.upload(ann, "lease.pdf", lease())
	v := s.newStore(ann, map[string]any{"name": "Contracts", "file_ids": []any{upload}})
	folder := filepath.Join(t.TempDir(), "papers")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "lease & more.pdf"), []byte(lease()), 0o600))
	list, err := s.store.ListKeys(t.Context(), "")
	require.NoError(t, err)
	s.folders(list[0].Owner, "papers", folder)

	var all struct {
		Data []struct {
			Name      string
			Documents int
		}
	}
	s.do("GET", "/v1/libraries", ann, nil).into(t, &all)
	require.Len(t, all.Data, 1, "vector stores have a list of their own")
	require.Equal(t, "papers", all.Data[0].Name)
	require.Equal(t, 1, all.Data[0].Documents)
	s.do("GET", "/v1/libraries", bob, nil).into(t, &all)
	require.Empty(t, all.Data)

	for id, at := range map[string]string{v.ID: "lease.pdf", "papers": "papers/lease & more.pdf"} {
		path := func(part, more string) string {
			return "/v1/libraries/" + id + "/" + part + "?path=" + url.QueryEscape(at) + more
		}
		var d shelved
		s.do("GET", path("text", ""), ann, nil).into(t, &d)
		require.Equal(t, "application/pdf", d.MediaType)
		require.Contains(t, d.Text, "The deposit is 900.")
		require.Equal(t, id == v.ID, d.FileID == upload, "%s: %q", id, d.FileID)

		got := s.do("GET", path("content", ""), ann, nil)
		require.Equal(t, lease(), string(got.body), id)
		require.Equal(t, "application/pdf", got.header.Get("Content-Type"))

		var boxes placed
		where := strings.Index(d.Text, "deposit")
		s.do("GET", path("boxes", fmt.Sprintf("&start=%d&end=%d", where, where+7)), ann, nil).into(t, &boxes)
		require.Len(t, boxes.Pages, 1, id)
		require.Equal(t, 2, boxes.Pages[0].Page)
		require.Len(t, boxes.Pages[0].Boxes, 1)

		for _, part := range []string{"text", "content", "boxes"} {
			require.Equal(t, http.StatusNotFound, s.do("GET", path(part, ""), bob, nil).status, "%s of another owner", part)
			require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/libraries/"+id+"/"+part+"?path=none.pdf", ann, nil).status)
			require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/libraries/"+id+"/"+part+"?path="+url.QueryEscape("../../etc/passwd"), ann, nil).status)
		}
	}

	require.NoError(t, os.WriteFile(filepath.Join(folder, "lease & more.pdf"), []byte(lease()+"%"), 0o600))
	at := "?path=" + url.QueryEscape("papers/lease & more.pdf")
	changed := s.do("GET", "/v1/libraries/papers/content"+at, ann, nil)
	require.Equal(t, http.StatusNotFound, changed.status)
	require.Contains(t, string(changed.body), "has changed since")
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/libraries/papers/text"+at, ann, nil).status, "what was read is there all the same")
}

// TestRenamedChat: a title changes, and nothing else does.
func TestRenamedChat(t *testing.T) {
	s := start(t, setup{keys: true})
	ann, bob := s.key("ann"), s.key("bob")
	var made, renamed struct {
		ID, Title string
		Turns     int
	}
	s.do("POST", "/v1/chats", ann, map[string]any{"title": "one"}).into(t, &made)
	s.do("POST", "/v1/chats/"+made.ID, ann, map[string]any{"title": "two"}).into(t, &renamed)
	require.Equal(t, "two", renamed.Title)
	require.Equal(t, made.ID, renamed.ID)
	s.do("POST", "/v1/chats/"+made.ID, ann, map[string]any{}).into(t, &renamed)
	require.Equal(t, "two", renamed.Title, "without a title nothing changes")
	require.Equal(t, http.StatusNotFound, s.do("POST", "/v1/chats/"+made.ID, bob, map[string]any{"title": "mine"}).status)
	require.Equal(t, http.StatusBadRequest, s.do("POST", "/v1/chats/"+made.ID, ann, map[string]any{"title": strings.Repeat("a", 5000)}).status)
}

// TestNamesOfStores: sentences call a vector store by its name.
func TestNamesOfStores(t *testing.T) {
	s := start(t, setup{})
	v := s.newStore("", map[string]any{"name": "Harbour Lane", "file_ids": []any{s.upload("", "note.txt", strings.Repeat("The kettle is blue. ", 400))}})
	ask := map[string]any{
		"messages": []any{map[string]any{"role": "user", "text": "Which colour is the kettle?"}}, "context_length": 1000, "library": []string{v.ID},
	}
	got := s.do("POST", "/v1/preprocess", "", ask)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	var said struct{ Reason string }
	got.into(t, &said)
	require.Contains(t, said.Reason, "Harbour Lane")
	require.NotContains(t, said.Reason, v.ID)
	empty := s.newStore("", map[string]any{"name": "Bare"})
	ask["library"] = []string{empty.ID}
	got = s.do("POST", "/v1/preprocess", "", ask)
	require.Contains(t, string(got.body), "The library Bare has no documents.")
}
