//go:build linux

package cache_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/fault"
	"inlay/internal/again"
)

// The tests of this file start this test binary again with a task.
func TestMain(m *testing.M) {
	again.Main(m, map[string]func(string){"write": writeForever, "nobody": openAsNobody, "overflow": overflow})
}

// written is the data of the i-th entry: of a size and with bytes that follow
// from its number.
func written(i int) []byte {
	sum := sha256.Sum256(strconv.AppendInt(nil, int64(i), 10))
	return bytes.Repeat(sum[:], 1+int(sum[0])*20)
}

// writeForever puts entries and prints the number of each once it is stored.
func writeForever(dir string) {
	d, err := cache.OpenDir(dir, cache.Options{})
	if err != nil {
		again.Fail(err)
	}
	for i := 0; ; i = (i + 1) % 50 {
		if err := d.Put(context.Background(), key(strconv.Itoa(i)), written(i)); err != nil {
			again.Fail(err)
		}
		fmt.Println(i)
	}
}

// Two writers are killed at 60 random moments. Afterwards every entry that was
// reported as stored is there and whole, no entry is damaged and no temporary
// file is left.
func TestDirSurvivesKill(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	r := rand.New(rand.NewPCG(1, 2))
	stored := 0
	for range 30 {
		one, out1 := again.Start(t, "write", root)
		two, out2 := again.Start(t, "write", root)
		for _, cmd := range []*exec.Cmd{one, two} {
			time.Sleep(time.Duration(r.IntN(25_000)) * time.Microsecond)
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
		}
		d := open(t, root, cache.Options{})
		for _, out := range []*bytes.Buffer{out1, out2} {
			stored += checkStored(t, d, out)
		}
		before := len(entries(t, root))
		for i := range 50 {
			if got, ok, err := d.Get(t.Context(), key(strconv.Itoa(i))); ok {
				require.NoError(t, err)
				require.True(t, bytes.Equal(written(i), got))
			}
		}
		require.Len(t, entries(t, root), before, "a damaged entry was found and removed")
		left, err := filepath.Glob(filepath.Join(root, "tmp", "*"))
		require.NoError(t, err)
		require.Empty(t, left)
	}
	require.Positive(t, stored, "no writer lived long enough to store anything")
}

// checkStored looks up every entry a writer reported and returns how many it did.
func checkStored(t *testing.T, d *cache.Dir, out *bytes.Buffer) (n int) {
	t.Helper()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		require.NotContains(t, lines.Text(), "error")
		i, err := strconv.Atoi(lines.Text())
		if err != nil { // cut by the kill
			continue
		}
		got, ok, err := d.Get(t.Context(), key(strconv.Itoa(i)))
		require.NoError(t, err)
		require.True(t, ok, "entry %d was stored and is gone", i)
		require.True(t, bytes.Equal(written(i), got))
		n++
	}
	return n
}

// overflow puts an entry larger than the process may write, which fails as a
// full disk does: in the middle.
func overflow(dir string) {
	d, err := cache.OpenDir(dir, cache.Options{})
	if err == nil {
		if err := again.LimitFiles(1 << 20); err != nil {
			again.Fail(err)
		}
		err = d.Put(context.Background(), key("big"), make([]byte, 3<<20))
	}
	fmt.Println(fault.CodeOf(err), err)
}

func TestDirSaysWhenThereIsNoRoom(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	cmd, out := again.Start(t, "overflow", root)
	require.NoError(t, cmd.Wait(), out.String())
	require.True(t, strings.HasPrefix(out.String(), string(fault.FileUnreadable)), out.String())
	require.Contains(t, out.String(), "there is no room left for the store (free some space")
	require.Contains(t, out.String(), root)
	left, err := filepath.Glob(filepath.Join(root, "tmp", "*"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.Empty(t, entries(t, root))
}

// openAsNobody gives up root's right to write everywhere and opens a store.
func openAsNobody(dir string) {
	if os.Getuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			again.Fail(err)
		}
	}
	_, err := cache.OpenDir(dir, cache.Options{})
	fmt.Println(fault.CodeOf(err), err)
}

func TestDirSaysWhenItMayNotWrite(t *testing.T) {
	parent := t.TempDir()
	require.NoError(t, os.Chmod(parent, 0o555))
	cmd, out := again.Start(t, "nobody", filepath.Join(parent, "store"))
	require.NoError(t, cmd.Wait(), out.String())
	require.True(t, strings.HasPrefix(out.String(), string(fault.FileUnreadable)), out.String())
	require.Contains(t, out.String(), "change its permissions or name another folder")
}
