package retrieve

import (
	"cmp"
	"slices"

	"inlay/chat"
	"inlay/internal/lexis"
	"inlay/parse"
)

// locator says where in its document a passage is cited: by the page, section
// and sheet where the words are that answered, else by those of most of it.
type locator struct {
	doc      parse.Document
	places   *parse.Map
	above    *surroundings
	repeated parse.Repeated
}

func newLocator(d parse.Document) *locator {
	return &locator{doc: d, places: parse.NewMap(d), above: newSurroundings(d.Text, sections(d)), repeated: d.Repeated()}
}

// evidence says how much of a question a range of the text answers, 0..1.
type evidence func(start, end int) float64

// piece is a part of a passage that lies in one section and on one page.
type piece struct {
	span
	found float64 // evidence
	place parse.Place
}

// cite describes the range of a passage, without number, rank and affinity. A
// nil evidence means that nothing is known of where the answer is.
func (l *locator) cite(start, end int, found evidence) chat.Citation {
	start, end = trim(l.doc.Text, start, end)
	ranges := l.repeated.Without(start, end)
	pieces := l.pieces(start, end, found)
	best := slices.MaxFunc(pieces, func(a, b piece) int { return cmp.Or(cmp.Compare(a.found, b.found), cmp.Compare(a.size(), b.size())) })
	c := chat.Citation{
		Text: l.doc.Text[start:end], File: l.doc.Name, FileID: l.doc.FileID, Start: start, End: end,
		Sheet: best.place.Sheet, Part: best.place.Part, Header: l.header(start),
		Heading: cmp.Or(l.above.heading(best.start, best.end), best.place.Heading),
	}
	if len(ranges) > 1 {
		c.Ranges = ranges
	}
	c.LineStart, c.LineEnd = l.places.LinesOf(start, end)
	c.Page, c.PageEnd = span2(pieces, func(p piece) int { return p.place.Page })
	c.Slide, c.SlideEnd = span2(pieces, func(p piece) int { return p.place.Slide })
	for _, p := range pieces {
		if p.place.Sheet == c.Sheet && p.place.RowStart > 0 {
			c.RowStart, c.RowEnd = cmp.Or(c.RowStart, p.place.RowStart), p.place.RowEnd
		}
		if p.place.TimeEnd != "" {
			c.TimeStart, c.TimeEnd = cmp.Or(c.TimeStart, p.place.TimeStart), p.place.TimeEnd
		}
	}
	return c
}

func (s span) size() int { return s.end - s.start }

// pieces cuts a passage where a section, page, slide, sheet or part begins or ends.
func (l *locator) pieces(start, end int, found evidence) []piece {
	cuts := append(l.places.Edges(start, end, parse.Page, parse.Slide, parse.Sheet, parse.Part), l.above.edges(start, end)...)
	slices.Sort(cuts)
	cuts = append(slices.Compact(cuts), end)
	var pieces []piece
	for _, cut := range cuts {
		if s, e := trim(l.doc.Text, start, cut); s < e || len(pieces) == 0 && cut == end {
			pieces = append(pieces, piece{span: span{s, e}, place: l.places.At(s, e)})
		}
		start = cut
	}
	if found != nil && len(pieces) > 1 { // one alone is the best whatever it has
		for i := range pieces {
			pieces[i].found = found(pieces[i].start, pieces[i].end)
		}
	}
	return pieces
}

// A page counts as one that a passage is on if it has clearShare of the
// evidence of the best page; without any evidence, if it has notableShare of
// the passage.
const (
	clearShare   = .5
	notableShare = .2
)

// span2 returns the first and the last of the numbered pages that the answer is
// on, the last as 0 where it is the first; 0 for none. One page alone has at
// least half of the passage.
func span2(pieces []piece, number func(piece) int) (first, last int) {
	size, found, best := map[int]int{}, map[int]float64{}, 0.0
	total := pieces[len(pieces)-1].end - pieces[0].start
	var numbers []int
	for _, p := range pieces {
		n := number(p)
		if n == 0 {
			continue
		}
		if size[n] == 0 {
			numbers = append(numbers, n)
		}
		size[n] += p.size()
		found[n] = max(found[n], p.found)
		best = max(best, p.found)
	}
	if len(numbers) == 0 {
		return 0, 0
	}
	on := slices.Clone(numbers)
	on = slices.DeleteFunc(on, func(n int) bool {
		if best > 0 {
			return found[n] < clearShare*best
		}
		return float64(size[n]) < notableShare*float64(total)
	})
	if len(on) == 0 || len(on) == 1 && 2*size[on[0]] < total {
		on = numbers
	}
	if first, last = slices.Min(on), slices.Max(on); last == first {
		last = 0
	}
	return first, last
}

// maxHeader bounds a header row that is shown with a part of its table, in bytes.
const maxHeader = 1200

// header is the first row of the table that a passage begins in, however small
// the passage is; empty if the row is longer than maxHeader.
func (l *locator) header(start int) string {
	if t := l.above.tableAt(start); t != nil && len(t.header) <= maxHeader {
		return t.header
	}
	return ""
}

// edges are the places inside (start, end) where headings begin or end.
func (s *surroundings) edges(start, end int) []int {
	var at []int
	for i := max(s.pathAt(start), 0); i < len(s.paths) && s.paths[i].pos < end; i++ {
		if s.paths[i].pos > start {
			at = append(at, s.paths[i].pos)
		}
	}
	return at
}

// evidenceIn returns how much of the query is together in a range of a
// file, for ranges within the chunks that were found.
func (c *Corpus) evidenceIn(words lexicalHits, p passage) evidence {
	f := c.words[p.file]
	q := words.asked[f.terms.Lang]
	if q == nil || q.counts[p.file].terms == nil {
		return nil
	}
	chunks, text := c.files[p.file].chunks, c.files[p.file].text()
	from, to := chunks[p.hitChunks[0]].Start, chunks[p.hitChunks[1]].End
	column, repeated := q.column[p.file], c.files[p.file].locator().repeated
	return func(start, end int) float64 {
		start, end = max(start, from), min(end, to)
		if start >= end {
			return 0
		}
		an := c.r.spare.take(c.r.lex, f.terms.Lang) // the file's own may be in use
		defer c.r.spare.put(an)
		said := chat.Join(text, repeated.Without(start, end))
		return q.together(q.columnsOf(f.terms, column, an, said), c.r.set.windowWords, len(q.terms))
	}
}

// columnsOf is text as places in the query's terms, see columns.
func (q *lexicalQuery) columnsOf(known *lexis.Analyzer, column []int16, an *lexis.Analyzer, text string) []int16 {
	ids := an.Append(nil, text)
	out := make([]int16, len(ids))
	for i, id := range ids {
		if k, ok := known.Find(an.Terms[id]); ok && int(k) < len(column) {
			out[i] = column[k]
		}
	}
	return out
}
