package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWorkerKilled kills the process that reads a document from outside: what it
// had read is printed, and the reason is not taken for a limit.
func TestWorkerKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("finds the worker in /proc")
	}
	data, _ := hostileFile("slow.pdf")
	path := filepath.Join(t.TempDir(), "slow.pdf")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	cmd := command(t, "parse", "--parse-limits", "operations=2000000000", path)
	var out bytes.Buffer
	cmd.Stdout = &out
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var seen []string
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		seen = append(seen, lines.Text())
		if strings.Contains(lines.Text(), "(33.33%)") {
			require.NoError(t, syscall.Kill(childOf(t, cmd.Process.Pid), syscall.SIGKILL))
		}
	}
	require.NoError(t, cmd.Wait(), strings.Join(seen, "\n"))
	require.Equal(t, "Boats leave with the ebb tide.", out.String())
	require.Contains(t, strings.Join(seen, "\n"), "only 1 of 3 pages was read: its reader was killed from outside")
	require.Contains(t, strings.Join(seen, "\n"), "pages 2-3 could not be read")
}

// childOf finds the one child of a process.
func childOf(t *testing.T, parent int) (child int) {
	t.Helper()
	require.Eventually(t, func() bool {
		stats, err := filepath.Glob("/proc/[0-9]*/stat")
		require.NoError(t, err)
		for _, path := range stats {
			data, err := os.ReadFile(path)
			_, rest, _ := strings.Cut(string(data), ") ")
			var pid, of int
			var state string
			if err != nil {
				continue
			}
			if _, err := fmt.Sscan(rest, &state, &of); err != nil || of != parent {
				continue
			}
			if _, err := fmt.Sscan(string(data), &pid); err == nil {
				child = pid
				return true
			}
		}
		return false
	}, waitFor, 10*time.Millisecond)
	return child
}
