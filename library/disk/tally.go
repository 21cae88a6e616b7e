package disk

import (
	"context"
	"slices"
	"sync"
)

// cells bounds the counts of passages by terms that are in memory at a time.
const cells = 1 << 20

// tally is a walk over the postings of a segment's terms in one language,
// document after document.
type tally struct {
	p       *piece
	docs    []int // of the language
	lists   []asked
	cursors []*cursor
	terms   int
	above   float32 // what an occurrence above a passage counts for
	title   float32 // and one in its title
	counts  []float32
}

// buffers are of counts, used again from question to question.
//
//nolint:gochecknoglobals // what it holds has no meaning
var buffers = sync.Pool{New: func() any { return new([]float32) }}

func (x *search) newTally(p *piece, language string, lists []asked) (*tally, error) {
	t := &tally{p: p, docs: p.spoken[language], lists: lists, terms: len(x.found[language])}
	t.above, t.title = x.rankers[language].Fields()
	for _, a := range t.lists {
		c, err := a.postings(p.segment)
		if err != nil {
			return nil, err
		}
		t.cursors = append(t.cursors, c)
	}
	return t, nil
}

// walk calls visit for each document that is searched and has a term, with the
// counts of its passages: one number for each term.
func (t *tally) walk(ctx context.Context, visit func(doc int, counts []float32)) error {
	buffer := buffers.Get().(*[]float32)
	t.counts = *buffer
	defer func() {
		*buffer = t.counts
		buffers.Put(buffer)
	}()
	for docs := t.docs; len(docs) > 0 && len(t.cursors) > 0; {
		n, size := 0, 0
		for n < len(docs) && (n == 0 || (size+len(t.p.docs[docs[n]].lengths))*t.terms <= cells) {
			size += len(t.p.docs[docs[n]].lengths)
			n++
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		t.fill(docs[:n], size, visit)
		docs = docs[n:]
	}
	for _, c := range t.cursors {
		if c.bad || c.chunk >= 0 {
			return damagedSegment(t.p.file.Name(), errDamaged)
		}
	}
	return nil
}

// fill counts the terms in the passages of some documents and shows these.
func (t *tally) fill(docs []int, size int, visit func(int, []float32)) {
	t.counts = slices.Grow(t.counts[:0], size*t.terms)[:size*t.terms]
	clear(t.counts)
	touched := make([]bool, len(docs))
	last := &t.p.docs[docs[len(docs)-1]]
	end := last.first + len(last.lengths)
	for i, c := range t.cursors {
		at, row, term := 0, 0, t.lists[i].term
		m := &t.p.docs[docs[0]]
		for c.chunk >= 0 && c.chunk < end {
			for c.chunk >= m.first+len(m.lengths) {
				row += len(m.lengths)
				at++
				m = &t.p.docs[docs[at]]
			}
			if c.chunk < m.first {
				c.bad = true // of no document of this language
				return
			}
			touched[at] = true
			t.counts[(row+c.chunk-m.first)*t.terms+term] += float32(c.body) + t.above*float32(c.above) + t.title*float32(c.title)
			c.next()
		}
	}
	row := 0
	for at, doc := range docs {
		n := len(t.p.docs[doc].lengths)
		if touched[at] && t.p.order[doc] >= 0 {
			visit(doc, t.counts[row*t.terms:(row+n)*t.terms])
		}
		row += n
	}
}
