package disk

import (
	"sync"

	"inlay/retrieve"
)

// count gathers the postings of each term of the document.
func (s *stored) count(x retrieve.Indexed) {
	c, ok := counters.Get().(*counter)
	if !ok {
		c = &counter{}
	}
	defer counters.Put(c)
	c.begin(len(x.Terms))
	sequences(x, c.expect)
	all := make([]posting, c.postings)
	s.terms = make([]termCounts, len(c.terms))
	for at, t := range c.terms {
		s.terms[at] = termCounts{x.Terms[t.id], all[:0:t.postings]}
		all = all[t.postings:]
	}
	sequences(x, func(id uint32, one posting) {
		t := &s.terms[c.places[id]-1]
		if n := len(t.postings); n > 0 && t.postings[n-1].chunk == one.chunk {
			last := &t.postings[n-1]
			last.body, last.above, last.title = last.body+one.body, last.above+one.above, last.title+one.title
			return
		}
		t.postings = append(t.postings, one)
	})
	for _, t := range c.terms {
		c.places[t.id] = 0
	}
}

// sequences yields every term of a document with where it is, passage by passage.
func sequences(x retrieve.Indexed, yield func(id uint32, one posting)) {
	for k := range x.Body {
		chunk := int32(k)
		for _, id := range x.Body[k] {
			yield(id, posting{chunk: chunk, body: 1})
		}
		for _, id := range x.Above[k] {
			yield(id, posting{chunk: chunk, above: 1})
		}
		if x.Title != nil {
			for _, id := range x.Title[k] {
				yield(id, posting{chunk: chunk, title: 1})
			}
		}
	}
}

// counters are kept from document to document.
//
//nolint:gochecknoglobals // holds memory, nothing of documents
var counters sync.Pool

// counter counts the postings of each term of a document. Its places are all 0
// between documents.
type counter struct {
	places   []int32 // by a term's number: 1 + its place in terms, 0 for none
	terms    []counted
	postings int // in all
}

type counted struct {
	id       uint32
	last     int32 // the passage it was last in
	postings int
}

func (c *counter) begin(terms int) {
	if len(c.places) < terms {
		c.places = make([]int32, terms+terms/4)
	}
	c.terms, c.postings = c.terms[:0], 0
}

func (c *counter) expect(id uint32, one posting) {
	if c.places[id] == 0 {
		c.terms = append(c.terms, counted{id, -1, 0})
		c.places[id] = int32(len(c.terms))
	}
	t := &c.terms[c.places[id]-1]
	if t.last != one.chunk {
		t.last = one.chunk
		t.postings++
		c.postings++
	}
}
