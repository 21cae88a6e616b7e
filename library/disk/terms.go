package disk

import (
	"encoding/binary"
	"iter"
	"sort"
	"strings"
)

// terms is the vocabulary of a segment in one language, for one question: groups
// that were read once are kept. It implements [retrieve.Vocabulary]; a failure
// to read is kept in err, and the vocabulary is empty from then on.
type terms struct {
	s      *segment
	prefix string // language and NUL
	groups map[int][]entry
	err    error
}

// entry is a term with its postings, or where they are.
type entry struct {
	key       string
	passages  int
	documents int
	inline    []byte
	place     part // where there is no inline
}

func newTerms(s *segment, language string) *terms {
	return &terms{s: s, prefix: language + "\x00", groups: map[int][]entry{}}
}

// load reads a group.
func (t *terms) load(i int) ([]entry, error) {
	if g, ok := t.groups[i]; ok {
		return g, nil
	}
	raw, err := t.s.read(t.s.groups[i].place)
	if err != nil {
		return nil, err
	}
	d := &decoder{b: raw}
	var g []entry
	before := ""
	for len(d.b) > 0 {
		same, rest := d.number(), d.text()
		e := entry{passages: d.number(), documents: d.number()}
		if same > len(before) {
			d.fail()
		} else {
			e.key = before[:same] + rest
		}
		if e.inline = d.bytes(); len(e.inline) == 0 {
			e.place = decodePart(d)
		}
		g, before = append(g, e), e.key
	}
	if d.err() != nil {
		return nil, damagedSegment(t.s.file.Name(), errDamaged)
	}
	t.groups[i] = g
	return g, nil
}

// from yields the entries from key on.
func (t *terms) from(key string) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		first := max(sort.Search(len(t.s.groups), func(i int) bool { return t.s.groups[i].first > key })-1, 0)
		for i := first; i < len(t.s.groups); i++ {
			g, err := t.load(i)
			if err != nil {
				t.err = err
				return
			}
			at := sort.Search(len(g), func(k int) bool { return g[k].key >= key })
			for _, e := range g[at:] {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// find returns the entry of a term.
func (t *terms) find(term string) (entry, bool) {
	key := t.prefix + term
	for e := range t.from(key) {
		return e, e.key == key
	}
	return entry{}, false
}

// Has implements [retrieve.Vocabulary].
func (t *terms) Has(term string) bool {
	_, ok := t.find(term)
	return ok
}

// Beginning implements [retrieve.Vocabulary].
func (t *terms) Beginning(prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range t.from(t.prefix + prefix) {
			if !strings.HasPrefix(e.key, t.prefix+prefix) || !yield(e.key[len(t.prefix):]) {
				return
			}
		}
	}
}

// postings returns a cursor at the first passage of the term.
func (e entry) postings(s *segment) (*cursor, error) {
	data := e.inline
	if len(data) == 0 {
		var err error
		if data, err = s.read(e.place); err != nil {
			return nil, err
		}
	}
	c := &cursor{data: data, left: e.passages}
	c.next()
	return c, nil
}

// cursor walks the postings of one term.
type cursor struct {
	data               []byte
	left               int
	last               int // number of the last passage + 1
	chunk              int // the present passage; -1 at the end
	body, above, title int
	bad                bool
}

// next goes to the next passage.
func (c *cursor) next() {
	if c.left == 0 {
		c.chunk = -1
		c.bad = c.bad || len(c.data) > 0
		return
	}
	c.left--
	gap := c.uvarint()
	c.chunk = c.last + int(gap>>1)
	c.last = c.chunk + 1
	c.body, c.above, c.title = 1, 0, 0
	if gap&1 == 0 {
		c.body, c.above, c.title = int(c.uvarint()), int(c.uvarint()), int(c.uvarint())
	}
	if c.bad {
		c.chunk, c.left = -1, 0
	}
}

func (c *cursor) uvarint() uint64 {
	if len(c.data) > 0 && c.data[0] < 0x80 { // by far the most
		n := uint64(c.data[0])
		c.data = c.data[1:]
		return n
	}
	n, size := binary.Uvarint(c.data)
	if size <= 0 || n > 1<<40 {
		c.bad = true
		return 0
	}
	c.data = c.data[size:]
	return n
}
