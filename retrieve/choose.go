package retrieve

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"inlay/chat"
)

// nearMisses is how many passages below the threshold are reported.
const nearMisses = 3

// choose fills in what is cited of a ranking: first the best by limit, then
// those above the threshold (INJ-10) that reach the asked share of the best
// score; near duplicates once; neighbours joined.
func (c *Corpus) choose(ranking []hit, words lexicalHits, p *Passages, budget int) {
	for _, h := range ranking[:min(candidates, len(ranking))] {
		p.Candidates = append(p.Candidates, h.affinity)
	}
	slices.SortStableFunc(p.Candidates, func(a, b float64) int { return cmp.Compare(b, a) })
	var kept, below []hit
	distinct := c.distinct(ranking, max(p.Limit, candidates))
	distinct = c.spread(distinct)
	p.Limit = c.limitFor(distinct, p.Limit, budget, p.Threshold)
	best := topScore(ranking)
	for i, h := range distinct {
		switch {
		case h.affinity <= p.Threshold:
			below = append(below, h)
		case i < p.Limit && h.score >= c.r.relative*best:
			kept = append(kept, h)
		}
	}
	joined := c.widen(c.join(kept), budget)
	p.Total -= passageCount(joined) - len(joined) // what is cited as one counts as one
	for i, span := range joined {
		cited := c.cite(span, words)
		c.mark(&cited, span)
		cited.Number, cited.Rank = i+1, i+1
		p.Citations = append(p.Citations, cited)
	}
	slices.SortStableFunc(below, func(a, b hit) int { return cmp.Compare(b.affinity, a.affinity) })
	for _, h := range below[:min(nearMisses, len(below))] {
		if h.affinity > 0 {
			p.NearMisses = append(p.NearMisses, c.cite(c.span(h), words))
		}
	}
}

// topScore is the best score of a ranking, which a [Reranker] may have moved down.
func topScore(ranking []hit) float64 {
	best := math.Inf(-1)
	for _, h := range ranking {
		best = max(best, h.score)
	}
	return best
}

// passageCount is how many chunks passages are made of.
func passageCount(passages []passage) int {
	n := 0
	for _, p := range passages {
		n += p.lastChunk - p.firstChunk + 1
	}
	return n
}

// distinct returns at most n of the ranking without near duplicates of one before.
func (c *Corpus) distinct(ranking []hit, n int) []hit {
	var kept []hit
	var o originals
	for _, h := range ranking {
		if len(kept) == n {
			break
		}
		if !c.duplicated(&o, h) {
			kept = append(kept, h)
		}
	}
	return kept
}

func (c *Corpus) chunk(h hit) Chunk { return c.files[h.file].chunks[h.chunk] }

// passage is one or more neighbouring chunks that are cited as one.
type passage struct {
	file                  int
	first                 Chunk
	firstChunk, lastChunk int
	hitChunks             [2]int // the first and last that were found
	start, end            int
	affinity              float64
	reread                *float64 // the best score of a Reranker
}

func (c *Corpus) span(h hit) passage {
	chunk := c.chunk(h)
	return passage{h.file, chunk, h.chunk, h.chunk, [2]int{h.chunk, h.chunk}, chunk.Start, chunk.End, h.affinity, h.reread}
}

// join turns hits into passages, in the order of the best hit of each. Chunks
// that follow one another in a part of a file become one passage with the best
// affinity.
func (c *Corpus) join(hits []hit) []passage {
	order := make([]int, len(hits)) // by file and place
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return inOrder(hits[a], hits[b]) })
	type ranked struct {
		passage
		rank int
	}
	var joined []ranked
	for _, i := range order {
		s := c.span(hits[i])
		if n := len(joined) - 1; n >= 0 && joined[n].file == s.file && joined[n].lastChunk+1 == s.firstChunk && c.sameFile(s.file, joined[n].lastChunk, s.firstChunk) {
			last := &joined[n]
			last.lastChunk, last.hitChunks[1], last.end = s.lastChunk, s.lastChunk, max(last.end, s.end)
			last.affinity, last.rank = max(last.affinity, s.affinity), min(last.rank, i)
			last.reread = better(last.reread, s.reread)
			continue
		}
		joined = append(joined, ranked{s, i})
	}
	slices.SortFunc(joined, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	passages := make([]passage, len(joined))
	for i, j := range joined {
		passages[i] = j.passage
	}
	return passages
}

// sameFile reports whether two chunks of a document are of one file in it, where
// it is an archive, or of one part.
func (c *Corpus) sameFile(file, a, b int) bool {
	f := c.files[file]
	return f.locator().places.SamePart(f.chunks[a].Start, f.chunks[b].Start)
}

// cite describes a passage by SPEC section 12, without number and rank.
func (c *Corpus) cite(p passage, words lexicalHits) chat.Citation {
	cited := c.files[p.file].locator().cite(p.start, p.end, c.evidenceIn(words, p))
	cited.File = c.files[p.file].doc.Name // it may have had another one
	cited.ID, cited.Affinity, cited.Rerank = p.first.ID, p.affinity, p.reread
	if p.firstChunk != p.lastChunk {
		cited.ID = fmt.Sprintf("%s-%d", cited.ID, cited.End)
	}
	return cited
}

// better is the higher of two scores of a [Reranker], either of which may be missing.
func better(a, b *float64) *float64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// trim narrows a range to what is between its first and last white space:
// a chunk keeps the blank lines after it, a citation does not need them.
func trim(text string, start, end int) (int, int) {
	slice := text[start:end]
	inner := strings.TrimLeftFunc(slice, unicode.IsSpace)
	start += len(slice) - len(inner)
	return start, start + len(strings.TrimRightFunc(inner, unicode.IsSpace))
}

// spread puts passages of a page that already has perPage passages before them
// behind all others: whoever reads the first few sees more pages.
func (c *Corpus) spread(hits []hit) []hit {
	perPage := c.r.set.perPage
	if perPage == 0 {
		return hits
	}
	seen := map[[2]int]int{}
	var first, later []hit
	for _, h := range hits {
		page := c.words[h.file].pages[h.chunk]
		at := [2]int{h.file, page}
		if seen[at]++; page >= 0 && seen[at] > perPage {
			later = append(later, h)
		} else {
			first = append(first, h)
		}
	}
	return append(first, later...)
}
