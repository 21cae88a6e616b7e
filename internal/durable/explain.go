package durable

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"inlay/fault"
)

// Explain turns a failure of the file system into a fault with the path and
// what to do about it. A context that ended, and a fault, stay as they are.
func Explain(path string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	e := &fault.Error{Code: fault.FileUnreadable, Subject: path, Err: err}
	switch {
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		e.Code, e.Reason, e.Next = fault.StoreDamaged, "a store is a folder, and this path leads through a file", "name a folder"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Reason, e.Next = "the store cannot be read and written", "change its permissions or name another folder"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		e.Reason, e.Next = "there is no room left for the store", "free some space or name a folder on another disk"
	default:
		e.Reason, e.Next = "the store could not be used: "+cause(err), "check the disk or name another folder"
	}
	return e
}

// cause is the innermost reason of a file system's error, without the path.
func cause(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}
