// Package statetest is the suite that every [state.Store] passes.
package statetest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/internal/state"
)

// Run holds the stores that open makes, each empty, to the promises of the
// interfaces.
func Run(t *testing.T, open func(t *testing.T) state.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, state.Store){
		"keys": keys, "files": files, "uploads": uploads, "expiry": expiry, "pages": pages, "quota": quota, "chats": chats, "responses": responses,
		"evaluations": evaluations, "owners": owners, "locks": locks, "vector stores": vectorStores, "store pages": storePages,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// at is a time as records keep it.
func at(s int64) time.Time { return time.Unix(1_800_000_000+s, 0).UTC() }

func keys(t *testing.T, s state.Store) {
	t.Helper()
	made, err := s.AnyKey(t.Context())
	require.NoError(t, err)
	require.False(t, made)
	k := state.Key{ID: "key_1", OwnerName: "ann", Name: "desk", Hint: "inlay_ab", Hash: []byte("hash 1"), Scope: state.Admin, Created: at(0), Expires: at(100)}
	kept, err := s.AddKey(t.Context(), k)
	require.NoError(t, err)
	require.Equal(t, state.Local, kept.Owner, "the first owner has what was kept without keys")
	_, err = s.AddKey(t.Context(), k)
	require.Error(t, err, "an id is there once")

	got, err := s.KeyByHash(t.Context(), k.Hash)
	require.NoError(t, err)
	require.Equal(t, kept, got)
	_, err = s.KeyByHash(t.Context(), []byte("hash 2"))
	require.ErrorIs(t, err, state.ErrNotFound)

	second, err := s.AddKey(t.Context(), state.Key{ID: "key_2", OwnerName: "ann", Name: "phone", Hash: []byte("hash 2"), Scope: state.Read, Created: at(1)})
	require.NoError(t, err)
	require.Equal(t, kept.Owner, second.Owner, "an owner has many keys")
	other, err := s.AddKey(t.Context(), state.Key{ID: "key_3", OwnerName: "bob", Name: "bob", Hash: []byte("hash 3"), Scope: state.Write, Created: at(2)})
	require.NoError(t, err)
	require.NotEqual(t, kept.Owner, other.Owner)
	_, err = s.AddKey(t.Context(), state.Key{ID: "key_4", Owner: "own_none", Hash: []byte("hash 4"), Created: at(2)})
	require.ErrorIs(t, err, state.ErrNotFound)

	require.ErrorIs(t, s.RevokeKey(t.Context(), other.Owner, k.ID, at(5)), state.ErrNotFound, "another's")
	require.NoError(t, s.RevokeKey(t.Context(), kept.Owner, k.ID, at(5)))
	require.NoError(t, s.RevokeKey(t.Context(), "", k.ID, at(9)), "revoking twice is not an error")
	require.ErrorIs(t, s.RevokeKey(t.Context(), "", "key_none", at(9)), state.ErrNotFound)
	list, err := s.ListKeys(t.Context(), kept.Owner)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, at(5), list[0].Revoked, "the first revocation counts")
	require.True(t, list[0].Good(at(4)))
	require.False(t, list[0].Good(at(5)))
	require.NoError(t, s.RevokeKey(t.Context(), "", k.ID, at(3)))
	list, err = s.ListKeys(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.Equal(t, at(3), list[0].Revoked, "an end can come earlier")
	made, err = s.AnyKey(t.Context())
	require.NoError(t, err)
	require.True(t, made, "a revoked key is one that was made")
	require.NoError(t, s.AddFile(t.Context(), file(kept.Owner, 1), state.Quota{}))
	h, err := s.Holdings(t.Context(), kept.Owner)
	require.NoError(t, err)
	require.Equal(t, state.Holdings{Files: 1}, h)
}

func file(owner string, n int) state.File {
	return state.File{
		ID: fmt.Sprintf("file-%s-%d", owner, n), Owner: owner, Name: "a.txt", Purpose: "user_data", Content: "c1", Bytes: 10,
		Created: at(int64(n)), State: state.Uploaded,
	}
}

func files(t *testing.T, s state.Store) {
	t.Helper()
	a, b := file("ann", 1), file("ann", 2)
	require.NoError(t, s.AddFile(t.Context(), a, state.Quota{}))
	require.NoError(t, s.AddFile(t.Context(), b, state.Quota{}))
	waiting, err := s.WaitingFiles(t.Context())
	require.NoError(t, err)
	require.Equal(t, []state.File{a, b}, waiting)

	a.State, a.Report = state.Processed, json.RawMessage(`{"x":1}`)
	require.NoError(t, s.SetFileState(t.Context(), "ann", a.ID, a.State, a.Report))
	got, err := s.File(t.Context(), "ann", a.ID)
	require.NoError(t, err)
	require.Equal(t, a, got)
	waiting, err = s.WaitingFiles(t.Context())
	require.NoError(t, err)
	require.Equal(t, []state.File{b}, waiting)

	orphans, err := s.Orphans(t.Context(), "ann", "c0", "c1", "c2")
	require.NoError(t, err)
	require.Equal(t, []string{"c0", "c2"}, orphans)
	orphans, err = s.Orphans(t.Context(), "bob", "c1")
	require.NoError(t, err)
	require.Equal(t, []string{"c1"}, orphans, "it is another's")

	gone, shared, err := s.DeleteFile(t.Context(), "ann", a.ID)
	require.NoError(t, err)
	require.Equal(t, a, gone)
	require.True(t, shared, "the other file has the same bytes")
	_, shared, err = s.DeleteFile(t.Context(), "ann", b.ID)
	require.NoError(t, err)
	require.False(t, shared)
	orphans, err = s.Orphans(t.Context(), "ann", "c1")
	require.NoError(t, err)
	require.Equal(t, []string{"c1"}, orphans)
	require.ErrorIs(t, s.SetFileState(t.Context(), "ann", a.ID, state.Processed, nil), state.ErrNotFound)
}

// uploads arrive in parts, and end as a file or not at all.
func uploads(t *testing.T, s state.Store) {
	t.Helper()
	ctx := t.Context()
	begin := func(id string, expires time.Time) error {
		return s.AddUpload(ctx, state.Upload{
			ID: id, Owner: "ann", Name: "a.txt", Purpose: "user_data", Bytes: 10, Created: at(0), Expires: expires, Life: time.Hour,
		}, state.Quota{Files: 2, Bytes: 25})
	}
	later, over := time.Unix(4_000_000_000, 0).UTC(), time.Unix(1_000_000_000, 0).UTC()
	require.NoError(t, begin("upload_0", over))
	require.NoError(t, begin("upload_1", later))
	require.NoError(t, begin("upload_2", later), "one whose time is over counts no more")
	require.ErrorIs(t, begin("upload_3", later), state.ErrQuota)
	_, _, err := s.Upload(ctx, "ann", "upload_0")
	require.ErrorIs(t, err, state.ErrNotFound)
	require.ErrorIs(t, s.AddPart(ctx, "ann", "upload_0", state.Part{ID: "part_0", Bytes: 1}, 9), state.ErrNotFound)
	_, _, err = s.Upload(ctx, "bob", "upload_1")
	require.ErrorIs(t, err, state.ErrNotFound)
	require.ErrorIs(t, s.AddPart(ctx, "bob", "upload_1", state.Part{ID: "part_0", Bytes: 1}, 9), state.ErrNotFound)
	require.ErrorIs(t, s.DeleteUpload(ctx, "bob", "upload_1"), state.ErrNotFound)

	var wg sync.WaitGroup
	kept := make(chan string, 20)
	for n := range 20 {
		wg.Go(func() {
			id := fmt.Sprintf("part_%d", n)
			if s.AddPart(ctx, "ann", "upload_1", state.Part{ID: id, Bytes: 4}, 99) == nil {
				kept <- id
			}
		})
	}
	wg.Wait()
	require.Len(t, kept, 2, "no more than was announced")
	require.ErrorIs(t, s.AddPart(ctx, "ann", "upload_1", state.Part{ID: "part_x", Bytes: 1}, 2), state.ErrQuota, "parts are bounded too")
	u, parts, err := s.Upload(ctx, "ann", "upload_1")
	require.NoError(t, err)
	require.Equal(t, state.Upload{ID: "upload_1", Owner: "ann", Name: "a.txt", Purpose: "user_data", Bytes: 10, Created: at(0), Expires: later, Life: time.Hour}, u)
	require.Len(t, parts, 2)

	f := file("ann", 1)
	f.Upload = "upload_1"
	require.NoError(t, s.AddFile(ctx, f, state.Quota{}))
	_, _, err = s.Upload(ctx, "ann", "upload_1")
	require.ErrorIs(t, err, state.ErrNotFound, "it ended with the file")
	g := file("ann", 2)
	g.Upload = "upload_1"
	require.ErrorIs(t, s.AddFile(ctx, g, state.Quota{}), state.ErrNotFound, "an upload becomes one file")
	h, err := s.Holdings(ctx, "ann")
	require.NoError(t, err)
	require.Equal(t, 1, h.Files)

	require.NoError(t, s.DeleteUpload(ctx, "ann", "upload_2"))
	list, err := s.ExpiredUploads(ctx)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "upload_0", list[0].ID)
}

// expiry: a file whose time is over is found by nobody but who deletes it.
func expiry(t *testing.T, s state.Store) {
	t.Helper()
	over, later := file("ann", 1), file("ann", 2)
	over.Expires, later.Expires = time.Unix(1_000_000_000, 0).UTC(), time.Unix(4_000_000_000, 0).UTC()
	for _, f := range []state.File{over, later} {
		require.NoError(t, s.AddFile(t.Context(), f, state.Quota{}))
	}
	_, err := s.File(t.Context(), "ann", over.ID)
	require.ErrorIs(t, err, state.ErrNotFound)
	got, err := s.File(t.Context(), "ann", later.ID)
	require.NoError(t, err)
	require.Equal(t, later, got)
	list, err := s.ListFiles(t.Context(), "ann", "", state.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
	list, err = s.ExpiredFiles(t.Context())
	require.NoError(t, err)
	require.Equal(t, []state.File{over}, list)
	_, _, err = s.DeleteFile(t.Context(), "ann", over.ID)
	require.NoError(t, err)
}

func pages(t *testing.T, s state.Store) {
	t.Helper()
	for n := range 5 {
		f := file("ann", n)
		if n == 3 {
			f.Purpose = "vision"
		}
		require.NoError(t, s.AddFile(t.Context(), f, state.Quota{}))
	}
	for _, c := range []struct {
		purpose string
		page    state.Page
		want    []int
	}{
		{"", state.Page{Limit: 2}, []int{0, 1}},
		{"", state.Page{Limit: 2, After: "file-ann-1"}, []int{2, 3}},
		{"", state.Page{Limit: 9, Desc: true}, []int{4, 3, 2, 1, 0}},
		{"", state.Page{Limit: 2, Desc: true, After: "file-ann-3"}, []int{2, 1}},
		{"vision", state.Page{Limit: 9}, []int{3}},
		{"", state.Page{Limit: 9, After: "file-bob-1"}, nil},
	} {
		got, err := s.ListFiles(t.Context(), "ann", c.purpose, c.page)
		require.NoError(t, err)
		ids := []string{}
		for _, f := range got {
			ids = append(ids, f.ID)
		}
		want := []string{}
		for _, n := range c.want {
			want = append(want, fmt.Sprintf("file-ann-%d", n))
		}
		require.Equal(t, want, ids, "%+v", c)
	}
}

// quota holds also when files arrive at the same time.
func quota(t *testing.T, s state.Store) {
	t.Helper()
	var wg sync.WaitGroup
	kept := make(chan string, 20)
	for n := range 20 {
		wg.Go(func() {
			if s.AddFile(t.Context(), file("ann", n), state.Quota{Bytes: 55}) == nil {
				kept <- fmt.Sprintf("file-ann-%d", n)
			}
		})
	}
	wg.Wait()
	require.Len(t, kept, 5)
	require.ErrorIs(t, s.AddFile(t.Context(), file("ann", 99), state.Quota{Files: 5}), state.ErrQuota)
	require.NoError(t, s.AddFile(t.Context(), file("bob", 1), state.Quota{Files: 5}), "limits are each owner's own")
	_, _, err := s.DeleteFile(t.Context(), "ann", <-kept)
	require.NoError(t, err)
	require.NoError(t, s.AddFile(t.Context(), file("ann", 99), state.Quota{Files: 5, Bytes: 55}), "deleting makes room")
}

func chats(t *testing.T, s state.Store) {
	t.Helper()
	c := state.Chat{ID: "chat_1", Owner: "ann", Title: "t", Created: at(0), Updated: at(0)}
	require.NoError(t, s.AddChat(t.Context(), c))
	turn := state.Turn{Number: 1, Created: at(3), Messages: json.RawMessage(`[1]`), Result: json.RawMessage(`{"a":1}`)}
	require.NoError(t, s.AddTurn(t.Context(), "ann", c.ID, turn))
	require.ErrorIs(t, s.AddTurn(t.Context(), "ann", c.ID, turn), state.ErrConflict, "the chat has moved on")
	require.ErrorIs(t, s.AddTurn(t.Context(), "ann", "chat_2", turn), state.ErrNotFound)
	got, turns, err := s.Chat(t.Context(), "ann", c.ID)
	require.NoError(t, err)
	c.Turns, c.Updated = 1, at(3)
	require.Equal(t, c, got)
	require.Equal(t, []state.Turn{turn}, turns)
	second := state.Turn{Number: 2, Created: at(3), Messages: json.RawMessage(`[2]`), Result: json.RawMessage(`null`)}
	require.NoError(t, s.AddTurn(t.Context(), "ann", c.ID, second))
	turns, err = s.Since(t.Context(), "ann", c.ID, 1)
	require.NoError(t, err)
	second.Result = nil
	require.Equal(t, []state.Turn{second}, turns)
	turns, err = s.Since(t.Context(), "ann", c.ID, 0)
	require.NoError(t, err)
	require.Len(t, turns, 2)
	require.Empty(t, turns[0].Result)
	c.Turns = 2
	list, err := s.ListChats(t.Context(), "ann", state.Page{Limit: 9})
	require.NoError(t, err)
	require.Equal(t, []state.Chat{c}, list)
	require.NoError(t, s.RenameChat(t.Context(), "ann", c.ID, "another"))
	c.Title = "another"
	list, err = s.ListChats(t.Context(), "ann", state.Page{Limit: 9})
	require.NoError(t, err)
	require.Equal(t, []state.Chat{c}, list, "nothing else changes")
	require.NoError(t, s.DeleteChat(t.Context(), "ann", c.ID))
	_, _, err = s.Chat(t.Context(), "ann", c.ID)
	require.ErrorIs(t, err, state.ErrNotFound)
}

func responses(t *testing.T, s state.Store) {
	t.Helper()
	ctx := t.Context()
	made := func(id, previous string, when int64) state.Response {
		r := state.Response{
			ID: id, Owner: "ann", Previous: previous, Created: at(when), Messages: json.RawMessage(`["` + id + `"]`), Input: json.RawMessage(`[1]`),
			Body: json.RawMessage(`{"id":1}`), Files: []string{"file-" + id},
		}
		require.NoError(t, s.AddResponse(ctx, r))
		return r
	}
	first, second, branch := made("resp_1", "", 0), made("resp_2", "resp_1", 1), made("resp_3", "resp_1", 2)
	require.Error(t, s.AddResponse(ctx, first), "an id is there once")
	got, err := s.Response(ctx, "ann", "resp_2")
	require.NoError(t, err)
	require.Equal(t, second, got)

	chain := func(id string) (ids []string) {
		list, err := s.Conversation(ctx, "ann", id)
		require.NoError(t, err)
		for _, r := range list {
			require.NotEmpty(t, r.Messages)
			require.Nil(t, r.Body)
			ids = append(ids, r.ID)
		}
		return ids
	}
	require.Equal(t, []string{"resp_1", "resp_2"}, chain("resp_2"))
	require.Equal(t, []string{"resp_1", "resp_3"}, chain(branch.ID))
	old, err := s.OldResponses(ctx, at(2))
	require.NoError(t, err)
	require.Len(t, old, 1, "the first is continued, the third is not old enough")
	require.Equal(t, "resp_2", old[0].ID)
	require.Equal(t, []string{"file-resp_2"}, old[0].Files)

	for _, owner := range []string{"bob", ""} {
		_, err = s.Response(ctx, owner, "resp_2")
		require.ErrorIs(t, err, state.ErrNotFound)
		_, err = s.Conversation(ctx, owner, "resp_2")
		require.ErrorIs(t, err, state.ErrNotFound)
		_, err = s.DeleteResponse(ctx, owner, "resp_2")
		require.ErrorIs(t, err, state.ErrNotFound)
	}
	require.NoError(t, s.AddResponse(ctx, state.Response{
		ID: "resp_4", Owner: "bob", Previous: "resp_1", Created: at(3),
		Messages: json.RawMessage(`[]`), Input: json.RawMessage(`[]`), Body: json.RawMessage(`{}`),
	}))
	list, err := s.Conversation(ctx, "bob", "resp_4")
	require.NoError(t, err)
	require.Len(t, list, 1, "what is another's is not part of it")

	files, err := s.DeleteResponse(ctx, "ann", "resp_1")
	require.NoError(t, err)
	require.Equal(t, first.Files, files)
	require.Equal(t, []string{"resp_2"}, chain("resp_2"), "it begins after the deleted one, which it still names")
	_, err = s.Response(ctx, "ann", "resp_1")
	require.ErrorIs(t, err, state.ErrNotFound)
}

func evaluations(t *testing.T, s state.Store) {
	t.Helper()
	e := state.Evaluation{ID: "eval_1", Owner: "ann", Created: at(0), State: state.Queued, Request: json.RawMessage(`{}`)}
	require.NoError(t, s.AddEvaluation(t.Context(), e, 1))
	waiting, err := s.WaitingEvaluations(t.Context())
	require.NoError(t, err)
	require.Equal(t, []state.Evaluation{e}, waiting)
	more := e
	more.ID = "eval_2"
	require.ErrorIs(t, s.AddEvaluation(t.Context(), more, 1), state.ErrQuota)
	e.State, e.Progress = state.Running, json.RawMessage(`{"done":1}`)
	require.NoError(t, s.UpdateEvaluation(t.Context(), e))
	e.State, e.Result = state.Done, json.RawMessage(`{"points":[]}`)
	require.NoError(t, s.UpdateEvaluation(t.Context(), e))
	canceled := e
	canceled.State = state.Canceled
	require.ErrorIs(t, s.UpdateEvaluation(t.Context(), canceled), state.ErrNotFound, "what is over stays as it is")
	got, err := s.Evaluation(t.Context(), "ann", e.ID)
	require.NoError(t, err)
	require.Equal(t, e, got)
	waiting, err = s.WaitingEvaluations(t.Context())
	require.NoError(t, err)
	require.Empty(t, waiting)
	list, err := s.ListEvaluations(t.Context(), "ann", state.Page{Limit: 9})
	require.NoError(t, err)
	require.Equal(t, []state.Evaluation{e}, list)
	require.NoError(t, s.DeleteEvaluation(t.Context(), "ann", e.ID))
}

// owners sees to it that a foreign record is as good as none.
func owners(t *testing.T, s state.Store) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, s.AddFile(ctx, file("ann", 1), state.Quota{}))
	require.NoError(t, s.AddChat(ctx, state.Chat{ID: "chat_1", Owner: "ann", Created: at(0)}))
	e := state.Evaluation{ID: "eval_1", Owner: "ann", Created: at(0), State: state.Queued, Request: json.RawMessage(`{}`)}
	require.NoError(t, s.AddEvaluation(ctx, e, 1))
	e.Owner = "bob"
	for _, id := range []string{"_1", "_none"} {
		fileID := "file-ann" + id
		if id == "_1" {
			fileID = "file-ann-1"
		}
		_, err := s.File(ctx, "bob", fileID)
		require.ErrorIs(t, err, state.ErrNotFound)
		_, _, err = s.DeleteFile(ctx, "bob", fileID)
		require.ErrorIs(t, err, state.ErrNotFound)
		require.ErrorIs(t, s.SetFileState(ctx, "bob", fileID, state.Failed, nil), state.ErrNotFound)
		_, _, err = s.Chat(ctx, "bob", "chat"+id)
		require.ErrorIs(t, err, state.ErrNotFound)
		_, err = s.Since(ctx, "bob", "chat"+id, 0)
		require.ErrorIs(t, err, state.ErrNotFound)
		require.ErrorIs(t, s.AddTurn(ctx, "bob", "chat"+id, state.Turn{Number: 1}), state.ErrNotFound)
		require.ErrorIs(t, s.RenameChat(ctx, "bob", "chat"+id, "mine"), state.ErrNotFound)
		require.ErrorIs(t, s.DeleteChat(ctx, "bob", "chat"+id), state.ErrNotFound)
		_, err = s.Evaluation(ctx, "bob", "eval"+id)
		require.ErrorIs(t, err, state.ErrNotFound)
		e.ID = "eval" + id
		require.ErrorIs(t, s.UpdateEvaluation(ctx, e), state.ErrNotFound)
		require.ErrorIs(t, s.DeleteEvaluation(ctx, "bob", "eval"+id), state.ErrNotFound)
	}
	list, err := s.ListFiles(ctx, "bob", "", state.Page{Limit: 9})
	require.NoError(t, err)
	require.Empty(t, list)
}

// locks let one in at a time under one name, and keep no other name away.
func locks(t *testing.T, s state.Store) {
	t.Helper()
	var wg sync.WaitGroup
	n := 0
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if err := s.Exclusive(t.Context(), "a name", func() error { n++; return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, 160, n)
	require.ErrorIs(t, s.Exclusive(t.Context(), "a name", func() error { return state.ErrQuota }), state.ErrQuota)
	inner := false
	require.NoError(t, s.Exclusive(t.Context(), "a name", func() error {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		require.Error(t, s.Exclusive(gone, "a name", func() error { return nil }), "waiting ends with its context")
		return s.Exclusive(t.Context(), "another name", func() error { inner = true; return nil })
	}))
	require.True(t, inner)
}
