package cache

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"inlay/internal/durable"
)

// DefaultDir is the size of a [Dir] whose MaxBytes is zero.
const DefaultDir = 2 << 30

// Options configures a [Dir].
type Options struct {
	MaxBytes int64         // of files on disk; 0 means DefaultDir, negative means no limit
	MaxAge   time.Duration // of entries that nobody uses; they are removed on opening and by Dir.Expire; 0 means no limit
}

// Dir is a [Store] in a folder that any number of processes may use at once.
// Entries appear by rename, so that a reader sees a complete one or none, whenever
// the writer is killed; files are readable by their owner only. When the folder
// exceeds its limit, the least recently used entries are removed.
//
// Open one with [OpenDir].
type Dir struct {
	root  string
	limit int64 // negative: none
	age   time.Duration

	mu      sync.Mutex
	size    int64 // of all entries, as far as this process knows
	unknown int64 // bytes put since the folder was last measured
}

// OpenDir opens the store in the folder path and creates it if it does not exist.
// It removes the leftovers of killed writers. A path that is not a folder, a
// folder with other files in it and a store of a newer version are
// fault.StoreDamaged; one that cannot be read or written is
// fault.FileUnreadable.
func OpenDir(path string, o Options) (*Dir, error) {
	d := &Dir{root: path, limit: o.MaxBytes, age: o.MaxAge}
	if o.MaxBytes == 0 {
		d.limit = DefaultDir
	}
	if err := prepare(path); err != nil {
		return nil, err
	}
	if err := durable.RemoveStale(path); err != nil {
		return nil, durable.Explain(path, err)
	}
	if err := d.shrink(); err != nil {
		return nil, durable.Explain(path, err)
	}
	return d, d.Expire()
}

// Get implements [Store]. A damaged entry is removed and reported as missing.
func (d *Dir) Get(ctx context.Context, key Key) ([]byte, bool, error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	path := d.path(key)
	file, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, durable.Explain(path, err)
	}
	data, ok := decode(key.Hash(), file)
	if !ok {
		return nil, false, d.discard(path)
	}
	touch(path)
	return data, true, nil
}

// discard removes a damaged entry; another process may have done so already.
func (d *Dir) discard(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return durable.Explain(path, err)
	}
	return nil
}

// touch marks an entry as used now. Failing to is harmless: the entry is
// evicted earlier than it might be.
func touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// Put implements [Store]. Data larger than the whole store is not kept; nothing
// is kept while the disk is nearly full.
func (d *Dir) Put(ctx context.Context, key Key, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	size := int64(headerSize + len(data))
	if d.limit >= 0 && size > d.limit || durable.Low(d.root) {
		return nil
	}
	path := d.path(key)
	err := durable.Write(ctx, d.root, path, header(key.Hash(), data), data)
	if err != nil {
		return durable.Explain(path, err)
	}
	if err := d.grew(size); err != nil {
		return durable.Explain(d.root, err)
	}
	return nil
}

// Forget implements [Store]. It does not see entries that another process puts
// at the same time.
func (d *Dir) Forget(ctx context.Context, namespace, of string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	begins := group(namespace, of)
	folder := filepath.Join(d.root, begins[:2])
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return durable.Explain(folder, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), begins) {
			continue
		}
		if err := d.discard(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// Erase implements [Eraser]. It does not see entries that another process puts
// at the same time.
func (d *Dir) Erase(ctx context.Context, namespace string) error {
	in := space(namespace)
	return d.remove(ctx, func(f entryFile) bool { return inSpace(filepath.Base(f.path), in) })
}

// Clear removes every entry.
func (d *Dir) Clear(ctx context.Context) error {
	return d.remove(ctx, func(entryFile) bool { return true })
}

// Expire removes the entries that nobody used for Options.MaxAge.
func (d *Dir) Expire() error {
	if d.age <= 0 {
		return nil
	}
	before := time.Now().Add(-d.age)
	return d.remove(context.Background(), func(f entryFile) bool { return f.used.Before(before) })
}

// remove removes the entries for which gone reports true.
func (d *Dir) remove(ctx context.Context, gone func(entryFile) bool) error {
	files, _, err := d.list()
	if err != nil {
		return durable.Explain(d.root, err)
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if gone(f) {
			if err := d.discard(f.path); err != nil {
				return err
			}
		}
	}
	return nil
}

// path is where the entry of a key lives: two letters of its name as folder.
func (d *Dir) path(key Key) string {
	name := key.name()
	return filepath.Join(d.root, name[:2], name)
}
