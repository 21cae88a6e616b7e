package blobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"inlay/internal/durable"
)

// Folder is a [Store] below a folder: keys are paths.
type Folder struct{ root string }

// NewFolder keeps bytes below root.
func NewFolder(root string) *Folder { return &Folder{root: root} }

func (f *Folder) path(key string) string { return filepath.Join(f.root, filepath.FromSlash(key)) }

// Put implements [Store].
func (f *Folder) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	p, err := durable.Create(f.root)
	if err != nil {
		return durable.Explain(f.root, err)
	}
	defer p.Discard()
	n, err := io.Copy(p, Until(ctx, r))
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return durable.Explain(f.root, err)
	}
	return f.commit(key, p)
}

// commit names what was received, for good.
func (f *Folder) commit(key string, p *durable.Pending) error {
	if err := check(key); err != nil {
		return err
	}
	err := p.Commit(f.path(key))
	for range 3 {
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		err = p.Commit(f.path(key)) // its folder was empty, and removed by another
	}
	if err != nil {
		return durable.Explain(f.root, err)
	}
	return explain(f.root, syncDir(filepath.Dir(f.path(key))))
}

// syncDir forces the names in a folder to disk.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Open implements [Store].
func (f *Folder) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	if err := check(key); err != nil {
		return nil, err
	}
	file, err := os.Open(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, durable.Explain(f.root, err)
	}
	return file, nil
}

// Remove implements [Store].
func (f *Folder) Remove(_ context.Context, key string) error {
	if err := check(key); err != nil {
		return err
	}
	if err := os.Remove(f.path(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return durable.Explain(f.root, err)
	}
	f.removeEmpty(filepath.Dir(f.path(key)))
	return nil
}

// removeEmpty removes a folder and those above it that are empty then.
func (f *Folder) removeEmpty(dir string) {
	for dir != f.root && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
}

// List implements [Store].
func (f *Folder) List(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		err := filepath.WalkDir(f.path(prefix), func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil // it went away, or never was
			case err != nil:
				return err
			case d.IsDir() && path == filepath.Join(f.root, durable.Temporary):
				return fs.SkipDir
			case d.IsDir() || ctx.Err() != nil:
				return ctx.Err()
			}
			info, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			key, _ := filepath.Rel(f.root, path)
			if !yield(Entry{Key: filepath.ToSlash(key), Bytes: info.Size(), Made: info.ModTime()}, err) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(Entry{}, durable.Explain(f.root, err))
		}
	}
}

// Stat implements [Store].
func (f *Folder) Stat(_ context.Context, key string) (Entry, error) {
	if err := check(key); err != nil {
		return Entry{}, err
	}
	info, err := os.Stat(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, fs.ErrNotExist
	}
	if err != nil {
		return Entry{}, durable.Explain(f.root, err)
	}
	return Entry{Key: key, Bytes: info.Size(), Made: info.ModTime()}, nil
}

// Until is a reader of r that ends with the cause of ctx, once ctx ends.
func Until(ctx context.Context, r io.Reader) io.Reader { return during{ctx, r} }

// during is a reader that ends with a context.
type during struct {
	ctx context.Context //nolint:containedctx // it lives as long as one call
	r   io.Reader
}

// Read implements io.Reader.
func (d during) Read(p []byte) (int, error) {
	if err := d.ctx.Err(); err != nil {
		return 0, context.Cause(d.ctx)
	}
	return d.r.Read(p)
}

func explain(root string, err error) error {
	if err == nil {
		return nil
	}
	return durable.Explain(root, err)
}
