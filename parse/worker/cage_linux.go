package worker

import (
	"fmt"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// lock puts the limits on this process: processor time, memory, no file
// written, no core dump. They cannot be raised again.
func (c Cage) lock() error {
	c = c.withDefaults()
	signal.Ignore(syscall.SIGXFSZ) // writing a file is an error, not the end
	debug.SetMemoryLimit(c.Memory * 3 / 4)
	seconds := uint64(max(c.CPU.Seconds(), 1))
	for resource, limit := range map[int]uint64{
		syscall.RLIMIT_CPU:   seconds,
		syscall.RLIMIT_DATA:  uint64(c.Memory),
		syscall.RLIMIT_FSIZE: 0,
		syscall.RLIMIT_CORE:  0,
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit the worker's resource %d: %w", resource, err)
		}
	}
	return nil
}

// isolate makes the worker die with its supervisor and takes it out of the
// terminal's process group, so that Ctrl-C reaches the supervisor alone.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// spent reports whether the process was ended for using up its processor time.
func spent(state syscall.WaitStatus) bool {
	return state.Signaled() && (state.Signal() == syscall.SIGXCPU || state.Signal() == syscall.SIGKILL)
}
