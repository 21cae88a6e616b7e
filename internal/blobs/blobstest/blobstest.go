// Package blobstest is the suite that every [blobs.Store] passes.
package blobstest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/internal/blobs"
	"inlay/internal/durable"
)

// Run holds the stores that open makes, each empty, to the promises of the
// interface.
func Run(t *testing.T, open func(t *testing.T) blobs.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, blobs.Store){"keeps": keeps, "large": large, "lists": lists, "wholly": wholly, "keys": keys, "at once": atOnce} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func put(t *testing.T, s blobs.Store, key, text string) {
	t.Helper()
	require.NoError(t, s.Put(t.Context(), key, strings.NewReader(text), int64(len(text))))
}

func keeps(t *testing.T, s blobs.Store) {
	t.Helper()
	require.NoError(t, blobs.Ping(t.Context(), s))
	_, err := s.Open(t.Context(), "files/ann/aa/aab")
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, text := range []string{"one", "", "another"} {
		put(t, s, "files/ann/aa/aab", text)
		got, err := blobs.Read(t.Context(), s, "files/ann/aa/aab")
		require.NoError(t, err)
		require.Equal(t, text, string(got))
		e, err := s.Stat(t.Context(), "files/ann/aa/aab")
		require.NoError(t, err)
		require.EqualValues(t, len(text), e.Bytes)
	}
	require.NoError(t, s.Remove(t.Context(), "files/ann/aa/aab"))
	require.NoError(t, s.Remove(t.Context(), "files/ann/aa/aab"), "twice is not an error")
	_, err = blobs.Read(t.Context(), s, "files/ann/aa/aab")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = s.Stat(t.Context(), "files/ann/aa/aab")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// large goes in parts, and arrives as a file where one is needed.
func large(t *testing.T, s blobs.Store) {
	t.Helper()
	data := bytes.Repeat([]byte("0123456789abcdef"), 40<<20/16)
	p, err := durable.Create(t.TempDir())
	require.NoError(t, err)
	defer p.Discard()
	_, err = p.Write(data)
	require.NoError(t, err)
	require.NoError(t, blobs.Keep(t.Context(), s, "files/ann/bb/bbb", p, int64(len(data))))
	got, err := blobs.Read(t.Context(), s, "files/ann/bb/bbb")
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
	r, err := s.Open(t.Context(), "files/ann/bb/bbb")
	require.NoError(t, err)
	for _, from := range []int64{0, 16<<20 + 3, 5} {
		_, err = r.Seek(from, io.SeekStart)
		require.NoError(t, err)
		piece := make([]byte, 100)
		_, err = io.ReadFull(r, piece)
		require.NoError(t, err)
		require.Equal(t, data[from:from+100], piece)
	}
	end, err := r.Seek(0, io.SeekEnd)
	require.NoError(t, err)
	require.EqualValues(t, len(data), end)
	require.NoError(t, r.Close())
	name, done, err := blobs.Local(t.Context(), s, t.TempDir(), "files/ann/bb/bbb")
	require.NoError(t, err)
	require.FileExists(t, name)
	done()
}

func lists(t *testing.T, s blobs.Store) {
	t.Helper()
	began := time.Now().Add(-time.Minute)
	for _, key := range []string{"files/ann/aa/aa1", "files/ann/ab/ab1", "files/anna/aa/aa1", "uploads/ann/u1/p1"} {
		put(t, s, key, "text")
	}
	list := func(prefix string) (all []string) {
		for e, err := range s.List(t.Context(), prefix) {
			require.NoError(t, err)
			require.EqualValues(t, 4, e.Bytes)
			require.True(t, e.Made.After(began))
			all = append(all, e.Key)
		}
		sort.Strings(all)
		return all
	}
	require.Equal(t, []string{"files/ann/aa/aa1", "files/ann/ab/ab1"}, list("files/ann/"))
	require.Len(t, list(""), 4)
	require.Empty(t, list("none/"))
	require.NoError(t, blobs.RemoveAll(t.Context(), s, "files/ann/"))
	require.Equal(t, []string{"files/anna/aa/aa1", "uploads/ann/u1/p1"}, list(""))
}

// wholly: what does not arrive wholly is not there, and leaves what was there.
func wholly(t *testing.T, s blobs.Store) {
	t.Helper()
	put(t, s, "files/ann/aa/aa1", "before")
	broken := io.MultiReader(strings.NewReader("half"), failing{})
	require.Error(t, s.Put(t.Context(), "files/ann/aa/aa1", broken, 100))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, s.Put(ended, "files/ann/aa/aa1", strings.NewReader("after"), 5))
	got, err := blobs.Read(t.Context(), s, "files/ann/aa/aa1")
	require.NoError(t, err)
	require.Equal(t, "before", string(got))
}

type failing struct{}

// Read implements io.Reader.
func (failing) Read([]byte) (int, error) { return 0, errors.New("the sender is gone") }

// keys lead nowhere else.
func keys(t *testing.T, s blobs.Store) {
	t.Helper()
	for _, key := range []string{"", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "a\x00b", "a b", `a\b`, "."} {
		require.Error(t, s.Put(t.Context(), key, strings.NewReader("x"), 1), "%q", key)
		_, err := s.Open(t.Context(), key)
		require.ErrorIs(t, err, fs.ErrNotExist, "%q", key)
	}
}

// atOnce: the same content from several sides is there once it was put once.
func atOnce(t *testing.T, s blobs.Store) {
	t.Helper()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := s.Put(t.Context(), "files/ann/aa/aa1", strings.NewReader("same"), 4); err != nil {
				t.Error(err)
				return
			}
			if got, err := blobs.Read(t.Context(), s, "files/ann/aa/aa1"); err != nil || string(got) != "same" {
				t.Errorf("%q %v", got, err)
			}
		})
	}
	wg.Wait()
}
