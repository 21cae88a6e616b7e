package cache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// grew takes note of a new entry and evicts when the limit may be passed.
// Other processes put entries too, so the folder is measured again whenever
// this one alone has put a sixteenth of the limit.
func (d *Dir) grew(size int64) error {
	d.mu.Lock()
	d.size += size
	d.unknown += size
	due := d.limit >= 0 && (d.size > d.limit || d.unknown > d.limit/16)
	d.mu.Unlock()
	if !due {
		return nil
	}
	return d.shrink()
}

// entryFile is an entry as the folder shows it.
type entryFile struct {
	path string
	size int64
	used time.Time
}

// shrink measures the folder and, if it is over its limit, removes the entries
// used longest ago until it is a tenth below.
func (d *Dir) shrink() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	files, total, err := d.list()
	if err != nil {
		return err
	}
	if d.limit >= 0 && total > d.limit {
		slices.SortFunc(files, func(a, b entryFile) int {
			return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path))
		})
		for _, f := range files {
			if total <= d.limit-d.limit/10 {
				break
			}
			if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			total -= f.size
		}
	}
	d.size, d.unknown = total, 0
	return nil
}

// list returns every entry and the sum of their sizes. Entries that vanish
// meanwhile are left out.
func (d *Dir) list() (files []entryFile, total int64, err error) {
	folders, err := os.ReadDir(d.root)
	if err != nil {
		return nil, 0, err
	}
	for _, folder := range folders {
		if !isShard(folder) {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(d.root, folder.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, 0, err
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			path := filepath.Join(d.root, folder.Name(), e.Name())
			files = append(files, entryFile{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
	}
	return files, total, nil
}
