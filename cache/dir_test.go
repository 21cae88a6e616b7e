package cache_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/fault"
)

func open(t *testing.T, path string, o cache.Options) *cache.Dir {
	t.Helper()
	d, err := cache.OpenDir(path, o)
	require.NoError(t, err)
	return d
}

// entries lists the entry files of a store.
func entries(t *testing.T, root string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "??", "*"))
	require.NoError(t, err)
	return files
}

func TestDirOutlivesItsProcess(t *testing.T) {
	root := filepath.Join(t.TempDir(), "made", "on", "demand")
	require.NoError(t, open(t, root, cache.Options{}).Put(t.Context(), key("x"), []byte("kept")))
	got, ok, err := open(t, root, cache.Options{}).Get(t.Context(), key("x"))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "kept", string(got))
}

func TestDirIsForItsOwnerOnly(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	require.NoError(t, open(t, root, cache.Options{}).Put(t.Context(), key("x"), []byte("kept")))
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := e.Info()
		require.NoError(t, err)
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, info.Mode().Perm(), path)
		return nil
	}))
	require.Len(t, filepath.Base(entries(t, root)[0]), 32+1+16+1+64, "what it is derived from, its namespace, and the whole hash")
}

// Every way to damage an entry reads as missing, and the next Put heals it.
func TestDirHealsDamagedEntries(t *testing.T) {
	root := t.TempDir()
	d := open(t, root, cache.Options{})
	require.NoError(t, d.Put(t.Context(), key("x"), []byte("some data worth keeping")))
	path := entries(t, root)[0]
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	damaged := [][]byte{{}, append(slices.Clip(whole), 0)}
	for i := range whole {
		damaged = append(damaged, whole[:i])
		flipped := append([]byte{}, whole...)
		flipped[i] ^= 1
		damaged = append(damaged, flipped)
	}
	for _, bytes := range damaged {
		require.NoError(t, os.WriteFile(path, bytes, 0o600))
		_, ok, err := d.Get(t.Context(), key("x"))
		require.NoError(t, err)
		require.False(t, ok)
		require.Empty(t, entries(t, root), "a damaged entry is removed")
	}
	require.NoError(t, d.Put(t.Context(), key("x"), []byte("again")))
	require.Equal(t, "x", held(t, d, "x"))
}

func TestDirKnowsAnEntryUnderAnotherName(t *testing.T) {
	root := t.TempDir()
	d := open(t, root, cache.Options{})
	require.NoError(t, d.Put(t.Context(), key("x"), []byte("secret of x")))
	x := entries(t, root)[0]
	require.NoError(t, d.Put(t.Context(), key("y"), []byte("y")))
	for _, path := range entries(t, root) {
		if path != x {
			require.NoError(t, os.Rename(x, path))
		}
	}
	require.Equal(t, "-", held(t, d, "y"))
}

func TestDirEvictsWhatWasUsedLongestAgo(t *testing.T) {
	root := t.TempDir()
	d := open(t, root, cache.Options{MaxBytes: 5000})
	names := map[string]string{}
	for i, k := range []string{"a", "b", "c", "d"} {
		before := strings.Join(entries(t, root), " ")
		require.NoError(t, d.Put(t.Context(), key(k), make([]byte, 1000)))
		for _, path := range entries(t, root) {
			if !strings.Contains(before, path) {
				names[k] = path
			}
		}
		past := time.Now().Add(time.Duration(i-10) * time.Hour)
		require.NoError(t, os.Chtimes(names[k], past, past))
	}
	require.Equal(t, "a", held(t, d, "a"), "used now")
	require.NoError(t, d.Put(t.Context(), key("e"), make([]byte, 1000)))
	require.Equal(t, "a-cde", held(t, d, "a", "b", "c", "d", "e"), "a tenth below the limit")
	require.NoError(t, d.Put(t.Context(), key("f"), make([]byte, 5000)), "larger than the store")
	require.Equal(t, "-", held(t, d, "f"))

	require.Equal(t, "----e", held(t, open(t, root, cache.Options{MaxBytes: 1200}), "a", "b", "c", "d", "e"), "opening with a lower limit")
}

func TestDirSeesWhatOtherProcessesPut(t *testing.T) {
	root := t.TempDir()
	one, two := open(t, root, cache.Options{MaxBytes: 20_000}), open(t, root, cache.Options{MaxBytes: 20_000})
	for i := range 30 {
		for _, d := range []*cache.Dir{one, two} {
			require.NoError(t, d.Put(t.Context(), key(string(rune('a'+i)), d2s(d == one)), make([]byte, 1000)))
		}
	}
	var total int64
	for _, path := range entries(t, root) {
		info, err := os.Stat(path)
		require.NoError(t, err)
		total += info.Size()
	}
	require.LessOrEqual(t, total, int64(20_000+2*20_000/16+2*1080))
}

func d2s(first bool) string {
	if first {
		return "one"
	}
	return "two"
}

func TestOpenDirSaysWhatIsWrong(t *testing.T) {
	file := func(t *testing.T, path, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	dir := t.TempDir()
	file(t, filepath.Join(dir, "file"), "")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "somebodys"), 0o700))
	file(t, filepath.Join(dir, "somebodys", "thesis.md"), "")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "newer"), 0o700))
	file(t, filepath.Join(dir, "newer", "VERSION"), "inlay-cache 7\n")

	for path, reason := range map[string]string{
		"file":       "a store is a folder",
		"file/store": "a store is a folder",
		"somebodys":  "holds other files",
		"newer":      "this store has version 7 and this program knows 3",
	} {
		t.Run(path, func(t *testing.T) {
			_, err := cache.OpenDir(filepath.Join(dir, path), cache.Options{})
			require.Equal(t, fault.StoreDamaged, fault.CodeOf(err), "%v", err)
			require.ErrorContains(t, err, reason)
			require.ErrorContains(t, err, filepath.Join(dir, path))
		})
	}
}

func TestOpenDirUpgradesAndRepairs(t *testing.T) {
	for name, marker := range map[string]string{"older": "inlay-cache 1\n", "damaged": "inla", "empty": "", "odd": "inlay-cache -3"} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, open(t, root, cache.Options{}).Put(t.Context(), key("x"), []byte("old form")))
			require.NoError(t, os.WriteFile(filepath.Join(root, "VERSION"), []byte(marker), 0o600))
			d := open(t, root, cache.Options{})
			require.Equal(t, "-", held(t, d, "x"))
			require.NoError(t, d.Put(t.Context(), key("x"), []byte("new form")))
			require.Equal(t, "x", held(t, open(t, root, cache.Options{}), "x"))
		})
	}
}

func TestOpenDirRemovesAbandonedTemporaryFiles(t *testing.T) {
	root := t.TempDir()
	open(t, root, cache.Options{})
	left := filepath.Join(root, "tmp", "12345")
	require.NoError(t, os.WriteFile(left, []byte("half"), 0o600))
	open(t, root, cache.Options{})
	require.NoFileExists(t, left)
}

// TestErase: all of one namespace goes, whatever it was derived from; what nobody
// used for long goes by age; Clear leaves nothing.
func TestErase(t *testing.T) {
	of := func(namespace, of string) cache.Key { return cache.Key{Namespace: namespace, Of: of, Kind: "parse"} }
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			for _, k := range []cache.Key{of("ann", "1"), of("ann", "2"), of("bob", "1"), of("", "1")} {
				require.NoError(t, s.Put(t.Context(), k, []byte("text")))
			}
			e, ok := s.(cache.Eraser)
			require.True(t, ok)
			require.NoError(t, e.Erase(t.Context(), "ann"))
			for k, want := range map[string]bool{"ann 1": false, "ann 2": false, "bob 1": true, " 1": true} {
				namespace, content, _ := strings.Cut(k, " ")
				_, ok, err := s.Get(t.Context(), of(namespace, content))
				require.NoError(t, err)
				require.Equal(t, want, ok, k)
			}
		})
	}
	root := t.TempDir()
	dir, err := cache.OpenDir(root, cache.Options{MaxAge: time.Hour})
	require.NoError(t, err)
	require.NoError(t, dir.Put(t.Context(), of("ann", "old"), []byte("old")))
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			err = os.Chtimes(path, time.Time{}, time.Now().Add(-2*time.Hour))
		}
		return err
	}))
	require.NoError(t, dir.Put(t.Context(), of("ann", "new"), []byte("new")))
	require.NoError(t, dir.Expire())
	_, ok, _ := dir.Get(t.Context(), of("ann", "old"))
	require.False(t, ok)
	_, ok, _ = dir.Get(t.Context(), of("ann", "new"))
	require.True(t, ok)
	require.NoError(t, dir.Clear(t.Context()))
	_, ok, _ = dir.Get(t.Context(), of("ann", "new"))
	require.False(t, ok)
}
