package httpapi_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/internal/keys"
	"inlay/internal/state"
)

// vectorStore is a store, a file of one or a batch, as tests look at them.
type vectorStore struct {
	ID, Object, Name, Status string
	Store                    string                          `json:"vector_store_id"`
	UsageBytes               int64                           `json:"usage_bytes"`
	Counts                   map[string]int                  `json:"file_counts"`
	ExpiresAt                *int64                          `json:"expires_at"`
	Metadata                 map[string]string               `json:"metadata"`
	Attributes               map[string]any                  `json:"attributes"`
	LastError                *struct{ Code, Message string } `json:"last_error"`
	Chunking                 struct {
		Type   string
		Static struct {
			Size int `json:"max_chunk_size_tokens"`
		}
	} `json:"chunking_strategy"`
}

type vectorList struct {
	Data    []vectorStore
	FirstID string `json:"first_id"`
	HasMore bool   `json:"has_more"`
}

func (l vectorList) ids() string {
	var ids []string
	for _, v := range l.Data {
		ids = append(ids, v.ID)
	}
	return strings.Join(ids, " ")
}

type found struct {
	Query []string `json:"search_query"`
	Data  []struct {
		FileID     string `json:"file_id"`
		Filename   string
		Score      float64
		Attributes map[string]any
		Content    []struct{ Type, Text string }
	}
}

// ok sends a request that succeeds.
func (s *server) ok(method, path, secret string, body any, into any) {
	s.t.Helper()
	got := s.do(method, path, secret, body)
	require.Equal(s.t, http.StatusOK, got.status, string(got.body))
	if into != nil {
		got.into(s.t, into)
	}
}

// refused sends a request that fails, and returns the message.
func (s *server) refused(status int, method, path, secret string, body any) string {
	s.t.Helper()
	got := s.do(method, path, secret, body)
	require.Equal(s.t, status, got.status, string(got.body))
	var e struct{ Error struct{ Message string } }
	got.into(s.t, &e)
	return e.Error.Message
}

// settled waits until all files of a store were read.
func (s *server) settled(secret, id string) (v vectorStore) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		s.ok("GET", "/v1/vector_stores/"+id, secret, nil, &v)
		return v.Status != "in_progress"
	}, waitFor, 5*time.Millisecond)
	return v
}

func (s *server) newStore(secret string, more map[string]any) vectorStore {
	s.t.Helper()
	var v vectorStore
	s.ok("POST", "/v1/vector_stores", secret, more, &v)
	return s.settled(secret, v.ID)
}

func TestVectorStores(t *testing.T) {
	s := start(t, setup{})
	book := s.upload("", "handbook.md", handbook(t))
	note := s.upload("", "note.txt", "The kitchen has a blue kettle. It was descaled in May.")
	v := s.newStore("", map[string]any{"name": "manuals", "file_ids": []any{book}, "metadata": map[string]any{"team": "red"}, "expires_after": map[string]any{"anchor": "last_active_at", "days": 7}})
	require.Equal(t, "vector_store", v.Object)
	require.Equal(t, "completed", v.Status)
	require.Equal(t, map[string]int{"in_progress": 0, "completed": 1, "failed": 0, "cancelled": 0, "total": 1}, v.Counts)
	require.EqualValues(t, len(handbook(t)), v.UsageBytes)
	require.NotNil(t, v.ExpiresAt)

	var f vectorStore
	s.ok("POST", "/v1/vector_stores/"+v.ID+"/files", "", map[string]any{"file_id": note, "attributes": map[string]any{
		"room": "kitchen",
		"year": 2026, "done": true,
	}, "chunking_strategy": map[string]any{"type": "static", "static": map[string]any{
		"max_chunk_size_tokens": 100,
		"chunk_overlap_tokens":  0,
	}}}, &f)
	require.Equal(t, "vector_store.file", f.Object)
	require.Equal(t, v.ID, f.Store)
	require.Equal(t, 2, s.settled("", v.ID).Counts["completed"])
	s.ok("GET", "/v1/vector_stores/"+v.ID+"/files/"+note, "", nil, &f)
	require.Equal(t, "completed", f.Status)
	require.Equal(t, map[string]any{"room": "kitchen", "year": 2026., "done": true}, f.Attributes)
	require.Equal(t, 100, f.Chunking.Static.Size)
	s.ok("GET", "/v1/vector_stores/"+v.ID+"/files/"+book, "", nil, &f)
	require.Equal(t, "static", f.Chunking.Type)

	search := func(query any, more map[string]any) (r found) {
		body := map[string]any{"query": query}
		maps.Copy(body, more)
		s.ok("POST", "/v1/vector_stores/"+v.ID+"/search", "", body, &r)
		return r
	}
	r := search("How long is the notice period?", nil)
	require.Equal(t, book, r.Data[0].FileID)
	require.Equal(t, "handbook.md", r.Data[0].Filename)
	require.Contains(t, r.Data[0].Content[0].Text, "four weeks")
	require.Equal(t, []string{"How long is the notice period?"}, r.Query)
	for i := 1; i < len(r.Data); i++ {
		require.LessOrEqual(t, r.Data[i].Score, r.Data[i-1].Score)
	}
	r = search([]any{"notice period", "blue kettle"}, map[string]any{"max_num_results": 2})
	require.Len(t, r.Data, 2)
	r = search("the kettle and the notice period", map[string]any{"filters": map[string]any{"type": "and", "filters": []any{
		map[string]any{"type": "eq", "key": "room", "value": "kitchen"}, map[string]any{"type": "gte", "key": "year", "value": 2026},
	}}})
	require.Len(t, r.Data, 1)
	require.Equal(t, note, r.Data[0].FileID)
	require.Equal(t, "kitchen", r.Data[0].Attributes["room"])
	require.Empty(t, search("kettle", map[string]any{"filters": map[string]any{"type": "eq", "key": "room", "value": "hall"}}).Data)
	require.Empty(t, search("zebra crossing", map[string]any{"ranking_options": map[string]any{"score_threshold": 0.9}}).Data)

	s.ok("POST", "/v1/vector_stores/"+v.ID+"/files/"+note, "", map[string]any{"attributes": map[string]any{"room": "hall"}}, &f)
	require.Len(t, search("kettle", map[string]any{"filters": map[string]any{"type": "in", "key": "room", "value": []any{"hall", "attic"}}}).Data, 1)
	var page struct{ Data []struct{ Text string } }
	s.ok("GET", "/v1/vector_stores/"+v.ID+"/files/"+note+"/content", "", nil, &page)
	require.Equal(t, "The kitchen has a blue kettle. It was descaled in May.", page.Data[0].Text)

	s.ok("POST", "/v1/vector_stores/"+v.ID, "", map[string]any{"name": "handbooks", "expires_after": nil, "metadata": map[string]any{"team": "blue"}}, &v)
	require.Equal(t, "handbooks", v.Name)
	require.Equal(t, map[string]string{"team": "blue"}, v.Metadata)
	var now vectorStore
	s.ok("GET", "/v1/vector_stores/"+v.ID, "", nil, &now)
	require.Nil(t, now.ExpiresAt)

	s.ok("DELETE", "/v1/vector_stores/"+v.ID+"/files/"+note, "", nil, nil)
	require.Equal(t, 1, s.settled("", v.ID).Counts["total"])
	for _, one := range search("kettle", nil).Data {
		require.NotEqual(t, note, one.FileID)
	}
	s.ok("GET", "/v1/files/"+note, "", nil, nil)
	s.ok("DELETE", "/v1/vector_stores/"+v.ID, "", nil, nil)
	s.refused(http.StatusNotFound, "GET", "/v1/vector_stores/"+v.ID, "", nil)
	s.ok("GET", "/v1/files/"+book, "", nil, nil)
}

func TestVectorStoreBatches(t *testing.T) {
	s := start(t, setup{})
	v := s.newStore("", map[string]any{})
	var ids []any
	for i := range 5 {
		ids = append(ids, s.upload("", "page.txt", fmt.Sprintf("Page %d is about the harbour and its cranes.", i)))
	}
	broken := s.upload("", "empty.pdf", "")
	picture := s.upload("", "dot.gif", "GIF89a\x01\x00\x01\x00")
	var b vectorStore
	s.ok("POST", "/v1/vector_stores/"+v.ID+"/file_batches", "", map[string]any{"file_ids": append(ids, broken, picture), "attributes": map[string]any{"set": "a"}}, &b)
	require.Equal(t, "vector_store.files_batch", b.Object)
	require.Equal(t, 7, b.Counts["total"])
	s.settled("", v.ID)
	s.ok("GET", "/v1/vector_stores/"+v.ID+"/file_batches/"+b.ID, "", nil, &b)
	require.Equal(t, "completed", b.Status)
	require.Equal(t, []int{5, 2}, []int{b.Counts["completed"], b.Counts["failed"]})
	var list vectorList
	s.ok("GET", "/v1/vector_stores/"+v.ID+"/file_batches/"+b.ID+"/files?filter=failed&order=asc", "", nil, &list)
	require.Equal(t, broken+" "+picture, list.ids())
	require.Equal(t, "invalid_file", list.Data[0].LastError.Code)
	require.Equal(t, "unsupported_file", list.Data[1].LastError.Code)

	s.ok("GET", "/v1/vector_stores/"+v.ID+"/files?limit=2&order=asc", "", nil, &list)
	require.Equal(t, fmt.Sprint(ids[0], " ", ids[1]), list.ids())
	require.True(t, list.HasMore)
	s.ok("GET", fmt.Sprint("/v1/vector_stores/", v.ID, "/files?limit=2&order=asc&before=", ids[3]), "", nil, &list)
	require.Equal(t, fmt.Sprint(ids[1], " ", ids[2]), list.ids())

	var r found
	s.ok("POST", "/v1/vector_stores/"+v.ID+"/search", "", map[string]any{"query": "page 3 harbour"}, &r)
	require.Equal(t, ids[3], r.Data[0].FileID, "files of the same name are told apart")

	s.ok("POST", "/v1/vector_stores/"+v.ID+"/file_batches", "", map[string]any{"files": []any{map[string]any{"file_id": ids[0], "attributes": map[string]any{"set": "b"}}}}, &b)
	s.ok("POST", "/v1/vector_stores/"+v.ID+"/file_batches/"+b.ID+"/cancel", "", nil, &b)
	require.Equal(t, "cancelled", b.Status)
	s.refused(http.StatusNotFound, "GET", "/v1/vector_stores/"+v.ID+"/file_batches/vsfb_none", "", nil)
	s.refused(http.StatusNotFound, "POST", "/v1/vector_stores/"+v.ID+"/file_batches", "", map[string]any{"file_ids": []any{"file-none"}})
}

// TestVectorStoreErrors: what cannot be is refused by its name.
func TestVectorStoreErrors(t *testing.T) {
	s := start(t, setup{})
	v := s.newStore("", map[string]any{})
	file := s.upload("", "note.txt", "A note.")
	at := "/v1/vector_stores/" + v.ID
	for _, c := range []struct {
		path, names string
		body        map[string]any
	}{
		{"/v1/vector_stores", "expires_after.days", map[string]any{"expires_after": map[string]any{"anchor": "last_active_at", "days": 0}}},
		{"/v1/vector_stores", "expires_after.anchor", map[string]any{"expires_after": map[string]any{"anchor": "created_at", "days": 1}}},
		{"/v1/vector_stores", "metadata", map[string]any{"metadata": map[string]any{"a": strings.Repeat("x", 513)}}},
		{
			"/v1/vector_stores", "chunking_strategy.static.chunk_overlap_tokens",
			map[string]any{"file_ids": []any{file}, "chunking_strategy": map[string]any{
				"type":   "static",
				"static": map[string]any{"max_chunk_size_tokens": 200, "chunk_overlap_tokens": 101},
			}},
		},
		{at, "expires_after.days", map[string]any{"expires_after": map[string]any{"anchor": "last_active_at", "days": 366}}},
		{at + "/files", "attributes", map[string]any{"file_id": file, "attributes": map[string]any{"a": []any{"list"}}}},
		{at + "/file_batches", "file_ids", map[string]any{}},
		{at + "/file_batches", "files[0].chunking_strategy", map[string]any{"files": []any{map[string]any{"file_id": file, "chunking_strategy": map[string]any{"type": "semantic"}}}}},
		{at + "/search", "query", map[string]any{"query": []any{}}},
		{at + "/search", "query", map[string]any{"query": 7}},
		{at + "/search", "max_num_results", map[string]any{"query": "x", "max_num_results": 51}},
		{at + "/search", "rewrite_query", map[string]any{"query": "x", "rewrite_query": true}},
		{at + "/search", "filters.filters[0].type", map[string]any{"query": "x", "filters": map[string]any{"type": "or", "filters": []any{map[string]any{"type": "like", "key": "a", "value": "b"}}}}},
		{at + "/search", "filters.value", map[string]any{"query": "x", "filters": map[string]any{"type": "in", "key": "a", "value": "b"}}},
		{at + "/search", "ranking_options.score_threshold", map[string]any{"query": "x", "ranking_options": map[string]any{"score_threshold": 2}}},
		{at + "/search", "ranking_options.hybrid_search", map[string]any{"query": "x", "ranking_options": map[string]any{"hybrid_search": map[string]any{"embedding_weight": 1}}}},
	} {
		require.Contains(t, s.refused(http.StatusBadRequest, "POST", c.path, "", c.body), c.names+": ", "%v", c.body)
	}
	s.refused(http.StatusBadRequest, "GET", at+"/files?filter=done", "", nil)
	s.refused(http.StatusNotFound, "POST", at+"/files", "", map[string]any{"file_id": "file-none"})
	s.refused(http.StatusNotFound, "POST", "/v1/vector_stores/vs_none/search", "", map[string]any{"query": "x"})
	s.refused(http.StatusNotFound, "POST", "/v1/vector_stores", "", map[string]any{"file_ids": []any{"file-none"}})
	var list vectorList
	s.ok("GET", "/v1/vector_stores", "", nil, &list)
	require.Equal(t, v.ID, list.ids(), "nothing was made of what was refused")
}

// TestVectorStoreOwners: another's store is as good as none, and keys allow what
// their scope says.
func TestVectorStoreOwners(t *testing.T) {
	s := start(t, setup{keys: true})
	ann, bob := s.key("ann"), s.key("bob")
	file := s.upload(ann, "note.txt", "The vault opens with marzipan.")
	v := s.newStore(ann, map[string]any{"file_ids": []any{file}})
	at := "/v1/vector_stores/" + v.ID
	for _, c := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"GET", "/files"}, {"GET", "/files/" + file}, {"GET", "/files/" + file + "/content"}, {"DELETE", "/files/" + file}} {
		s.refused(http.StatusNotFound, c[0], at+c[1], bob, nil)
	}
	s.refused(http.StatusNotFound, "POST", at+"/search", bob, map[string]any{"query": "vault"})
	s.refused(http.StatusNotFound, "POST", at, bob, map[string]any{"name": "mine"})
	s.refused(http.StatusNotFound, "POST", at+"/files", bob, map[string]any{"file_id": s.upload(bob, "b.txt", "b")})
	s.refused(http.StatusNotFound, "POST", "/v1/vector_stores", bob, map[string]any{"file_ids": []any{file}})
	var list vectorList
	s.ok("GET", "/v1/vector_stores", bob, nil, &list)
	require.Empty(t, list.Data)

	_, reader, err := keys.Make(t.Context(), s.store, keys.Wish{Name: "reader", OwnerName: "ann", Scope: state.Read})
	require.NoError(t, err)
	var r found
	s.ok("POST", at+"/search", reader, map[string]any{"query": "vault marzipan"}, &r)
	require.Equal(t, file, r.Data[0].FileID)
	s.refused(http.StatusForbidden, "POST", "/v1/vector_stores", reader, map[string]any{})
	s.refused(http.StatusForbidden, "DELETE", at, reader, nil)
}

// holding are the files of a folder that hold a word.
func holding(t *testing.T, dir, word string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(word)) {
			paths = append(paths, strings.TrimPrefix(path, dir))
		}
		return err
	}))
	return paths
}

// TestVectorStoreBytes looks in the raw bytes of the data folder, while the
// server runs, for what was deleted.
func TestVectorStoreBytes(t *testing.T) {
	s := start(t, setup{})
	secrets := func(n int) (name, word, attribute string) {
		return fmt.Sprintf("qxname%d", n), fmt.Sprintf("wzplatzword%d", n), fmt.Sprintf("vqattribute%d", n)
	}
	gone := func(n int, where string) {
		t.Helper()
		name, word, attribute := secrets(n)
		for _, one := range []string{name, word, attribute} {
			require.Empty(t, holding(t, filepath.Join(s.dir, where), one), one)
		}
	}
	v := s.newStore("", map[string]any{"name": "storename", "metadata": map[string]any{"k": "metavalue"}})
	var ids []string
	for n := range 4 {
		name, word, attribute := secrets(n)
		id := s.upload("", name+".txt", "The word of the day is "+word+", said the warden.")
		s.ok("POST", "/v1/vector_stores/"+v.ID+"/files", "", map[string]any{"file_id": id, "attributes": map[string]any{"kind": attribute}}, nil)
		s.settled("", v.ID)
		require.NotEmpty(t, holding(t, filepath.Join(s.dir, "libraries"), word), "the test looks in the right place")
		require.NotEmpty(t, holding(t, s.dir, attribute))
		ids = append(ids, id)
	}
	s.ok("DELETE", "/v1/vector_stores/"+v.ID+"/files/"+ids[0], "", nil, nil)
	gone(0, "libraries") // the upload itself stays
	s.ok("DELETE", "/v1/files/"+ids[0], "", nil, nil)
	gone(0, "")
	s.ok("DELETE", "/v1/files/"+ids[1], "", nil, nil)
	gone(1, "")
	require.Equal(t, 2, s.settled("", v.ID).Counts["total"], "a deleted upload is in no store")
	s.ok("DELETE", "/v1/vector_stores/"+v.ID, "", nil, nil)
	gone(2, "libraries")
	gone(3, "libraries")
	require.Empty(t, holding(t, s.dir, "storename"))
	require.Empty(t, holding(t, s.dir, "metavalue"))
	require.Empty(t, holding(t, s.dir, "vqattribute"))
}

// TestVectorStoreExpires: a store whose time is over cannot be used from then
// on, and the next server deletes its content.
func TestVectorStoreExpires(t *testing.T) {
	dir := t.TempDir()
	s := start(t, setup{dir: dir})
	file := s.upload("", "note.txt", "The word is wzplatz.")
	v := s.newStore("", map[string]any{"file_ids": []any{file}, "expires_after": map[string]any{"anchor": "last_active_at", "days": 1}})
	require.NoError(t, s.store.TouchVectorStore(t.Context(), state.Local, v.ID, time.Now().AddDate(0, 0, -2)))
	s.ok("GET", "/v1/vector_stores/"+v.ID, "", nil, &v)
	require.Equal(t, "expired", v.Status)
	require.Contains(t, s.refused(http.StatusBadRequest, "POST", "/v1/vector_stores/"+v.ID+"/search", "", map[string]any{"query": "word"}), "has expired")
	s.refused(http.StatusBadRequest, "POST", "/v1/vector_stores/"+v.ID+"/files", "", map[string]any{"file_id": file})
	s.stop()
	s = start(t, setup{dir: dir})
	require.Eventually(t, func() bool {
		s.ok("GET", "/v1/vector_stores/"+v.ID, "", nil, &v)
		return v.Counts["total"] == 0
	}, waitFor, 5*time.Millisecond)
	require.Empty(t, holding(t, filepath.Join(dir, "libraries"), "wzplatz"))
	require.Equal(t, "expired", v.Status)
	s.ok("GET", "/v1/files/"+file, "", nil, nil)
	s.ok("DELETE", "/v1/vector_stores/"+v.ID, "", nil, nil)
}

// TestVectorStoreGoesOn: what a server had accepted and not read, the next one reads.
func TestVectorStoreGoesOn(t *testing.T) {
	dir := t.TempDir()
	s := start(t, setup{dir: dir})
	file := s.upload("", "note.txt", "The lighthouse keeper counted ships.")
	v := s.newStore("", map[string]any{})
	s.stop()
	leave := openStores(t, dir)
	_, err := leave.PutStoreFile(t.Context(), state.StoreFile{Owner: state.Local, Store: v.ID, File: file, Path: "note.txt", Created: state.Now(), State: state.StoreWaiting})
	require.NoError(t, err)
	require.NoError(t, leave.close())
	s = start(t, setup{dir: dir})
	require.Equal(t, 1, s.settled("", v.ID).Counts["completed"])
	var r found
	s.ok("POST", "/v1/vector_stores/"+v.ID+"/search", "", map[string]any{"query": "lighthouse keeper"}, &r)
	require.Equal(t, file, r.Data[0].FileID)
}
