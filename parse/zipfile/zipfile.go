// Package zipfile reads zip containers from strangers: the number of entries,
// the bytes of each, of all together and the ratio of expansion are bounded
// before and while an entry is read.
package zipfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"inlay/fault"
)

// Limits bounds what reading may cost.
type Limits struct {
	Entries int   // files in the archive
	Entry   int64 // bytes of one file, expanded
	Total   int64 // bytes of all files read, expanded
	Ratio   int64 // expanded to stored bytes of one file, where it expands beyond RatioFrom
}

// RatioFrom is the expanded size from which Limits.Ratio counts: repeated text may
// well shrink a thousandfold, and a sheet of one repeated value is large.
const RatioFrom = 64 << 20

// Archive is an opened container. It is not safe for concurrent use.
type Archive struct {
	files  map[string]*zip.File
	limits Limits
	left   int64
}

// Open reads the directory of a zip. Damage is fault.Corrupt, too many entries
// fault.LimitExceeded.
func Open(data []byte, limits Limits) (*Archive, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, &fault.Error{Code: fault.Corrupt, Reason: "the zip container is damaged or cut short", Next: "get a fresh copy of the file", Err: err}
	}
	if len(r.File) > limits.Entries {
		return nil, exceeded(fmt.Sprintf("it holds %d files, more than the limit of %d", len(r.File), limits.Entries), "zip_entries", 2*len(r.File))
	}
	a := &Archive{files: make(map[string]*zip.File, len(r.File)), limits: limits, left: limits.Total}
	for _, f := range r.File {
		if strings.HasSuffix(f.Name, "/") || strings.HasSuffix(f.Name, `\`) {
			continue // a folder
		}
		name := clean(f.Name)
		if _, twice := a.files[name]; !twice {
			a.files[name] = f
		}
	}
	return a, nil
}

// exceeded is the error of a container over the named limit, to be set higher.
func exceeded(reason, limit string, higher any) error {
	return &fault.Error{Code: fault.LimitExceeded, Reason: reason, Next: fmt.Sprintf("if you trust the file, raise the limit: --parse-limits %s=%v", limit, higher)}
}

func clean(name string) string {
	return path.Clean(strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// Names lists the entries in order, without folders.
func (a *Archive) Names() []string { return slices.Sorted(maps.Keys(a.files)) }

// Has reports whether there is an entry of that name.
func (a *Archive) Has(name string) bool { return a.files[clean(name)] != nil }

// Encrypted reports whether any entry is locked by a password.
func (a *Archive) Encrypted() bool {
	for _, f := range a.files {
		if f.Flags&1 != 0 {
			return true
		}
	}
	return false
}

// Read returns a whole entry. A missing one is an error that is fs.ErrNotExist;
// one that breaks a limit is fault.LimitExceeded; damaged data is fault.Corrupt.
func (a *Archive) Read(name string) ([]byte, error) {
	f := a.files[clean(name)]
	if f == nil {
		return nil, fmt.Errorf("container entry %q: %w", name, fs.ErrNotExist)
	}
	if f.Flags&1 != 0 {
		return nil, &fault.Error{Code: fault.PasswordRequired, Reason: "it is locked by a password", Next: "remove the password and attach it again"}
	}
	limit, breach := a.bound(f)
	r, err := f.Open()
	if err != nil {
		return nil, damaged(err)
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	a.left -= int64(len(data))
	switch {
	case int64(len(data)) > limit:
		return nil, breach
	case err != nil && !errors.Is(err, zip.ErrChecksum):
		return nil, damaged(err)
	}
	return data, nil
}

// bound returns the most bytes an entry may expand to, and the error beyond that.
func (a *Archive) bound(f *zip.File) (limit int64, breach error) {
	limit = a.limits.Entry
	breach = exceeded(fmt.Sprintf("a part of it expands beyond %d MiB", limit>>20), "zip_entry", mebibytes(2*limit))
	if ratio := max(RatioFrom, int64(f.CompressedSize64)*a.limits.Ratio); ratio < limit {
		limit, breach = ratio, exceeded(fmt.Sprintf("a part of it expands more than %d times", a.limits.Ratio), "zip_ratio", 10*a.limits.Ratio)
	}
	if a.left < limit {
		limit, breach = a.left, exceeded(fmt.Sprintf("it expands beyond %d MiB in all", a.limits.Total>>20), "zip_total", mebibytes(2*a.limits.Total))
	}
	return limit, breach
}

func mebibytes(n int64) string { return fmt.Sprintf("%dMiB", max(n>>20, 1)) }

func damaged(err error) error {
	return &fault.Error{Code: fault.Corrupt, Reason: "a part of the zip container is damaged", Next: "get a fresh copy of the file", Err: err}
}
