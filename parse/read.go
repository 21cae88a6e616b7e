package parse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"inlay/fault"
)

// ReadFile reads a file to be parsed. Failures name the path: not there
// (fault.FileNotFound), a folder, a device, a pipe or not permitted
// (fault.FileUnreadable), larger than the limit for plain text, the largest one
// there is (fault.FileTooLarge).
func ReadFile(ctx context.Context, path string, limits Limits) (File, error) {
	limit := limits.WithDefaults().PlainText
	if err := ctx.Err(); err != nil {
		return File{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return File{}, unreadable(path, err)
	}
	if err := regular(path, info); err != nil {
		return File{}, err
	}
	if info.Size() > limit {
		return File{}, tooLarge(path, limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return File{}, unreadable(path, err)
	}
	defer func() { _ = f.Close() }()
	file, err := ReadFrom(ctx, filepath.Base(path), f, limits)
	if err != nil {
		return File{}, err
	}
	file.Path = path
	return file, nil
}

// regular refuses what is not a plain file: reading a pipe or device may never end.
func regular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return &fault.Error{Code: fault.FileUnreadable, Subject: path, Reason: "it is a folder", Next: "name the files in it"}
	}
	return &fault.Error{Code: fault.FileUnreadable, Subject: path, Reason: "it is not a regular file", Next: "save its content to a file, or pipe it to standard input"}
}

func unreadable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &fault.Error{Code: fault.FileNotFound, Subject: path, Reason: "there is no such file", Next: "check the path", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &fault.Error{Code: fault.FileUnreadable, Subject: path, Reason: "no permission to read it", Next: "check the file's permissions", Err: err}
	}
	return &fault.Error{Code: fault.FileUnreadable, Subject: path, Reason: "it cannot be read", Next: "check the path and the disk", Err: err}
}

// ReadFrom takes a file's bytes from r, at most the limit for plain text. Between
// reads it stops when ctx ends.
func ReadFrom(ctx context.Context, name string, r io.Reader, limits Limits) (File, error) {
	limit := limits.WithDefaults().PlainText
	data, err := io.ReadAll(io.LimitReader(reader{ctx, r}, limit+1))
	switch {
	case ctx.Err() != nil:
		return File{}, fmt.Errorf("reading %s: %w", name, ctx.Err())
	case err != nil:
		return File{}, unreadable(name, err)
	case int64(len(data)) > limit:
		return File{}, tooLarge(name, limit)
	}
	return File{Name: name, Data: data}, nil
}

// reader ends with its context.
type reader struct {
	ctx context.Context //nolint:containedctx // lives for one call of ReadFrom
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
