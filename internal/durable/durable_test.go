package durable_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/durable"
)

func TestWriteIsWholeOrNothing(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "deep", "file")
	require.NoError(t, durable.Write(t.Context(), root, path, []byte("one "), nil, []byte("two")))
	require.NoError(t, durable.Write(t.Context(), root, path, []byte("three")))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "three", string(got))

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, durable.Write(ended, root, path, bytes.Repeat([]byte("x"), 3<<20)), context.Canceled)
	require.NoError(t, os.Mkdir(filepath.Join(root, "folder"), 0o700))
	require.Error(t, durable.Write(t.Context(), root, filepath.Join(root, "folder"), []byte("x")))
	got, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "three", string(got))
	left, err := os.ReadDir(filepath.Join(root, durable.Temporary))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestRemoveStaleLeavesNothingOfTheDead(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, durable.RemoveStale(root), "nothing there yet")
	dir := filepath.Join(root, durable.Temporary)
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "left"), []byte("x"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	require.NoError(t, durable.RemoveStale(root))
	require.NoFileExists(t, filepath.Join(dir, "left"))
	require.DirExists(t, filepath.Join(dir, "folder"), "only files are its own")
}

func TestExcludeLetsOneInAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	release, err := durable.Exclude(path)
	require.NoError(t, err)
	entered := make(chan func())
	go func() {
		release, err := durable.Exclude(path)
		if err != nil {
			t.Error(err)
		}
		entered <- release
	}()
	select {
	case <-entered:
		t.Fatal("two at once")
	default:
	}
	release()
	(<-entered)()
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err    error
		code   fault.Code
		reason string
	}{
		{&fs.PathError{Op: "mkdir", Path: "x", Err: syscall.ENOTDIR}, fault.StoreDamaged, "a store is a folder"},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, fault.FileUnreadable, "change its permissions"},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}, fault.FileUnreadable, "change its permissions"},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, fault.FileUnreadable, "free some space"},
		{&fs.PathError{Op: "read", Path: "x", Err: syscall.EIO}, fault.FileUnreadable, "input/output error"},
	} {
		err := durable.Explain("/the/store", errors.Join(c.err))
		require.Equal(t, c.code, fault.CodeOf(err))
		require.ErrorContains(t, err, c.reason)
		require.ErrorContains(t, err, "/the/store")
		require.ErrorIs(t, err, c.err)
		require.Equal(t, err, durable.Explain("elsewhere", err), "explained once")
	}
	require.Equal(t, context.Canceled, durable.Explain("x", context.Canceled))
}
