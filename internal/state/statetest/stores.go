package statetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/internal/state"
)

func vectorStores(t *testing.T, s state.Store) {
	t.Helper()
	v := storeKept(t, s)
	storeFiles(t, s, v)
	overdue(t, s)
	foreignStores(t, s, v.ID)
	require.NoError(t, s.DeleteVectorStore(t.Context(), "ann", v.ID))
	_, err := s.StoreFile(t.Context(), "ann", v.ID, "file-1")
	require.ErrorIs(t, err, state.ErrNotFound)
	_, err = s.StoreBatch(t.Context(), "ann", v.ID, "vsfb_1")
	require.ErrorIs(t, err, state.ErrNotFound)
}

// storeKept: a store is kept and changed.
func storeKept(t *testing.T, s state.Store) state.VectorStore {
	t.Helper()
	ctx := t.Context()
	v := state.VectorStore{ID: "vs_1", Owner: "ann", Name: "manuals", Created: at(0), Active: at(5), Days: 3, Metadata: map[string]string{"team": "red"}}
	require.NoError(t, s.AddVectorStore(ctx, v))
	got, err := s.VectorStore(ctx, "ann", v.ID)
	require.NoError(t, err)
	require.Equal(t, v, got)
	require.Equal(t, at(5).AddDate(0, 0, 3), got.Expires())
	v.Name, v.Days, v.Metadata = "handbooks", 0, nil
	require.NoError(t, s.UpdateVectorStore(ctx, v))
	got, err = s.VectorStore(ctx, "ann", v.ID)
	require.NoError(t, err)
	require.Equal(t, v, got)
	require.Zero(t, got.Expires())
	v.Active = at(9)
	require.NoError(t, s.TouchVectorStore(ctx, "ann", v.ID, v.Active))
	got, err = s.VectorStore(ctx, "ann", v.ID)
	require.NoError(t, err)
	require.Equal(t, v, got)
	return v
}

// storeFiles: files of a store have paths of their own, states and batches.
func storeFiles(t *testing.T, s state.Store, v state.VectorStore) {
	t.Helper()
	ctx := t.Context()
	put := func(file, batch string) state.StoreFile {
		f, err := s.PutStoreFile(ctx, state.StoreFile{
			Owner: "ann", Store: v.ID, File: file, Batch: batch, Path: "report.pdf", Created: at(1),
			State: state.StoreWaiting, Attributes: json.RawMessage(`{"year":2026}`),
		})
		require.NoError(t, err)
		return f
	}
	require.NoError(t, s.AddStoreBatch(ctx, state.StoreBatch{Owner: "ann", Store: v.ID, ID: "vsfb_1", Created: at(1)}))
	one := put("file-1", "vsfb_1")
	require.Equal(t, "report.pdf", one.Path)
	require.Equal(t, "report (2).pdf", put("file-2", "vsfb_1").Path, "paths are unique in a store")
	require.Equal(t, "report (2).pdf", put("file-2", "vsfb_1").Path, "a file keeps its path")
	require.Equal(t, "report (3).pdf", put("file-3", "").Path)
	one.State, one.Bytes = state.StoreDone, 40
	require.NoError(t, s.UpdateStoreFile(ctx, one))
	gotFile, err := s.StoreFile(ctx, "ann", v.ID, "file-1")
	require.NoError(t, err)
	require.Equal(t, one, gotFile)
	waiting, err := s.WaitingStores(ctx)
	require.NoError(t, err)
	require.Equal(t, []state.VectorStore{v}, waiting)
	counts, err := s.CountStoreFiles(ctx, "ann", v.ID, "vsfb_1")
	require.NoError(t, err)
	require.Equal(t, state.StoreCounts{States: map[string]int{state.StoreDone: 1, state.StoreWaiting: 1}, Bytes: 40}, counts)
	require.NoError(t, s.CancelStoreBatch(ctx, "ann", v.ID, "vsfb_1"))
	counts, err = s.CountStoreFiles(ctx, "ann", v.ID, "")
	require.NoError(t, err)
	require.Equal(t, map[string]int{state.StoreDone: 1, state.StoreCanceled: 1, state.StoreWaiting: 1}, counts.States, "what is done stays, and so does what came alone")
	batch, err := s.StoreBatch(ctx, "ann", v.ID, "vsfb_1")
	require.NoError(t, err)
	require.True(t, batch.Canceled)
	counts, err = s.CountStoreFiles(ctx, "ann", "", "")
	require.NoError(t, err)
	require.EqualValues(t, 40, counts.Bytes, "of all stores")
	at1, err := s.StoreFileAt(ctx, "ann", v.ID, "report.pdf")
	require.NoError(t, err)
	require.Equal(t, one, at1)
	in, err := s.StoresOf(ctx, "ann", "file-1")
	require.NoError(t, err)
	require.Equal(t, []state.StoreFile{one}, in)

	require.NoError(t, s.DeleteStoreFile(ctx, "ann", v.ID, "file-3"))
	require.ErrorIs(t, s.DeleteStoreFile(ctx, "ann", v.ID, "file-3"), state.ErrNotFound)
}

// overdue: a store is looked for until its content was deleted.
func overdue(t *testing.T, s state.Store) {
	t.Helper()
	old := state.VectorStore{ID: "vs_old", Owner: "ann", Created: time.Unix(1000, 0).UTC(), Active: time.Unix(1000, 0).UTC(), Days: 1}
	require.NoError(t, s.AddVectorStore(t.Context(), old))
	list, err := s.OverdueStores(t.Context())
	require.NoError(t, err)
	require.Equal(t, []state.VectorStore{old}, list)
	old.Expired = true
	require.NoError(t, s.UpdateVectorStore(t.Context(), old))
	list, err = s.OverdueStores(t.Context())
	require.NoError(t, err)
	require.Empty(t, list)
}

// foreignStores sees to it that another's store is as good as none.
func foreignStores(t *testing.T, s state.Store, id string) {
	t.Helper()
	ctx := t.Context()
	_, err := s.VectorStore(ctx, "bob", id)
	require.ErrorIs(t, err, state.ErrNotFound)
	require.ErrorIs(t, s.UpdateVectorStore(ctx, state.VectorStore{ID: id, Owner: "bob", Name: "mine"}), state.ErrNotFound)
	_, err = s.PutStoreFile(ctx, state.StoreFile{Owner: "bob", Store: id, File: "file-9", Path: "x", State: state.StoreWaiting, Created: at(0)})
	require.ErrorIs(t, err, state.ErrNotFound)
	_, err = s.StoreFile(ctx, "bob", id, "file-1")
	require.ErrorIs(t, err, state.ErrNotFound)
	require.ErrorIs(t, s.UpdateStoreFile(ctx, state.StoreFile{Owner: "bob", Store: id, File: "file-1"}), state.ErrNotFound)
	require.ErrorIs(t, s.DeleteStoreFile(ctx, "bob", id, "file-1"), state.ErrNotFound)
	list, err := s.ListStoreFiles(ctx, "bob", id, "", "", state.Page{Limit: 9})
	require.NoError(t, err)
	require.Empty(t, list)
	counts, err := s.CountStoreFiles(ctx, "bob", id, "")
	require.NoError(t, err)
	require.Empty(t, counts.States)
	require.ErrorIs(t, s.TouchVectorStore(ctx, "bob", id, at(9)), state.ErrNotFound)
	_, err = s.StoreFileAt(ctx, "bob", id, "report.pdf")
	require.ErrorIs(t, err, state.ErrNotFound)
	in, err := s.StoresOf(ctx, "bob", "file-1")
	require.NoError(t, err)
	require.Empty(t, in)
	_, err = s.StoreBatch(ctx, "bob", id, "vsfb_1")
	require.ErrorIs(t, err, state.ErrNotFound)
	require.ErrorIs(t, s.CancelStoreBatch(ctx, "bob", id, "vsfb_1"), state.ErrNotFound)
	require.ErrorIs(t, s.AddStoreBatch(ctx, state.StoreBatch{Owner: "bob", Store: id, ID: "vsfb_2", Created: at(0)}), state.ErrNotFound)
	require.ErrorIs(t, s.DeleteVectorStore(ctx, "bob", id), state.ErrNotFound)
}

// storePages: pages go forth and back, in either order.
func storePages(t *testing.T, s state.Store) {
	t.Helper()
	ctx := t.Context()
	for i := range 5 {
		require.NoError(t, s.AddVectorStore(ctx, state.VectorStore{ID: fmt.Sprint("vs_", i), Owner: "ann", Created: at(0), Active: at(0)}))
		_, err := s.PutStoreFile(ctx, state.StoreFile{Owner: "ann", Store: "vs_0", File: fmt.Sprint("file-", i), Path: fmt.Sprint(i), Created: at(0), State: state.StoreDone})
		require.NoError(t, err)
	}
	for _, c := range []struct {
		page state.Page
		want string
	}{
		{state.Page{Limit: 2}, "01"},
		{state.Page{Limit: 2, After: "1"}, "23"},
		{state.Page{Limit: 2, Before: "3"}, "12"},
		{state.Page{Limit: 2, Desc: true}, "43"},
		{state.Page{Limit: 2, Desc: true, After: "3"}, "21"},
		{state.Page{Limit: 2, Desc: true, Before: "1"}, "32"},
		{state.Page{Limit: 9, After: "0", Before: "3"}, "12"},
		{state.Page{Limit: 9, After: "none"}, ""},
	} {
		ids := func(prefix string) state.Page {
			p := c.page
			for _, id := range []*string{&p.After, &p.Before} {
				if *id != "" {
					*id = prefix + *id
				}
			}
			return p
		}
		list, err := s.ListVectorStores(ctx, "ann", ids("vs_"))
		require.NoError(t, err)
		got := ""
		for _, v := range list {
			got += v.ID[len("vs_"):]
		}
		require.Equal(t, c.want, got, "%+v", c.page)
		files, err := s.ListStoreFiles(ctx, "ann", "vs_0", "", state.StoreDone, ids("file-"))
		require.NoError(t, err)
		got = ""
		for _, f := range files {
			got += f.File[len("file-"):]
		}
		require.Equal(t, c.want, got, "%+v", c.page)
	}
	first, more, err := state.OnePage(state.Page{Limit: 2, Before: "vs_4"}, func(p state.Page) ([]state.VectorStore, error) { return s.ListVectorStores(ctx, "ann", p) })
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, "vs_2", first[0].ID)
}
