//go:build linux

package disk_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/again"
	"inlay/library"
	"inlay/library/disk"
	"inlay/retrieve"
)

// The tests of this file start this test binary again with a task.
func TestMain(m *testing.M) {
	again.Main(m, map[string]func(string){"churn": churn})
}

const churned = 12

// churn changes, renames and removes files and syncs, round after round, and
// prints each round that is kept.
func churn(dir string) {
	ctx := context.Background()
	folder := filepath.Join(dir, "files")
	store := disk.Open(filepath.Join(dir, "libraries"))
	k := keeper(store, retrieve.New(retrieve.Options{}))
	first := 0
	if entries, err := store.Entries(ctx, "", "lib", library.Filter{}); err == nil {
		for _, e := range entries {
			first = max(first, roundOf(store, e.Path))
		}
	}
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = k.AddFolders(ctx, "", "lib", library.Settings{}, []string{folder}, nil)
	}
	for round := first + 1; err == nil; round++ {
		if err = writeRound(folder, round); err != nil {
			break
		}
		if _, err = k.Sync(ctx, "", "lib"); err == nil {
			fmt.Println("kept", round)
		}
	}
	again.Fail(err)
}

// writeRound writes each file whole, under a new name in its place.
func writeRound(folder string, round int) error {
	for i := range churned {
		text := fmt.Sprintf("round %d\n\nFile %d speaks of the marmot, of hay and of meadow number %d.\n", round, i, round*i)
		if err := os.WriteFile(filepath.Join(folder, "new"), []byte(text), 0o600); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(folder, "new"), filepath.Join(folder, fmt.Sprintf("%d.txt", i))); err != nil {
			return err
		}
	}
	moved, _ := filepath.Glob(filepath.Join(folder, "moved-*.txt"))
	for _, old := range moved {
		if err := os.Rename(old, filepath.Join(folder, fmt.Sprintf("moved-%d.txt", round))); err != nil {
			return err
		}
	}
	if len(moved) > 0 {
		return nil
	}
	return os.WriteFile(filepath.Join(folder, fmt.Sprintf("moved-%d.txt", round)), []byte("round 1000000\n\nThis one wanders.\n"), 0o600)
}

func roundOf(store *disk.Store, path string) (round int) {
	if d, err := store.Open(context.Background(), "", "lib", path); err == nil {
		_, _ = fmt.Sscanf(d.Text, "round %d", &round)
	}
	if round == 1_000_000 {
		return 0
	}
	return round
}

// TestKill: a process that syncs and merges is killed at random moments. After
// each the library opens, no document is there by half, nothing that was reported
// is lost, and the next process goes on.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	kills, kept := 60, 0
	if testing.Short() {
		kills = 15
	}
	for n := range kills {
		cmd, out := again.Start(t, "churn", dir)
		time.Sleep(time.Duration(rand.IntN(250)) * time.Millisecond)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		kept = max(kept, reported(t, out))
		checkKilled(t, dir, kept, n)
	}
	for kept == 0 { // on a machine too busy for any round to end in time
		cmd, out := again.Start(t, "churn", dir)
		time.Sleep(5 * time.Second)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		kept = reported(t, out)
	}
	store := disk.Open(filepath.Join(dir, "libraries"))
	defer func() { _ = store.Close() }()
	require.NoError(t, writeRound(filepath.Join(dir, "files"), kept+1000))
	_, err := keeper(store, retrieve.New(retrieve.Options{})).Sync(t.Context(), "", "lib")
	require.NoError(t, err)
	entries, err := store.Entries(t.Context(), "", "lib", library.Filter{Paths: []string{"[0-9]*.txt"}})
	require.NoError(t, err)
	require.Len(t, entries, churned)
	for _, e := range entries {
		require.Equal(t, kept+1000, roundOf(store, e.Path), e.Path)
	}
}

// reported is the last round that a process kept.
func reported(t *testing.T, out *bytes.Buffer) (last int) {
	t.Helper()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var n int
		require.NotContains(t, lines.Text(), "error")
		if _, err := fmt.Sscanf(lines.Text(), "kept %d", &n); err == nil {
			last = max(last, n)
		}
	}
	return last
}

func checkKilled(t *testing.T, dir string, kept, n int) {
	t.Helper()
	store := disk.Open(filepath.Join(dir, "libraries"))
	defer func() { _ = store.Close() }()
	names, err := store.Libraries(t.Context(), "")
	require.NoError(t, err)
	if len(names) == 0 {
		require.Zero(t, kept, "kill %d", n)
		return
	}
	require.NoError(t, store.Verify(t.Context(), "", "lib"), "kill %d", n)
	entries, err := store.Entries(t.Context(), "", "lib", library.Filter{})
	require.NoError(t, err)
	if kept == 0 {
		return
	}
	have := 0
	for _, e := range entries {
		d, err := store.Open(t.Context(), "", "lib", e.Path)
		require.NoError(t, err)
		if round := roundOf(store, e.Path); round > 0 {
			have++
			require.GreaterOrEqual(t, round, kept, "kill %d: %s", n, e.Path)
			require.Contains(t, d.Text, "of hay and of meadow number")
		}
	}
	require.Equal(t, churned, have, "kill %d", n)
}

// TestHalfMade: a library whose process ended before its settings were kept is
// none, and can be made.
func TestHalfMade(t *testing.T) {
	dir := t.TempDir()
	store := disk.Open(dir)
	defer func() { _ = store.Close() }()
	require.NoError(t, store.Configure(t.Context(), "", "lib", library.Settings{}))
	_, err := store.Settings(t.Context(), "", "lib")
	require.True(t, fault.Is(err, fault.FileNotFound))
	names, err := store.Libraries(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, names)
	k := keeper(store, retrieve.New(retrieve.Options{}))
	require.NoError(t, k.AddFolders(t.Context(), "", "lib", library.Settings{}, []string{t.TempDir()}, nil))
	_, err = k.Sync(t.Context(), "", "lib")
	require.NoError(t, err)
}
