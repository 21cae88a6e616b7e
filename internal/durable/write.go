// Package durable writes files that are whole or not there, whatever kills the
// writer, and explains what went wrong with a folder.
package durable

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Temporary is the folder, inside a root, of files being written.
const Temporary = "tmp"

// piece is how much is written between two looks at the context.
const piece = 1 << 20

// Write makes the file at path hold the parts, one after the other, or leaves
// it as it was. The parts go to a temporary file below root, are forced to disk
// and renamed. Folders that are missing are made; files and folders are for
// their owner only.
func Write(ctx context.Context, root, path string, parts ...[]byte) error {
	err := writeOnce(ctx, root, path, parts)
	if errors.Is(err, fs.ErrNotExist) { // another process took the folder or the temporary file for abandoned
		err = writeOnce(ctx, root, path, parts)
	}
	return err
}

func writeOnce(ctx context.Context, root, path string, parts [][]byte) (err error) {
	for _, dir := range []string{filepath.Join(root, Temporary), filepath.Dir(path)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	f, err := os.CreateTemp(filepath.Join(root, Temporary), "*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	lock(f)
	err = errors.Join(writeParts(ctx, f, parts), f.Sync())
	if err == nil {
		err = os.Rename(f.Name(), path) // before Close, which gives up the lock
	}
	return errors.Join(err, f.Close())
}

func writeParts(ctx context.Context, f *os.File, parts [][]byte) error {
	for _, data := range parts {
		for len(data) > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(len(data), piece)
			if _, err := f.Write(data[:n]); err != nil {
				return err
			}
			data = data[n:]
		}
	}
	return nil
}

// RemoveStale removes the temporary files below root whose writers are gone: a
// living writer holds a lock on its file. One that is taken for gone before it
// got its lock writes once more.
func RemoveStale(root string) error {
	dir := filepath.Join(root, Temporary)
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range files {
		path := filepath.Join(dir, entry.Name())
		if abandoned(path) {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

func abandoned(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return unlocked(f, time.Since(info.ModTime()))
}
