package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"inlay/embed"
)

// candidates is how many of the best passages of each leg are ranked together.
const candidates = 100

// hit is one passage and what a query made of it.
type hit struct {
	file, chunk int
	words       float64  // the lexical leg's score
	cosine      float64  // 0 where the passage has no vector
	measured    bool     // cosine is known from the search for neighbours
	score       float64  // of the ranking; compares within one query only
	affinity    float64  // 0..1, RET-5
	reread      *float64 // the score of a [Reranker]; nil where it did not read the passage
}

// Ranked is one passage in the order of a query, before limit and threshold.
type Ranked struct {
	Chunk    Chunk
	Score    float64  // compares within one query only
	Affinity float64  // 0..1
	Again    bool     // a near duplicate of one before it, which is not cited
	Rerank   *float64 // the score of the [Reranker]; nil where none read it
}

// Rank returns the best n passages for the query in order, whatever their
// affinity: what a sweep over limits and thresholds starts from. It knows at
// most the best hundred of each leg. A [Reranker]
// orders them as it does in Find, but that its failure is an error.
func (c *Corpus) Rank(ctx context.Context, query string, n int) ([]Ranked, error) {
	c, err := c.withCollections(ctx, query)
	if err != nil {
		return nil, err
	}
	hits, _, err := c.rank(ctx, query)
	if err != nil {
		return nil, err
	}
	if _, err := c.rerank(ctx, query, hits); err != nil {
		return nil, fmt.Errorf("rerank: %w", err)
	}
	ranked := make([]Ranked, min(n, len(hits)))
	var o originals
	for i, h := range hits[:len(ranked)] {
		ranked[i] = Ranked{Chunk: c.chunk(h), Score: h.score, Affinity: h.affinity, Again: c.duplicated(&o, h), Rerank: h.reread}
	}
	return ranked, nil
}

// rank returns the best passages for the query, best first; ties by file
// order, then offset. Passages without any affinity come at the end.
func (c *Corpus) rank(ctx context.Context, query string) ([]hit, lexicalHits, error) {
	if c.total == 0 {
		return nil, lexicalHits{}, ctx.Err()
	}
	vector := c.asked
	if vector == nil {
		var err error
		if vector, err = c.r.embedQuery(ctx, query); err != nil {
			return nil, lexicalHits{}, fmt.Errorf("embed the query: %w", err)
		}
	}
	near, err := c.neighbours(ctx, vector)
	if err != nil {
		return nil, lexicalHits{}, err
	}
	return c.order(ctx, query, vector, near, &c.r.set)
}

// order ranks the best of both legs for a query and its nearest vectors.
func (c *Corpus) order(ctx context.Context, query string, vector embed.Vector, near []neighbour, set *setting) ([]hit, lexicalHits, error) {
	hits, words, err := c.gather(ctx, query, vector, near, set)
	if err != nil {
		return nil, lexicalHits{}, err
	}
	c.rescore(hits, words, set)
	promote(hits, set.promoted)
	return hits, words, nil
}

// promote moves the passage of the highest affinity up to a place, from 1, if
// it is below: whoever reads only the first few sees it too.
func promote(hits []hit, place int) {
	if place == 0 || len(hits) <= place {
		return
	}
	top := 0
	for i, h := range hits {
		if h.affinity > hits[top].affinity {
			top = i
		}
	}
	if top < place {
		return
	}
	h := hits[top]
	h.score = hits[place-1].score
	copy(hits[place:top+1], hits[place-1:top])
	hits[place-1] = h
}

// gather scores the best of both legs, best first.
func (c *Corpus) gather(ctx context.Context, query string, vector embed.Vector, near []neighbour, set *setting) ([]hit, lexicalHits, error) {
	words := c.r.searchLexical(c.words, c.outside, query, set)
	hits := c.union(best(words.score), near)
	if err := c.measure(ctx, vector, hits); err != nil {
		return nil, lexicalHits{}, err
	}
	lexical := c.r.embedder.Spec().Lexical
	for i := range hits {
		h := &hits[i]
		h.words = words.score[h.file][h.chunk]
		h.affinity = min(1, max(0, h.cosine))
		if lexical {
			f := c.words[h.file]
			h.affinity = words.asked[f.terms.Lang].affinity(h.file, f, h.chunk)
		}
	}
	if lexical {
		for i := range hits {
			hits[i].score = hits[i].words + float64(set.letters*max(0, hits[i].cosine))
		}
	} else {
		fuse(hits, set.meaning)
	}
	sortHits(hits)
	return hits, words, nil
}

// sortHits puts the best first; ties by file order, then offset.
func sortHits(hits []hit) {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), inOrder(a, b)) })
}

// inOrder compares two hits by file order, then offset.
func inOrder(a, b hit) int {
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.chunk, b.chunk))
}

// best returns the chunks of the highest scores above zero, at most candidates,
// best first; ties by file order, then offset.
func best(scores [][]float64) []hit {
	n := nearest{}
	for i, row := range scores {
		for k, s := range row {
			if s > 0 {
				n.add(neighbour{file: i, chunk: k, score: s})
			}
		}
	}
	first := n.first()
	hits := make([]hit, len(first), len(first)+candidates)
	for i, one := range first {
		hits[i] = hit{file: one.file, chunk: one.chunk, words: one.score}
	}
	return hits
}

// union adds the nearest passages to hits.
func (c *Corpus) union(hits []hit, near []neighbour) []hit {
	place := make(map[[2]int]int, len(hits))
	for i, h := range hits {
		place[[2]int{h.file, h.chunk}] = i
	}
	for _, n := range near {
		i, ok := place[[2]int{n.file, n.chunk}]
		if !ok {
			i = len(hits)
			hits = append(hits, hit{file: n.file, chunk: n.chunk})
		}
		if n.exact {
			hits[i].cosine, hits[i].measured = n.score, true
		}
	}
	return hits
}

// fuse scores hits by both legs, each scaled over the hits: words by their
// best, cosines from their least to their best.
func fuse(hits []hit, meaning float64) {
	most, least, best := 0.0, 1.0, -1.0
	for _, h := range hits {
		most, least, best = max(most, h.words), min(least, h.cosine), max(best, h.cosine)
	}
	for i := range hits {
		h := &hits[i]
		h.score = 0
		if most > 0 {
			h.score = h.words / most
		}
		if best > least {
			h.score += float64(meaning * (h.cosine - least) / (best - least))
		}
	}
}

// dot is the cosine of two unit vectors. Each product is rounded on its own,
// so that every platform sums the same numbers.
func dot(a, b embed.Vector) float64 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += float32(a[i] * b[i])
		s1 += float32(a[i+1] * b[i+1])
		s2 += float32(a[i+2] * b[i+2])
		s3 += float32(a[i+3] * b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += float32(a[i] * b[i])
	}
	return float64(s0) + float64(s1) + float64(s2) + float64(s3)
}
