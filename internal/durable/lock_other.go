//go:build !unix

package durable

import (
	"os"
	"time"
)

// lock does nothing where files have no locks that end with their process.
func lock(*os.File) {}

// unlocked takes a file that nobody wrote to for an hour for abandoned.
func unlocked(_ *os.File, age time.Duration) bool { return age > time.Hour }

// Exclude excludes nobody where files have no locks that end with their
// process: there, only one process may write.
func Exclude(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// TryExclude excludes nobody, as [Exclude].
func TryExclude(path string) (release func(), ok bool, err error) {
	release, err = Exclude(path)
	return release, err == nil, err
}
