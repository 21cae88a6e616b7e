package eval

import (
	"context"
	"errors"
	"strings"

	"inlay/fault"
	"inlay/parse"
)

// library holds the set's documents, each parsed once.
type library struct {
	ids    []string // as the set has them
	docs   []parse.Document
	errs   []error        // why a document has no text
	place  map[string]int // id to place
	byFile map[string]int // file id to the first place
	same   []int          // the first document of the same bytes: that one is searched
	parsed int            // documents that did not come from a store
}

// openLibrary parses all documents. One that cannot be read is remembered with
// its error; that all cannot be is an error.
func openLibrary(ctx context.Context, o *Options, p *progress) (*library, error) {
	n := len(o.Set.Documents)
	lib := &library{ids: make([]string, n), docs: make([]parse.Document, n), errs: make([]error, n), place: map[string]int{}, same: make([]int, n)}
	for i, s := range o.Set.Documents {
		if _, twice := lib.place[s.ID]; twice {
			return nil, &fault.Error{Code: fault.Usage, Subject: "document " + s.ID, Reason: "is in the set twice", Next: "give every document an id of its own"}
		}
		lib.ids[i], lib.place[s.ID] = s.ID, i
	}
	err := parallel(ctx, o.Parallel, n, func(i int) error {
		d, err := o.read(ctx, o.Set.Documents[i])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.Name = lib.ids[i]
		lib.docs[i], lib.errs[i] = d, err
		p.step(1, 1, !d.Cached)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lib, lib.index(o.Set)
}

// read parses one document.
func (o *Options) read(ctx context.Context, s Source) (parse.Document, error) {
	if s.Document != nil {
		return *s.Document, nil
	}
	f, err := s.Open(ctx)
	if err != nil {
		return parse.Document{}, err
	}
	d, err := o.Reader.Parse(ctx, f, nil)
	if err == nil && strings.TrimSpace(d.Text) == "" {
		err = &fault.Error{Code: fault.NoTextLayer, Subject: s.ID, Reason: "has no text"}
	}
	return d, err
}

// index finds documents of the same bytes, and counts.
func (lib *library) index(s *Set) error {
	lib.byFile = map[string]int{}
	readable := 0
	for i, d := range lib.docs {
		lib.same[i] = i
		if lib.errs[i] != nil {
			continue
		}
		readable++
		if k, ok := lib.byFile[d.FileID]; ok {
			lib.same[i] = k
		} else {
			lib.byFile[d.FileID] = i
		}
		if s.Documents[i].Document == nil && !d.Cached {
			lib.parsed++
		}
	}
	if readable == 0 && len(lib.docs) > 0 {
		return errors.Join(lib.errs[0])
	}
	return nil
}

// find finds a document by its id, or by its file name where only one has it.
func (lib *library) find(name string) (int, bool) {
	if i, ok := lib.place[name]; ok {
		return i, true
	}
	found := -1
	for i, id := range lib.ids {
		if strings.HasSuffix(id, "/"+name) {
			if found >= 0 {
				return 0, false
			}
			found = i
		}
	}
	return found, found >= 0
}

// searched are the documents that a scope searches, in order, each once.
func (lib *library) searched(scope []int) []int {
	var docs []int
	seen := map[int]bool{}
	add := func(i int) {
		if i = lib.same[i]; lib.errs[i] == nil && !seen[i] {
			seen[i] = true
			docs = append(docs, i)
		}
	}
	if scope == nil {
		for i := range lib.docs {
			add(i)
		}
	}
	for _, i := range scope {
		add(i)
	}
	return docs
}

// size is the bytes of all documents that are searched.
func (lib *library) size() int {
	n := 0
	for _, i := range lib.searched(nil) {
		n += len(lib.docs[i].Text)
	}
	return n
}
