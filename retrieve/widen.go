package retrieve

import "inlay/chat"

// AutoLimit as a limit asks for as many passages above the threshold as
// [Request].Budget holds, at least one and at most [MaxLimit].
const AutoLimit = -1

// widest is how many chunks a passage may grow by on each side.
const widest = 3

// limitFor is how many of the ranked hits are cited at most: the limit, or
// under AutoLimit as many of those above the threshold as the budget holds.
func (c *Corpus) limitFor(hits []hit, limit, budget int, threshold float64) int {
	if limit != AutoLimit {
		return limit
	}
	n, spent := 0, 0
	for _, h := range hits[:min(MaxLimit, len(hits))] {
		if h.affinity > threshold {
			if spent += c.chunk(h).Tokens; spent > budget && n > 0 {
				break
			}
		}
		n++
	}
	return max(n, 1)
}

// widen lets passages grow by neighbouring chunks while the budget in tokens
// lasts, the best passage first, one chunk each in turn: first those of the
// section or page that the passage is in, what follows before what comes
// before, then the others. No chunk is in two passages.
func (c *Corpus) widen(passages []passage, budget int) []passage {
	taken := map[[2]int]bool{}
	for _, p := range passages {
		for k := p.firstChunk; k <= p.lastChunk; k++ {
			taken[[2]int{p.file, k}] = true
			budget -= c.files[p.file].chunks[k].Tokens
		}
	}
	for _, inside := range []bool{true, false} {
		for grown := true; grown && budget > 0; {
			grown = false
			for i := range passages {
				p := &passages[i]
				k, ok := c.neighbour(*p, inside, taken, budget)
				if !ok {
					continue
				}
				taken[[2]int{p.file, k}] = true
				budget -= c.files[p.file].chunks[k].Tokens
				p.firstChunk, p.lastChunk = min(p.firstChunk, k), max(p.lastChunk, k)
				grown = true
			}
		}
	}
	for i := range passages {
		c.bound(&passages[i])
	}
	return c.merged(passages)
}

// neighbour is the chunk that a passage may grow by next.
func (c *Corpus) neighbour(p passage, inside bool, taken map[[2]int]bool, budget int) (chunk int, ok bool) {
	chunks := c.files[p.file].chunks
	for _, k := range []int{p.lastChunk + 1, p.firstChunk - 1} {
		if k < 0 || k >= len(chunks) || taken[[2]int{p.file, k}] || chunks[k].Tokens > budget {
			continue
		}
		if k > p.hitChunks[1]+widest || k < p.hitChunks[0]-widest || !c.sameFile(p.file, p.hitChunks[0], k) {
			continue
		}
		if !inside || c.together(p, k) {
			return k, true
		}
	}
	return 0, false
}

// together reports whether a chunk is in the section or on the page of a passage.
func (c *Corpus) together(p passage, chunk int) bool {
	f := c.files[p.file]
	a, b := f.chunks[p.hitChunks[0]], f.chunks[chunk]
	if a.Heading != "" && a.Heading == b.Heading {
		return true
	}
	places := f.locator().places
	here, there := places.At(a.Start, a.End), places.At(b.Start, b.End)
	return here.Page > 0 && here.Page == there.Page || here.Slide > 0 && here.Slide == there.Slide
}

// bound sets the range of a passage to its chunks.
func (c *Corpus) bound(p *passage) {
	chunks := c.files[p.file].chunks
	p.first = chunks[p.firstChunk]
	p.start, p.end = p.first.Start, chunks[p.lastChunk].End
}

// merged joins passages that have come to be side by side, at the place of
// the better.
func (c *Corpus) merged(passages []passage) []passage {
	for i := 0; i < len(passages); i++ {
		for j := i + 1; j < len(passages); j++ {
			a, b := &passages[i], passages[j]
			if a.file != b.file || a.lastChunk+1 != b.firstChunk && b.lastChunk+1 != a.firstChunk || !c.sameFile(a.file, a.firstChunk, b.firstChunk) {
				continue
			}
			a.firstChunk, a.lastChunk = min(a.firstChunk, b.firstChunk), max(a.lastChunk, b.lastChunk)
			a.affinity = max(a.affinity, b.affinity)
			a.reread = better(a.reread, b.reread)
			c.bound(a)
			passages = append(passages[:j], passages[j+1:]...)
			i, j = 0, 0
		}
	}
	return passages
}

// mark says in a citation that grew where its hit is.
func (c *Corpus) mark(cited *chat.Citation, p passage) {
	f := c.files[p.file]
	start, end := trim(f.text(), f.chunks[p.hitChunks[0]].Start, f.chunks[p.hitChunks[1]].End)
	if start != cited.Start || end != cited.End {
		cited.Hit = &chat.Range{Start: start, End: end}
	}
}
