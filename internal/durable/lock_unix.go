//go:build unix

package durable

import (
	"os"
	"syscall"
	"time"
)

// lock marks a file as being written by this process. The kernel takes the
// mark away when the process ends, however it ends.
func lock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// unlocked reports whether nobody is writing a file that is age old.
func unlocked(f *os.File, _ time.Duration) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Exclude waits until no other process holds the lock file at path, and holds
// it until release is called or the process ends.
func Exclude(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR { //nolint:errorlint // a plain number
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// TryExclude holds the lock file at path until release is called or the
// process ends. ok is false if another process holds it.
func TryExclude(path string) (release func(), ok bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if err == syscall.EWOULDBLOCK {
			err = nil
		}
		return nil, false, err
	}
	return func() { _ = f.Close() }, true, nil
}
