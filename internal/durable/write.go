// Package durable writes files that are whole or not there, whatever kills the
// writer, and explains what went wrong with a folder.
package durable

import (
	"context"
	"errors"
	"io"
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

func writeOnce(ctx context.Context, root, path string, parts [][]byte) error {
	p, err := Create(root)
	if err != nil {
		return err
	}
	defer p.Discard()
	if err := writeParts(ctx, p, parts); err != nil {
		return err
	}
	return p.Commit(path)
}

// Pending is a file being written that has no name yet: whatever ends its
// writer before [Pending.Commit], nothing of it stays.
type Pending struct {
	f    *os.File
	done bool
}

// Create begins a file below root.
func Create(root string) (*Pending, error) {
	dir := filepath.Join(root, Temporary)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, "*") // mode 0600
	if err != nil {
		return nil, err
	}
	lock(f)
	return &Pending{f: f}, nil
}

// Write implements io.Writer.
func (p *Pending) Write(data []byte) (int, error) { return p.f.Write(data) }

// Name is where the file lies until it has its name.
func (p *Pending) Name() string { return p.f.Name() }

// Sync forces what was written to disk.
func (p *Pending) Sync() error { return p.f.Sync() }

// Commit forces the file to disk and gives it its name, in the place of what
// had it. Folders that are missing are made.
func (p *Pending) Commit(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := p.f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(p.f.Name(), path); err != nil { // before Close, which gives up the lock
		return err
	}
	p.done = true
	return p.f.Close()
}

// Discard removes a file that was not committed; after Commit it does nothing.
func (p *Pending) Discard() {
	if !p.done {
		_ = os.Remove(p.f.Name())
		_ = p.f.Close()
	}
}

func writeParts(ctx context.Context, w io.Writer, parts [][]byte) error {
	for _, data := range parts {
		for len(data) > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(len(data), piece)
			if _, err := w.Write(data[:n]); err != nil {
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
