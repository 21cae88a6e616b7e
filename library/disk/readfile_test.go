package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/library"
	"inlay/library/disk"
	"inlay/parse"
	"inlay/retrieve"
)

// TestReadFile: the bytes of what a library read, as long as the file is that one, and of nothing else.
func TestReadFile(t *testing.T) {
	store := disk.Open(t.TempDir())
	defer func() { require.NoError(t, store.Close()) }()
	k := keeper(store, retrieve.New(retrieve.Options{}))
	dir := t.TempDir()
	folder := filepath.Join(dir, "notes")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "deep"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "deep", "a.txt"), []byte("the anchor"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "single.txt"), []byte("the rudder"), 0o600))
	require.NoError(t, k.AddFolders(t.Context(), "", "l", library.Settings{}, []string{folder, filepath.Join(dir, "single.txt")}, nil))
	_, err := k.Sync(t.Context(), "", "l")
	require.NoError(t, err)

	read := func(path string) (parse.File, error) {
		return library.ReadFile(t.Context(), store, "", "l", path, parse.Limits{})
	}
	f, err := read("notes/deep/a.txt")
	require.NoError(t, err)
	require.Equal(t, "the anchor", string(f.Data))
	f, err = read("single.txt")
	require.NoError(t, err)
	require.Equal(t, "the rudder", string(f.Data))

	for _, path := range []string{"", "notes", "notes/b.txt", "notes/../single.txt", "/etc/passwd", "single.txt/"} {
		_, err = read(path)
		require.True(t, fault.Is(err, fault.FileNotFound), "%q: %v", path, err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "single.txt"), []byte("something else"), 0o600))
	_, err = read("single.txt")
	require.True(t, fault.Is(err, fault.FileNotFound))
	require.ErrorContains(t, err, "has changed")
	require.NoError(t, os.RemoveAll(folder))
	_, err = read("notes/deep/a.txt")
	require.True(t, fault.Is(err, fault.FileNotFound) || fault.Is(err, fault.FileUnreadable), "%v", err)
}
