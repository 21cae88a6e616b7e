package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// command is this test's own binary running as inlay, far from any
// configuration of the person who runs the test.
func command(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	dir := tb.TempDir()
	self, err := os.Executable()
	require.NoError(tb, err)
	bin := filepath.Join(dir, "inlay")
	require.NoError(tb, os.Symlink(self, bin))
	cmd := exec.CommandContext(tb.Context(), bin, args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir, "XDG_CACHE_HOME=" + os.DevNull} // no folder: nothing is compiled ahead
	if heaps := os.Getenv(heapVariable); heaps != "" {
		cmd.Env = append(cmd.Env, heapVariable+"="+heaps)
	}
	return cmd
}

// bigText writes a document that takes a while to make searchable.
func bigText(t *testing.T, megabytes int) string {
	t.Helper()
	var b bytes.Buffer
	for i := 0; b.Len() < megabytes<<20; i++ {
		for _, w := range []int{i, i / 3, i / 7, i / 11, i * 31} {
			b.WriteString(numeral(w) + " ")
		}
		b.WriteString("tides rise over the harbour.\n\n")
	}
	path := filepath.Join(t.TempDir(), "big.txt")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// numeral spells a number in letters, so that texts have many words.
func numeral(n int) string {
	word := []byte{}
	for ; n > 0; n /= 26 {
		word = append(word, byte('a'+n%26))
	}
	return string(word)
}

// TestInterrupt sends SIGINT while a document is being embedded: the command
// ends with 130 and the store holds nothing of it.
func TestInterrupt(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	history := filepath.Join(t.TempDir(), "chat.json")
	cmd := command(t, "ask", "-f", bigText(t, 16), "--store", store, "--history", history, "--context-length", "4096", "when do tides rise?")
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	interrupted := false
	var seen []string
	for lines.Scan() {
		seen = append(seen, lines.Text())
		if !interrupted && (strings.Contains(lines.Text(), "Chunking ") || strings.Contains(lines.Text(), "Embedding ")) {
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			interrupted = true
		}
	}
	err = cmd.Wait()
	require.True(t, interrupted, strings.Join(seen, "\n"))
	exit, ok := errors.AsType[*exec.ExitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 130, exit.ExitCode(), strings.Join(seen, "\n"))
	require.Equal(t, "inlay: canceled", seen[len(seen)-1])
	require.NoFileExists(t, history)
	require.LessOrEqual(t, len(entries(t, store)), 1, "nothing but the parse, which was whole before the interrupt")
}

// entries are the files of a store other than its own marker and lock.
func entries(t *testing.T, store string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(store, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Dir(path) != store {
			out = append(out, path)
		}
		return err
	})
	require.NoError(t, err)
	return out
}

// TestLiveTree runs the command on a pseudo-terminal: statuses are redrawn in
// place there, and stdout stays clean.
func TestLiveTree(t *testing.T) {
	cmd := command(t, "ask", "-f", bigText(t, 1), "--context-length", "4096", "--output", "prompt", "when do tides rise?")
	terminal, tty, err := pty.Open()
	require.NoError(t, err)
	defer func() { _ = terminal.Close() }()
	require.NoError(t, pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 60}))
	var stdout bytes.Buffer
	cmd.Stderr, cmd.Stdout = tty, &stdout
	require.NoError(t, cmd.Start())
	require.NoError(t, tty.Close())
	screen, _ := io.ReadAll(terminal) // the terminal's end is an error on Linux
	require.NoError(t, cmd.Wait(), "%s", screen)
	require.Contains(t, string(screen), "\x1b[K")
	require.Regexp(t, `\x1b\[\d+A`, string(screen), "drawn over")
	require.Regexp(t, `✓ Retrieved \d relevant citations for user query`, string(screen))
	require.Contains(t, string(screen), "✓ Processed big.txt for retrieval")
	require.NotContains(t, stdout.String(), "\x1b")
	require.True(t, strings.HasPrefix(stdout.String(), "You see "))
	for line := range strings.SplitSeq(string(screen), "\r\n") {
		_, text, _ := strings.Cut(line, "\x1b[K")
		require.LessOrEqual(t, len([]rune(text)), 60, "no line wraps")
	}
}
