package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// waiting reports whether a pipe or file has bytes that nobody has read yet.
func waiting(f *os.File) bool {
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCINQ)
	return err == nil && n > 0
}
