package durable

import (
	"os"
	"syscall"
)

// Free is how many bytes may still be written to the file system of path; ok is
// false where that cannot be known.
func Free(path string) (bytes int64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * s.Bsize, true
}

// allocate gives a file its blocks.
func allocate(f *os.File, size int64) error { return syscall.Fallocate(int(f.Fd()), 0, 0, size) }
