package disk_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/library"
	"inlay/library/disk"
	"inlay/library/librarytest"
	"inlay/parse"
	"inlay/retrieve"
)

func TestConformance(t *testing.T) {
	librarytest.Run(t, func(t *testing.T) library.Index {
		t.Helper()
		store := disk.Open(t.TempDir())
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		return store
	})
}

// fill makes a library of a few files and returns its folder.
func fill(t *testing.T, root string) (dir string, folder string) {
	t.Helper()
	folder = t.TempDir()
	for i := range 6 {
		text := fmt.Sprintf("Chapter %d speaks of the marmot number %d and of meadows.\n\nIt goes on about hay.\n", i, i)
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.txt", i)), []byte(text), 0o600))
	}
	store := disk.Open(root)
	k := keeper(store, retrieve.New(retrieve.Options{}))
	require.NoError(t, k.AddFolders(t.Context(), "", "lib", library.Settings{}, []string{folder}, nil))
	_, err := k.Sync(t.Context(), "", "lib")
	require.NoError(t, err)
	require.NoError(t, store.Close())
	return filepath.Join(root, "own", "lib"), folder
}

func use(t *testing.T, root string) error {
	t.Helper()
	store := disk.Open(root)
	defer func() { _ = store.Close() }()
	if _, err := store.Entries(t.Context(), "", "lib", library.Filter{}); err != nil {
		return err
	}
	if _, err := retrieve.New(retrieve.Options{}).Retrieve(t.Context(), retrieve.Request{
		Query: "marmot meadows hay", Collections: []retrieve.Collection{library.Collection{Index: store, Library: "lib"}},
	}); err != nil {
		return err
	}
	return store.Verify(t.Context(), "", "lib")
}

// TestDamage: a segment that was cut or of which a byte was turned is named, never
// searched as if nothing had happened, and repaired from the files.
func TestDamage(t *testing.T) {
	root := t.TempDir()
	dir, _ := fill(t, root)
	require.NoError(t, use(t, root))
	segments, err := filepath.Glob(filepath.Join(dir, "segments", "*.seg"))
	require.NoError(t, err)
	require.Len(t, segments, 1)
	good, err := os.ReadFile(segments[0])
	require.NoError(t, err)
	damage := [][]byte{nil, good[:1], good[:len(good)-1], good[:len(good)/2], append(bytes.Clone(good), 0)}
	for range 150 {
		bad := bytes.Clone(good)
		bad[16+rand.IntN(len(bad)-16)] ^= byte(1 + rand.IntN(255))
		damage = append(damage, bad)
	}
	for i, bad := range damage {
		require.NoError(t, os.WriteFile(segments[0], bad, 0o600))
		require.True(t, fault.Is(use(t, root), fault.StoreDamaged), "damage %d", i)
	}
	store := disk.Open(root)
	defer func() { _ = store.Close() }()
	lost, err := store.Repair(t.Context(), "", "lib")
	require.NoError(t, err)
	require.Equal(t, 6, lost)
	out, err := keeper(store, retrieve.New(retrieve.Options{})).Sync(t.Context(), "", "lib")
	require.NoError(t, err)
	require.Equal(t, 6, out.Added)
	require.NoError(t, use(t, root))
}

// TestLeftovers: what a killed process left is not part of the library, and goes
// away with the next change.
func TestLeftovers(t *testing.T) {
	root := t.TempDir()
	dir, folder := fill(t, root)
	stray := filepath.Join(dir, "segments", "0123456789abcdef.seg")
	half := filepath.Join(dir, "tmp", "half")
	for _, path := range []string{stray, half} {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("half a segment"), 0o600))
	}
	require.NoError(t, use(t, root))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "7.txt"), []byte("The ibex climbed.\n"), 0o600))
	store := disk.Open(root)
	defer func() { _ = store.Close() }()
	_, err := keeper(store, retrieve.New(retrieve.Options{})).Sync(t.Context(), "", "lib")
	require.NoError(t, err)
	require.NoFileExists(t, stray)
	require.NoFileExists(t, half)
}

// TestDeletedBytes: of what was deleted nothing is in the library's folder.
func TestDeletedBytes(t *testing.T) {
	root := t.TempDir()
	dir, _ := fill(t, root)
	store := disk.Open(root)
	defer func() { _ = store.Close() }()
	k := keeper(store, retrieve.New(retrieve.Options{}))
	_, err := k.Put(t.Context(), "", "lib", parse.File{Name: "xylograph-secret.txt", Data: []byte("The word is quetzalcoatlite, in qwzxplatz.")}, nil)
	require.NoError(t, err)
	require.True(t, holds(t, dir, "qwzxplatz") && holds(t, dir, "xylograph"), "the test looks in the right place")
	_, err = k.Delete(t.Context(), "", "lib", "xylograph-secret.txt")
	require.NoError(t, err)
	require.False(t, holds(t, dir, "qwzxplatz"))
	require.False(t, holds(t, dir, "xylograph"))
}

func holds(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		found = found || bytes.Contains(data, []byte(text))
		return err
	}))
	return found
}

// TestMergesSmallSegments: many small changes do not leave many segments.
func TestMergesSmallSegments(t *testing.T) {
	store := disk.Open(t.TempDir())
	defer func() { _ = store.Close() }()
	k := keeper(store, retrieve.New(retrieve.Options{}))
	require.NoError(t, k.AddFolders(t.Context(), "", "lib", library.Settings{}, nil, nil))
	for i := range 30 {
		_, err := k.Put(t.Context(), "", "lib", parse.File{Name: fmt.Sprintf("%d.txt", i), Data: fmt.Appendf(nil, "Entry %d of the log of the marmots.", i)}, nil)
		require.NoError(t, err)
	}
	counts, err := store.Counts(t.Context(), "", "lib")
	require.NoError(t, err)
	require.Equal(t, 30, counts.Paths)
	require.LessOrEqual(t, counts.Segments, 9)
	require.NoError(t, store.Verify(t.Context(), "", "lib"))
}
