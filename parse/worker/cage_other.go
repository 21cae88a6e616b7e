//go:build !linux

package worker

import (
	"os/exec"
	"runtime/debug"
	"syscall"
)

// lock bounds the memory that the runtime tries to keep to; there are no hard
// limits on this system.
func (c Cage) lock() error {
	debug.SetMemoryLimit(c.withDefaults().Memory * 3 / 4)
	return nil
}

func isolate(*exec.Cmd) {}

// spent reports whether the system ended the process for using up its processor
// time, which it does not bound here.
func spent(syscall.WaitStatus) bool { return false }
