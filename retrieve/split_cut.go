package retrieve

import (
	"sort"

	"inlay/chat"
	"inlay/parse"
)

// cutter decides where the chunks of one document end.
type cutter struct {
	*ruler
	*outline
	*surroundings
	repeated      parse.Repeated
	size, overlap int
}

func newCutter(s Splitter, d parse.Document) *cutter {
	o := newOutline(d)
	return &cutter{
		ruler:        newRuler(s.Measure, d.Text, min(max(s.Size/16, 1), 32)),
		outline:      o,
		surroundings: newSurroundings(d.Text, o.parts),
		repeated:     d.Repeated(),
		size:         s.Size, overlap: s.Overlap,
	}
}

// fill is how much of a chunk's room has to be used, in bytes of what fits,
// before a place of a level is good enough to cut at.
func fill(l level) float64 {
	switch {
	case l >= atParagraph:
		return .25
	case l >= atSentence:
		return .35
	default:
		return .5
	}
}

// chunk is text[start:end], without headers and footers of pages, with what is
// above it. Its text is empty if nothing else is there.
func (c *cutter) chunk(start, end int) Chunk {
	ranges := c.repeated.Without(start, end)
	if len(ranges) == 0 {
		return Chunk{}
	}
	start, end = ranges[0].Start, ranges[len(ranges)-1].End
	k := Chunk{Start: start, End: end, Text: chat.Join(c.ruler.text, ranges), Heading: c.heading(start, end)}
	if len(ranges) > 1 {
		k.Ranges, k.Tokens = ranges, c.ruler.size(k.Text)
	} else {
		k.Tokens = c.count(start, end)
	}
	if k.Tokens <= c.room(start) { // a single grapheme may leave no room for a header
		k.Header = c.header(start)
	}
	return k
}

// header is what a chunk from start repeats of the table it begins in: the
// first row, unless it would take more than a quarter of the chunk.
func (c *cutter) header(start int) string {
	if t := c.tableAt(start); t != nil && c.headerTokens(t) <= c.size/4 {
		return t.header
	}
	return ""
}

// headerTokens counts a table's first row and a line break, once.
func (c *cutter) headerTokens(t *table) int {
	if t.tokens == 0 {
		t.tokens = c.ruler.size(t.header + "\n")
	}
	return t.tokens
}

// room is how many tokens the text of a chunk from start may have.
func (c *cutter) room(start int) int {
	if t := c.tableAt(start); t != nil && c.headerTokens(t) <= c.size/4 {
		return c.size - c.headerTokens(t)
	}
	return c.size
}

// next is where the chunk from start ends, and how good the place is. It lies
// after covered, the end of the chunk before, or is covered itself if no more
// fits.
func (c *cutter) next(start, covered int) cut {
	room := c.room(start)
	limit := c.reach(start, room)
	if end := c.partEnd(start); limit >= end {
		return cut{end, atHeading}
	}
	for limit > covered {
		at := c.choose(start, covered, limit, room)
		if at.pos > limit || c.count(start, at.pos) <= room { // beyond it: a single grapheme
			return at
		}
		limit = at.pos - 1
	}
	if covered > start {
		return cut{covered, atGrapheme}
	}
	return cut{c.grapheme(start, start+1), atGrapheme}
}

// choose is the best place in (max(start, covered), limit].
func (c *cutter) choose(start, covered, limit, room int) cut {
	after := max(start, covered)
	least := func(l level) int { return max(after+1, start+int(fill(l)*float64(limit-start))) }
	best := c.whole(start, after, c.structural(start, after, limit, least), room)
	if best.level < atItem {
		if p := c.sentence(least(atSentence), limit); p > after && c.boundary(start, p) {
			best = cut{p, atSentence}
		}
	}
	if best.level < atLine {
		if p := c.word(least(atWord), limit); p > after && c.boundary(start, p) {
			best = cut{p, atWord}
		}
	}
	if best.level == atGrapheme {
		best.pos = c.grapheme(start, limit)
	}
	return best
}

// structural is the best line or section edge in (after, limit]: the highest
// level of which one lies far enough, and the last of that level or above.
// Its level is atGrapheme if there is none.
func (c *cutter) structural(start, after, limit int, least func(level) int) cut {
	var best cut
	i := sort.Search(len(c.cuts), func(i int) bool { return c.cuts[i].pos > limit })
	for i--; i >= 0 && c.cuts[i].pos > after; i-- {
		if at := c.cuts[i]; at.level > best.level && at.pos >= least(at.level) && c.boundary(start, at.pos) {
			best = at
		}
	}
	return best
}

// whole moves a place inside a code block that would fit into a chunk to where
// the block begins.
func (c *cutter) whole(start, after int, at cut, room int) cut {
	pos := at.pos
	if at.level == atGrapheme {
		return at
	}
	i := sort.Search(len(c.code), func(i int) bool { return c.code[i].start >= pos })
	for range 8 { // blocks nest only so deep
		if i--; i < 0 || c.code[i].start <= after {
			break
		}
		if b := c.code[i]; b.start > start && b.end > pos && b.end-b.start < 64*room && c.count(b.start, b.end) <= room && c.boundary(start, b.start) {
			at = cut{b.start, atBlock}
		}
	}
	return at
}

// overlapping is where the chunk after [start, end.pos) begins: within the last
// overlap tokens, at a place as good as the end is. After a heading or a block
// nothing is repeated.
func (c *cutter) overlapping(start int, end cut) int {
	if c.overlap == 0 || end.level >= atBlock || end.pos == len(c.ruler.text) {
		return end.pos
	}
	for from := max(c.within(end.pos), start+1); from < end.pos; {
		at := c.repeat(from, end)
		if at == end.pos || c.boundary(start, at) && c.count(at, end.pos) <= c.overlap {
			return at
		}
		from = at + 1
	}
	return end.pos
}

// repeat is the first good place in [from, end.pos) for a chunk to begin that
// repeats the end of the one before it, or end.pos: a section or an item, or
// else a sentence where text was cut between sentences or paragraphs, or else
// a word where it was cut between words.
func (c *cutter) repeat(from int, end cut) int {
	best := end.pos
	i := sort.Search(len(c.cuts), func(i int) bool { return c.cuts[i].pos >= from })
	for ; i < len(c.cuts) && c.cuts[i].pos < end.pos; i++ {
		at := c.cuts[i]
		if at.level >= atBlock || at.level >= atItem && best == end.pos {
			best = at.pos
		}
	}
	if best < end.pos || end.level == atItem {
		return best
	}
	if p := c.firstSentence(from, end.pos); p > 0 {
		return p
	}
	if p := c.firstWord(from, end.pos); p > 0 && end.level < atSentence {
		return p
	}
	return end.pos
}

// within is the first mark from which to end at most overlap tokens remain.
func (c *cutter) within(end int) int {
	i := c.after(end)
	total := c.marks[i].total
	j := sort.Search(i, func(j int) bool { return total-c.marks[j].total <= c.overlap })
	return min(c.marks[j].pos, end)
}
