package builtin

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"inlay/fault"
)

// OpenUnder reads files that lie under one of the given folders, by their
// absolute path or relative to the working directory. Links are followed as long
// as they stay inside the folder (SEC-2). A folder that is itself a link may be
// named by either path; an empty one allows nothing.
//
// The function returned fails with a *fault.Error: file_unreadable, which wraps
// fs.ErrPermission for what lies outside or is denied by the system,
// file_not_found or file_too_large (above 256 MiB). It is safe for concurrent use.
func OpenUnder(roots ...string) func(ctx context.Context, path string) ([]byte, error) {
	return func(ctx context.Context, name string) ([]byte, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, root := range roots {
			if rel, ok := under(root, name); ok {
				return readUnder(root, rel)
			}
		}
		return nil, outside(name)
	}
}

func outside(name string) error {
	return &fault.Error{
		Code: fault.FileUnreadable, Subject: path.Base(filepath.ToSlash(name)), Reason: "it lies outside of the folders that may be read",
		Next: "attach it, or allow its folder", Err: fs.ErrPermission,
	}
}

// under returns the path of name relative to root, if it lies below root by
// their absolute paths or by what those resolve to.
func under(root, name string) (rel string, ok bool) {
	if root == "" || name == "" {
		return "", false
	}
	base, err := filepath.Abs(root)
	if err != nil {
		return "", false
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return "", false
	}
	if rel, ok = below(base, full); ok {
		return rel, true
	}
	realBase, err := filepath.EvalSymlinks(base)
	if err != nil {
		return "", false
	}
	if rel, ok = below(realBase, full); ok {
		return rel, true
	}
	realFull, err := filepath.EvalSymlinks(full)
	if err != nil {
		return "", false
	}
	return below(realBase, realFull)
}

func below(base, full string) (rel string, ok bool) {
	rel, err := filepath.Rel(base, full)
	return rel, err == nil && filepath.IsLocal(rel)
}

// maxSelected bounds one selected file; parsers have tighter limits of their own.
const maxSelected = 256 << 20

// readUnder reads a regular file; others, such as pipes, could block forever.
func readUnder(root, rel string) ([]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, unreadable(rel, err)
	}
	defer func() { _ = dir.Close() }()
	if info, err := dir.Stat(rel); err != nil || !info.Mode().IsRegular() {
		if err != nil && leaves(root, rel) {
			return nil, outside(rel)
		}
		return nil, unreadable(rel, errors.Join(err, fs.ErrInvalid))
	}
	f, err := dir.Open(rel)
	if err != nil {
		return nil, unreadable(rel, err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSelected+1))
	if err != nil {
		return nil, unreadable(rel, err)
	}
	if len(data) > maxSelected {
		return nil, &fault.Error{Code: fault.FileTooLarge, Subject: filepath.Base(rel), Reason: "it is larger than 256 MiB", Next: "select a smaller one"}
	}
	return data, nil
}

// leaves reports whether links lead from rel out of root. It only names a
// failure: what may be opened is decided by os.Root.
func leaves(root, rel string) bool {
	base, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	full, err := filepath.EvalSymlinks(filepath.Join(base, rel))
	if err != nil {
		return false
	}
	_, ok := below(base, full)
	return !ok
}

func unreadable(rel string, err error) error {
	code := fault.FileUnreadable
	if errors.Is(err, fs.ErrNotExist) {
		code = fault.FileNotFound
	}
	return &fault.Error{Code: code, Subject: filepath.Base(rel), Reason: "it cannot be read", Next: "check that it exists, is a file and may be read", Err: err}
}
