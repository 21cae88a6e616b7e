package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"inlay/fault"
	"inlay/internal/durable"
)

// The marker file says that a folder is a store and in which form. Changing
// the form of entries or their place means a new number; a store of a lower
// number is emptied on opening, since everything in it can be derived again.
const (
	markerName   = "VERSION"
	markerPrefix = "inlay-cache "
	version      = 3
)

// prepare makes sure that path is a store of this version.
func prepare(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return durable.Explain(path, err)
	}
	found, err := readMarker(path)
	if err != nil {
		return err
	}
	switch {
	case found == version:
		return nil
	case found > version:
		return &fault.Error{
			Code: fault.StoreDamaged, Subject: path,
			Reason: fmt.Sprintf("this store has version %d and this program knows %d", found, version),
			Next:   "use a newer inlay or name another folder",
		}
	}
	if err := empty(path); err != nil {
		return durable.Explain(path, err)
	}
	marker := []byte(markerPrefix + strconv.Itoa(version) + "\n")
	if err := durable.Write(context.Background(), path, filepath.Join(path, markerName), marker); err != nil {
		return durable.Explain(path, err)
	}
	return nil
}

// readMarker returns the version of the store at path, 0 for one that has to be
// created or recreated.
func readMarker(path string) (int, error) {
	text, err := os.ReadFile(filepath.Join(path, markerName))
	if err == nil {
		if number, ok := strings.CutPrefix(strings.TrimSpace(string(text)), markerPrefix); ok {
			if v, err := strconv.Atoi(number); err == nil && v >= 0 {
				return v, nil
			}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return 0, durable.Explain(path, err)
	}
	return 0, onlyOurs(path)
}

// onlyOurs refuses a folder without a readable marker that holds anything a
// store would not: it may be somebody's documents.
func onlyOurs(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return durable.Explain(path, err)
	}
	for _, e := range entries {
		if e.Name() != markerName && e.Name() != durable.Temporary && !isShard(e) {
			return &fault.Error{
				Code: fault.StoreDamaged, Subject: path,
				Reason: "the folder is not a store and holds other files",
				Next:   "name an empty folder or one that does not exist yet",
			}
		}
	}
	return nil
}

// isShard reports whether a folder entry is one that entries live in: two
// letters of a hexadecimal name.
func isShard(e fs.DirEntry) bool {
	_, err := strconv.ParseUint(e.Name(), 16, 8)
	return e.IsDir() && len(e.Name()) == 2 && err == nil
}

// empty removes every entry of the store at path.
func empty(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if isShard(e) {
			if err := os.RemoveAll(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
