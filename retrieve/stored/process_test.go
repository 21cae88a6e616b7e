//go:build linux

package stored_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/internal/again"
	"inlay/retrieve/chromem"
	"inlay/retrieve/retrievetest"
	"inlay/retrieve/stored"
)

// The tests of this file start this test binary again with a task.
func TestMain(m *testing.M) {
	again.Main(m, map[string]func(string){"write": writeForever, "overflow": overflow})
}

const chunksEach = 40

// writeForever adds files two at a time and prints their number once they are
// stored; every fifth pair is deleted again, which it prints too.
func writeForever(dir string) {
	ctx := context.Background()
	x, err := stored.Open(ctx, dir, "embedder 1", chromem.New())
	for i := 0; err == nil; i++ {
		a, b := pair(i)
		chunks := append(retrievetest.Chunks(a, chunksEach), retrievetest.Chunks(b, chunksEach)...)
		if err = x.Add(ctx, chunks, retrievetest.Random(uint64(i), 2*chunksEach, 8)); err != nil {
			break
		}
		fmt.Println("added", i)
		if i%5 == 4 {
			if err = x.Delete(ctx, a, b); err == nil {
				fmt.Println("deleted", i)
			}
		}
	}
	again.Fail(err)
}

// pair names the two files that a process adds together.
func pair(i int) (a, b string) {
	return fmt.Sprintf("%d-%d-a", os.Getpid(), i), fmt.Sprintf("%d-%d-b", os.Getpid(), i)
}

// Writers are killed at 60 random moments. Afterwards the index opens, no pair
// of files is there by half, and all that was reported is so.
func TestIndexSurvivesKill(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	stored := 0
	for range 15 {
		dir := t.TempDir()
		for range 2 {
			one, out1 := again.Start(t, "write", dir)
			two, out2 := again.Start(t, "write", dir)
			for _, cmd := range []*exec.Cmd{one, two} {
				time.Sleep(time.Duration(r.IntN(30_000)) * time.Microsecond)
				require.NoError(t, cmd.Process.Kill())
				_ = cmd.Wait()
			}
			x := open(t, dir)
			there := map[string]bool{}
			for _, f := range x.Files() {
				there[f] = true
				other := f[:len(f)-1] + map[string]string{"a": "b", "b": "a"}[f[len(f)-1:]]
				require.Equal(t, 2*chunksEach, held(t, x, f, other), "%s is there by half", f)
			}
			stored += checkReported(t, there, one.Process.Pid, out1) + checkReported(t, there, two.Process.Pid, out2)
		}
	}
	require.Positive(t, stored, "no writer lived long enough to store anything")
}

func checkReported(t *testing.T, there map[string]bool, pid int, out *bytes.Buffer) (n int) {
	t.Helper()
	want := map[string]bool{}
	last := ""
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		require.False(t, strings.HasPrefix(lines.Text(), "error"), lines.Text())
		var what string
		var i int
		if _, err := fmt.Sscanf(lines.Text(), "%s %d", &what, &i); err != nil {
			continue
		}
		last = fmt.Sprintf("%d-%d-a", pid, i)
		want[last] = what == "added"
		n++
	}
	for file, is := range want {
		if file != last { // the last may have been deleted without a word
			require.Equal(t, is, there[file], file)
		}
	}
	return n
}

// overflow adds more than the process may write.
func overflow(dir string) {
	ctx := context.Background()
	x, err := stored.Open(ctx, dir, "embedder 1", chromem.New())
	if err == nil {
		err = x.Add(ctx, retrievetest.Chunks("a", 10), retrievetest.Random(1, 10, 8))
	}
	if err == nil {
		err = again.LimitFiles(1 << 14)
	}
	if err != nil {
		again.Fail(err)
	}
	fmt.Println(x.Add(ctx, retrievetest.Chunks("b", 1000), retrievetest.Random(1, 1000, 8)))
	fmt.Println(x.Files())
}

func TestIndexSaysWhenThereIsNoRoom(t *testing.T) {
	dir := t.TempDir()
	cmd, out := again.Start(t, "overflow", dir)
	require.NoError(t, cmd.Wait(), out.String())
	require.Contains(t, out.String(), "there is no room left for the store (free some space")
	require.Contains(t, out.String(), "[a]")
	x := open(t, dir)
	require.False(t, x.Damaged(), "what was half written was taken back")
	require.Equal(t, 10, held(t, x))
}
