package stored_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/fault"
	"inlay/retrieve"
	"inlay/retrieve/chromem"
	"inlay/retrieve/retrievetest"
	"inlay/retrieve/stored"
)

func open(t *testing.T, dir string) *stored.Index {
	t.Helper()
	x, err := stored.Open(t.Context(), dir, "embedder 1", chromem.New())
	require.NoError(t, err)
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func logPath(dir string) string { return filepath.Join(dir, "vectors.inlay") }

// addFile adds n chunks of a file.
func addFile(t *testing.T, x *stored.Index, file string, n int) {
	t.Helper()
	require.NoError(t, x.Add(t.Context(), retrievetest.Chunks(file, n), retrievetest.Random(1, n, 8)))
}

// held is how many chunks of the files a search finds.
func held(t *testing.T, x retrieve.Index, files ...string) int {
	t.Helper()
	matches, err := x.Search(t.Context(), retrieve.Query{Vector: retrievetest.Random(2, 1, 8)[0], Limit: 10_000, Files: files})
	require.NoError(t, err)
	return len(matches)
}

func TestOpenRefusesWhatItMustNotRead(t *testing.T) {
	dir := t.TempDir()
	addFile(t, open(t, dir), "a", 3)

	_, err := stored.Open(t.Context(), dir, "embedder 2", chromem.New())
	require.Equal(t, fault.EmbedderMismatch, fault.CodeOf(err))
	require.ErrorContains(t, err, `made with "embedder 1", not with "embedder 2"`)
	require.Equal(t, 3, held(t, open(t, dir), "a"), "refusing changes nothing")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = stored.Open(t.Context(), file, "embedder 1", chromem.New())
	require.Equal(t, fault.StoreDamaged, fault.CodeOf(err), "%v", err)
	require.ErrorContains(t, err, file)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = stored.Open(ended, filepath.Join(dir, "never"), "embedder 1", chromem.New())
	require.ErrorIs(t, err, context.Canceled)
	require.NoDirExists(t, filepath.Join(dir, "never"))
}

// Wherever the log is cut, the index opens, and holds the files that were
// wholly written before.
func TestOpenReadsALogThatWasCut(t *testing.T) {
	dir := t.TempDir()
	x := open(t, dir)
	ends := []int64{size(t, dir)}
	for _, file := range []string{"a", "b", "c"} {
		addFile(t, x, file, 2)
		ends = append(ends, size(t, dir))
	}
	whole, err := os.ReadFile(logPath(dir))
	require.NoError(t, err)
	for cut := 0; cut <= len(whole); cut += 3 {
		want := 0
		for _, end := range ends[1:] {
			if int64(cut) >= end {
				want++
			}
		}
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(logPath(dir), whole[:cut], 0o600))
		x := open(t, dir)
		require.Equal(t, []string{"a", "b", "c"}[:want], append([]string{}, x.Files()...), "cut at %d", cut)
		addFile(t, x, "d", 2)
		require.Equal(t, 2*want+2, held(t, open(t, dir)), "and goes on")
	}
}

func size(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(logPath(dir))
	require.NoError(t, err)
	return info.Size()
}

func TestOpenGivesUpWhatIsDamaged(t *testing.T) {
	dir := t.TempDir()
	x := open(t, dir)
	addFile(t, x, "a", 2)
	end := size(t, dir)
	addFile(t, x, "b", 2)
	addFile(t, x, "c", 2)
	require.False(t, x.Damaged())
	whole, err := os.ReadFile(logPath(dir))
	require.NoError(t, err)
	for at := 0; at < len(whole); at += 7 {
		dir := t.TempDir()
		bytes := append([]byte{}, whole...)
		bytes[at] ^= 0x10
		require.NoError(t, os.WriteFile(logPath(dir), bytes, 0o600))
		x := open(t, dir)
		require.True(t, x.Damaged(), "at %d", at)
		if int64(at) >= end {
			require.Contains(t, x.Files(), "a")
		}
		addFile(t, x, "b", 2)
		require.Equal(t, 2, held(t, open(t, dir), "b"), "added again")
	}
}

// Two indexes of one folder stand for two processes: each has its own lock and
// its own memory.
func TestIndexSharesItsFolder(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir), open(t, dir)
	addFile(t, one, "a", 3)
	require.Equal(t, 3, held(t, two))
	addFile(t, two, "b", 4)
	require.Equal(t, 7, held(t, one))
	require.NoError(t, one.Delete(t.Context(), "a"))
	require.Equal(t, 4, held(t, two))
	require.Equal(t, []string{"b"}, two.Files())

	err := two.Add(t.Context(), retrievetest.Chunks("c", 1), []embed.Vector{retrievetest.Unit(1, 0)})
	require.Equal(t, fault.EmbedderMismatch, fault.CodeOf(err), "the other's vectors decide the length")
	require.NoError(t, one.Delete(t.Context(), "b"))
	require.NoError(t, two.Add(t.Context(), retrievetest.Chunks("c", 1), []embed.Vector{retrievetest.Unit(1, 0)}))
}

// What is replaced again and again does not make the log grow without end, and
// another process follows when it is written again.
func TestLogIsWrittenAnew(t *testing.T) {
	dir := t.TempDir()
	other := open(t, dir)
	x := open(t, dir)
	addFile(t, x, "kept", 20)
	record := size(t, dir)
	for range 30 {
		addFile(t, x, "again", 100)
	}
	addFile(t, x, "gone", 5)
	require.NoError(t, x.Delete(t.Context(), "gone"))
	require.Less(t, size(t, dir), 75*record, "of 30 times 100 chunks, those of ten at most are in it")
	for _, index := range []*stored.Index{x, other, open(t, dir)} {
		require.Equal(t, 120, held(t, index))
		require.Equal(t, 0, held(t, index, "gone"))
	}
	addFile(t, other, "more", 5)
	require.Equal(t, 125, held(t, x))
	left, err := filepath.Glob(filepath.Join(dir, "tmp", "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestIndexIsForItsOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	addFile(t, open(t, dir), "a", 1)
	for name, want := range map[string]os.FileMode{"": 0o700, "vectors.inlay": 0o600, "LOCK": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm(), name)
	}
}
