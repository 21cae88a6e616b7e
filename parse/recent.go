package parse

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"inlay/cache"
	"inlay/tokens"
)

// DefaultRecent is the size of a [Recent] whose MaxBytes is zero.
const DefaultRecent = 64 << 20

// Recent keeps the documents used last in memory, decoded, so that the next
// question about one neither reads its file nor decodes its parse. What one
// namespace put there, no other finds. The zero value is ready; it is safe for
// concurrent use.
type Recent struct {
	MaxBytes int64          // of documents; 0 means DefaultRecent, negative keeps none; set before first use
	Observe  func(hit bool) // told of every look; may be nil; set before first use

	kept cache.LRU[recentKey, Document]
}

// recentKey is all that a document follows from: bytes, what chooses the
// parser, and the parsers with their limits.
type recentKey struct {
	namespace, id, extension, mediaType string
	registry                            *Registry
	limits                              Limits
}

// find returns the document of a key, without name and path.
func (r *Recent) find(key recentKey) (Document, bool) {
	if r == nil {
		return Document{}, false
	}
	d, ok := r.kept.Get(key)
	if r.Observe != nil {
		r.Observe(ok)
	}
	return d, ok
}

// keep remembers d, unless it would take more than a quarter of the room, and
// returns it with a memory for its counts.
func (r *Recent) keep(key recentKey, d Document) Document {
	if r == nil || d.Partial {
		return d
	}
	limit := cmp.Or(r.MaxBytes, DefaultRecent)
	size := weight(d)
	if size > limit/4 {
		return d
	}
	d.Counts, d.Warnings = &tokens.Known{}, slices.Clip(d.Warnings)
	kept := d
	kept.Name, kept.Path, kept.Cached = "", "", true
	r.kept.Put(key, kept, size, limit)
	return d
}

// Forget drops the documents that were read from the content of that id.
func (r *Recent) Forget(namespace, id string) {
	if r != nil {
		r.kept.Remove(func(k recentKey) bool { return k.id == id && k.namespace == namespace })
	}
}

// Erase drops all documents of a namespace.
func (r *Recent) Erase(namespace string) {
	if r != nil {
		r.kept.Remove(func(k recentKey) bool { return k.namespace == namespace })
	}
}

// weight is about what a document takes in memory, in bytes.
func weight(d Document) int64 {
	const header, section, mark = 4 << 10, 152, 16 // counts and bookkeeping; a Section and its heads; a RowMark
	n := header + len(d.Text) + len(d.WordBoxes) + section*len(d.Sections) + 8*len(d.Coverage.PerPage)
	for _, s := range d.Sections {
		n += len(s.Label) + mark*len(s.Rows)
	}
	for _, w := range d.Warnings {
		n += len(w.Code) + len(w.Message)
	}
	return int64(n)
}

// recentKey is the key of a file whose bytes have the content id.
func (c Cached) recentKey(id string, f File) recentKey {
	return recentKey{c.Namespace, id, strings.ToLower(filepath.Ext(f.Name)), f.MediaType, c.Registry, c.Limits}
}

// Recall returns the document of a file by its content id, if it is at hand
// without a look at its bytes: f needs none.
func (c Cached) Recall(id string, f File) (Document, bool) {
	d, ok := c.Recent.find(c.recentKey(id, f))
	d.Name, d.Path = f.Name, f.Path
	return d, ok
}
