package pdf

import (
	"context"
	"errors"

	lib "github.com/ledongthuc/pdf"
)

// What can go wrong before the first page.
var (
	errNoCatalog = errors.New("no catalog")
	errNoPages   = errors.New("no page tree")
	errStream    = errors.New("stream cannot be decoded")
)

// guard runs f and turns a panic of the object reader into an error; a limit or
// the end of the context passes through as it is. The reader's own words are
// dropped, because they quote the document.
func guard(f func() error) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case error:
			if errors.Is(x, errBudget) || errors.Is(x, context.Canceled) || errors.Is(x, context.DeadlineExceeded) {
				err = x
				return
			}
			err = errMalformed
		default:
			err = errMalformed
		}
	}()
	return f()
}

var errMalformed = errors.New("malformed object")

const (
	maxTreeDepth = 64
	maxFilters   = 4
	maxColumns   = 1 << 16
)

// leaf is a page with what it inherits from the nodes above it.
type leaf struct {
	page, resources   lib.Value
	box, crop, rotate lib.Value
}

// pageTree walks the page tree.
type pageTree struct {
	limit   int
	nodes   int
	visited map[reference]bool
	leaves  []leaf
}

// readPages lists the pages of a document in order. A node that is reached a
// second time is left out; more than limit pages is an error.
func readPages(r *lib.Reader, limit int) ([]leaf, error) {
	t := pageTree{limit: limit, visited: map[reference]bool{}}
	err := guard(func() error {
		root := r.Trailer().Key("Root").Key("Pages")
		if root.Kind() != lib.Dict {
			return errNoPages
		}
		return t.walk(leaf{page: root}, 0)
	})
	if err == nil && len(t.leaves) == 0 {
		err = errNoPages
	}
	return t.leaves, err
}

// walk visits the node in at.page.
func (t *pageTree) walk(at leaf, depth int) error {
	if t.nodes++; t.nodes > 4*t.limit || depth > maxTreeDepth {
		return errBudget
	}
	if v := at.page.Key("Resources"); v.Kind() == lib.Dict {
		at.resources = v
	}
	if v := at.page.Key("MediaBox"); v.Len() == 4 {
		at.box = v
	}
	if v := at.page.Key("CropBox"); v.Len() == 4 {
		at.crop = v
	}
	if v := at.page.Key("Rotate"); v.Kind() == lib.Integer {
		at.rotate = v
	}
	kids := at.page.Key("Kids")
	if kids.Kind() != lib.Array {
		if t.leaves = append(t.leaves, at); len(t.leaves) > t.limit {
			return tooManyPages(t.limit)
		}
		return nil
	}
	refs := elementRefs(kids)
	for i := range kids.Len() {
		if i < len(refs) && refs[i] != (reference{}) {
			if t.visited[refs[i]] {
				continue
			}
			t.visited[refs[i]] = true
		}
		if err := t.kid(at, kids, i, depth); err != nil {
			return err
		}
	}
	return nil
}

// kid visits one child; one that cannot be read counts as a page that failed.
func (t *pageTree) kid(at leaf, kids lib.Value, i, depth int) error {
	before := len(t.leaves)
	err := guard(func() error {
		at.page = kids.Index(i)
		if at.page.Kind() != lib.Dict {
			return nil
		}
		return t.walk(at, depth+1)
	})
	if errors.Is(err, errMalformed) && len(t.leaves) == before {
		t.leaves = append(t.leaves, leaf{})
		return nil
	}
	if errors.Is(err, errMalformed) {
		return nil
	}
	return err
}

// elementRefs returns the elements of an array as the references they are; an
// element that is none is the zero reference.
func elementRefs(array lib.Value) []reference {
	l := &lexer{src: []byte(array.String())}
	if l.next().kind != open {
		return nil
	}
	var out []reference
	for len(out) < array.Len() {
		t := l.next()
		if t.kind == end || t.kind == shut {
			break
		}
		ref, ok := readReference(l, t)
		if !ok {
			skipValue(l, t)
		}
		out = append(out, ref)
	}
	return out
}

// entryKeys returns how each entry of a dictionary is written: for indirect
// entries the reference, which names the object whatever it is called here.
func entryKeys(dict lib.Value) map[string]string {
	l := &lexer{src: []byte(dict.String())}
	if l.next().kind != dictOpen {
		return nil
	}
	out := map[string]string{}
	for {
		key := l.next()
		if key.kind != name {
			return out
		}
		start := l.pos
		out[string(key.data)] = rawValue(l, l.next(), start)
	}
}
