//go:build linux

// Package again runs a test binary a second time, as a process that a test may
// kill or leave without room.
package again

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the second process finds in its environment.
const taskName, taskDir = "INLAY_TEST_TASK", "INLAY_TEST_DIR"

// Main runs the tests, or in a process of [Start] its task; a package's TestMain
// calls it.
func Main(m *testing.M, tasks map[string]func(dir string)) {
	name := os.Getenv(taskName)
	if name == "" {
		os.Exit(m.Run())
	}
	tasks[name](os.Getenv(taskDir))
}

// Start starts a task on a folder. What it prints can be read once it has ended.
func Start(t *testing.T, task, dir string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), taskName+"="+task, taskDir+"="+dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	return cmd, &out
}

// Fail ends a task with an error.
func Fail(err error) {
	fmt.Println("error", err)
	os.Exit(1)
}

// LimitFiles lets a task write files of so many bytes; the write that goes past
// fails in its middle, as on a full disk.
func LimitFiles(bytes uint64) error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
