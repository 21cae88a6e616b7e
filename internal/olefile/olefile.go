// Package olefile reads OLE containers from strangers: the files in a file that
// Office used until 2003. No stream gives more bytes than the container has.
package olefile

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/richardlehane/mscfb"

	"inlay/fault"
)

// Magic is what every OLE container begins with.
const Magic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

// maxEntries bounds streams and storages: mails with many recipients have some
// hundreds for each.
const maxEntries = 100_000

// File is an opened container. It is not safe for concurrent use.
type File struct {
	streams map[string]*mscfb.File // by path in lower case: names differ in more than case
	names   []string
	most    int64
}

// Open reads the directory of a container. Damage is fault.Corrupt.
func Open(data []byte) (*File, error) {
	r, err := mscfb.New(bytes.NewReader(data))
	if err != nil {
		return nil, &fault.Error{Code: fault.Corrupt, Reason: "its OLE container is damaged or cut short", Next: "get a fresh copy of the file", Err: err}
	}
	f := &File{streams: map[string]*mscfb.File{}, most: int64(len(data))}
	for i, entry := range r.File {
		if i == maxEntries {
			break
		}
		if entry.FileInfo().IsDir() {
			continue
		}
		name := strings.Join(append(slices.Clone(entry.Path), entry.Name), "/")
		if key := strings.ToLower(name); f.streams[key] == nil {
			f.streams[key] = entry
			f.names = append(f.names, name)
		}
	}
	slices.Sort(f.names)
	return f, nil
}

// Names lists the streams by path, sorted: "Workbook", "ObjectPool/_1/Contents".
func (f *File) Names() []string { return f.names }

// Has reports whether there is a stream of that path, whatever its case.
func (f *File) Has(name string) bool { return f.streams[strings.ToLower(name)] != nil }

// Read returns a stream; a missing one is nil. Of a damaged one it returns what can
// be read, and whole is false.
func (f *File) Read(name string) (data []byte, whole bool) {
	s := f.streams[strings.ToLower(name)]
	if s == nil {
		return nil, true
	}
	var b bytes.Buffer
	_, err := io.Copy(&b, io.LimitReader(s, min(s.Size, f.most)))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b.Bytes(), err == nil && int64(b.Len()) == s.Size
}
