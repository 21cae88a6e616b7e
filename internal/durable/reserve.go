package durable

import (
	"errors"
	"os"
	"sync"
	"syscall"
)

// Reserve is room on a disk that is given up when there is no other left, so
// that something can be deleted.
type Reserve struct {
	Path string // of the file that takes the room
	Size int64  // in bytes

	mu sync.Mutex
}

// Hold takes the room, unless it is taken or the disk is nearly full.
func (r *Reserve) Hold() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if info, err := os.Stat(r.Path); err == nil && info.Size() == r.Size {
		return nil
	}
	if Low(r.Path) {
		return syscall.ENOSPC
	}
	f, err := os.OpenFile(r.Path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(allocate(f, r.Size), f.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(r.Path))
	}
	return err
}

// Release gives the room up.
func (r *Reserve) Release() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return os.Remove(r.Path)
}
