package worker

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

// lock puts the limits on this process: processor time, memory, no file
// written, no core dump. They cannot be raised again.
func (c cage) lock() error {
	signal.Ignore(syscall.SIGXFSZ) // writing a file is an error, not the end
	debug.SetMemoryLimit(c.memory * 3 / 4)
	endWhenSpent()
	cpu := seconds(c.cpu)
	limits := map[int]syscall.Rlimit{
		syscall.RLIMIT_CPU:   {Cur: cpu, Max: cpu + 2}, // a signal to handle, then the end
		syscall.RLIMIT_FSIZE: {},
		syscall.RLIMIT_CORE:  {},
	}
	if !raced {
		limits[syscall.RLIMIT_DATA] = syscall.Rlimit{Cur: uint64(c.memory), Max: uint64(c.memory)}
	}
	for resource, limit := range limits {
		if err := syscall.Setrlimit(resource, &limit); err != nil {
			return fmt.Errorf("limit the worker's resource %d: %w", resource, err)
		}
	}
	return nil
}

// used is the processor time that this process has used.
func used() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return spentBefore // not known: as good as spent
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// seconds is a limit of processor time as the system takes it.
func seconds(cpu time.Duration) uint64 { return uint64(max(cpu.Seconds(), 1)) }

// isolate makes the worker die with its supervisor and takes it out of the
// terminal's process group, so that Ctrl-C reaches the supervisor alone.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// detach takes a process out of the terminal's session, and leaves it alive.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// spentWords is what a worker says when its processor time is used up.
const spentWords = "processor time is used up"

// endWhenSpent ends this process with words of its own when its processor time
// is used up. Should it no longer come to that, the system kills it soon after.
func endWhenSpent() {
	spent := make(chan os.Signal, 1)
	signal.Notify(spent, syscall.SIGXCPU)
	go func() {
		<-spent
		fmt.Fprintln(os.Stderr, spentWords)
		os.Exit(1)
	}()
}

// starved reports whether a process ended for want of memory: the runtime said
// so, could not get the stack of one more thread, or fell in its own code
// (goroutine 0) when the process had held half its limit. The peak counts the
// supervisor's own from before the start, so it proves nothing by itself.
func (c cage) starved(state *os.ProcessState, words string) bool {
	for _, sign := range []string{"out of memory", "cannot allocate memory", "pthread_create failed", "failed to create new OS thread"} {
		if strings.Contains(words, sign) {
			return true
		}
	}
	usage, ok := state.SysUsage().(*syscall.Rusage)
	return ok && strings.Contains(words, "goroutine 0 ") && usage.Maxrss<<10 >= c.memory/2
}

// spent reports whether a process was ended for using up its processor time: it
// said so, or it was killed and had used about as much.
func (c cage) spent(state *os.ProcessState, words string) bool {
	used, limit := state.UserTime()+state.SystemTime(), time.Duration(seconds(c.cpu))*time.Second
	return strings.Contains(words, spentWords) || killed(state) && used >= limit*9/10
}

// killed reports whether a process was ended from outside: by a person, by the
// system short of memory, or for its processor time.
func killed(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// self is the running program, also after its file was replaced.
func self() (string, error) {
	const link = "/proc/self/exe"
	if _, err := os.Stat(link); err == nil {
		return link, nil
	}
	return os.Executable()
}
