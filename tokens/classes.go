package tokens

import (
	_ "embed"
	"encoding/binary"
	"unicode/utf8"
)

// class is the kind of a code point as the splitting patterns tell them apart.
// Each is one bit, so that a set of classes is a mask.
type class uint8

const (
	other    class = 1 << iota // everything that is none of the below
	space                      // \s without the two line breaks
	newline                    // CR and LF
	number                     // \p{N}
	upper                      // \p{Lu}, \p{Lt}
	lower                      // \p{Ll}
	caseless                   // \p{Lm}, \p{Lo}
	mark                       // \p{M}

	letter  = upper | lower | caseless
	blank   = space | newline
	strange = other | mark // [^\s\p{L}\p{N}]
)

// unicode16 holds the classes of all code points as the reference tokenizer
// knows them, by runs of uvarint(length<<3 | bit). Go's own tables follow Go's
// release; a count must not.
//
//go:embed data/unicode16.classes
var unicode16 []byte

const pageSize = 256

// classTable finds the class of a code point by two steps, of ASCII by one.
type classTable struct {
	ascii [256]class // of a byte; zero above 127
	pages [(utf8.MaxRune + 1) / pageSize]uint8
	data  []class
}

func newClassTable(runs []byte) *classTable {
	t := &classTable{}
	known := map[[pageSize]class]uint8{}
	var page [pageSize]class
	at := 0 // the code point that comes next
	for len(runs) > 0 {
		v, n := binary.Uvarint(runs)
		runs = runs[n:]
		for left := int(v >> 3); left > 0; {
			part := page[at%pageSize:]
			part = part[:min(left, len(part))]
			for i := range part {
				part[i] = 1 << (v & 7)
			}
			at += len(part)
			left -= len(part)
			if at%pageSize > 0 {
				continue
			}
			same := 1 // pages that are alike
			if len(part) == pageSize {
				same += left / pageSize
			}
			t.add(at/pageSize-1, same, page, known)
			at += (same - 1) * pageSize
			left -= (same - 1) * pageSize
		}
	}
	for b := range utf8.RuneSelf {
		t.ascii[b] = t.of(rune(b))
	}
	return t
}

// add sets so many pages, from the given one on.
func (t *classTable) add(first, pages int, page [pageSize]class, known map[[pageSize]class]uint8) {
	id, ok := known[page]
	if !ok {
		id = uint8(len(known))
		known[page] = id
		t.data = append(t.data, page[:]...)
	}
	for i := range pages {
		t.pages[first+i] = id
	}
}

// of returns the class of r, which is at most utf8.MaxRune.
func (t *classTable) of(r rune) class {
	return t.data[int(t.pages[r/pageSize])*pageSize+int(r%pageSize)]
}

// before returns the class of the character that ends at byte p > 0, and
// whether it is valid UTF-8.
func (t *classTable) before(s string, p int) (class, bool) {
	if c := t.ascii[s[p-1]]; c != 0 {
		return c, true
	}
	r, n := utf8.DecodeLastRuneInString(s[:p])
	return t.of(r), n > 1
}

// after returns the class of the character that starts at byte p, and whether
// it is valid UTF-8.
func (t *classTable) after(s string, p int) (class, bool) {
	if c := t.ascii[s[p]]; c != 0 {
		return c, true
	}
	r, n := utf8.DecodeRuneInString(s[p:])
	return t.of(r), n > 1
}
