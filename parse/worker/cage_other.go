//go:build !linux

package worker

import (
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"
)

// lock bounds the memory that the runtime tries to keep to; there are no hard
// limits on this system.
func (c cage) lock() error {
	debug.SetMemoryLimit(c.memory * 3 / 4)
	return nil
}

// used is the processor time that this process has used, which nothing bounds here.
func used() time.Duration { return 0 }

func isolate(*exec.Cmd) {}

func detach(*exec.Cmd) {}

// starved reports whether the runtime said that it ended for want of memory.
func (cage) starved(_ *os.ProcessState, words string) bool {
	return strings.Contains(words, "out of memory")
}

// spent reports whether the system ended the process for using up its processor
// time, which it does not bound here.
func (cage) spent(*os.ProcessState, string) bool { return false }

// killed reports whether a process was ended from outside, which cannot be told here.
func killed(*os.ProcessState) bool { return false }

// self is the running program.
func self() (string, error) { return os.Executable() }
