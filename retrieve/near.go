package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"inlay/embed"
)

// neighbour is a passage whose vector is near that of a query, or whose words are.
type neighbour struct {
	file, chunk int
	score       float64 // of vectors the cosine
	exact       bool    // the score is the cosine as dot has it
}

// neighbours are the passages nearest to a query, best first, at most
// candidates. Vectors of a lexical embedder are compared where they are; the
// index has those of the others.
func (c *Corpus) neighbours(ctx context.Context, query embed.Vector) ([]neighbour, error) {
	n := nearest{query: newSparse(query)}
	lexical := c.r.embedder.Spec().Lexical
	if !lexical {
		if err := c.fromIndex(ctx, query, &n); err != nil {
			return nil, err
		}
	}
	for i, f := range c.files {
		switch {
		case f.compact != nil:
			if err := c.fromCompact(ctx, query, i, &n); err != nil {
				return nil, err
			}
		case lexical || f.words.sample != nil:
			n.compare(i, f.vectors)
		}
	}
	return n.first(), nil
}

// fromIndex adds the matches of the index.
func (c *Corpus) fromIndex(ctx context.Context, query embed.Vector, n *nearest) error {
	matches, err := c.index.Search(ctx, Query{Vector: query, Limit: candidates, Files: c.ids})
	if err != nil {
		return fmt.Errorf("search the index: %w", err)
	}
	for _, m := range matches {
		if file, ok := c.place[m.FileID]; ok {
			if chunk, ok := c.files[file].byID[m.ChunkID]; ok {
				n.add(neighbour{file, chunk, m.Score, false})
			}
		}
	}
	return nil
}

// fromCompact adds passages of a file with compact vectors, by vectors that are
// made again.
func (c *Corpus) fromCompact(ctx context.Context, query embed.Vector, file int, n *nearest) error {
	f := c.files[file]
	may := f.compact.nearest(query, candidates)
	chunks := make([]Chunk, len(may))
	for i, k := range may {
		chunks[i] = f.chunks[k]
	}
	vectors, err := c.r.embedChunkTexts(ctx, chunks)
	if err != nil {
		return fmt.Errorf("embed passages of %s: %w", f.doc.Name, err)
	}
	for i, v := range vectors {
		n.add(neighbour{file, may[i], n.query.dot(v), true})
	}
	return nil
}

// nearest collects the candidates of the highest scores; ties by file order, then offset.
type nearest struct {
	query sparse
	all   []neighbour
	least float64 // the score that one more needs, once there are enough
	full  bool
}

// compare adds the passages of a file by their vectors, of which some may be nil.
func (n *nearest) compare(file int, vectors []embed.Vector) {
	for k, v := range vectors {
		if v != nil {
			n.add(neighbour{file, k, n.query.dot(v), true})
		}
	}
}

func (n *nearest) add(one neighbour) {
	if n.full && one.score < n.least {
		return
	}
	if n.all = append(n.all, one); len(n.all) >= 8*candidates {
		n.all = n.first()
		n.least, n.full = n.all[len(n.all)-1].score, true
	}
}

func (n *nearest) first() []neighbour {
	slices.SortFunc(n.all, func(a, b neighbour) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.chunk, b.chunk))
	})
	return n.all[:min(candidates, len(n.all))]
}

// sparse is the vector of a query by its numbers that are not 0, few where the
// embedder is lexical. Its products are summed as dot sums them, to the last bit.
type sparse struct {
	whole embed.Vector // set where most numbers are not 0
	lanes [4][]component
}

type component struct {
	at    int32
	value float32
}

func newSparse(v embed.Vector) sparse {
	count := 0
	for _, x := range v {
		if x != 0 {
			count++
		}
	}
	if 2*count > len(v) {
		return sparse{whole: v}
	}
	var s sparse
	each := make([]component, 0, 4*count)
	for lane := range s.lanes {
		s.lanes[lane] = each[lane*count : lane*count : (lane+1)*count]
	}
	for i, x := range v {
		lane := i % 4
		if i >= len(v)&^3 {
			lane = 0
		}
		if x != 0 {
			s.lanes[lane] = append(s.lanes[lane], component{int32(i), x})
		}
	}
	return s
}

// dot is that of the query and v.
func (s *sparse) dot(v embed.Vector) float64 {
	if s.whole != nil {
		return dot(s.whole, v)
	}
	var sums [4]float32
	for lane, components := range s.lanes {
		sum := float32(0)
		for _, c := range components {
			sum += float32(c.value * v[c.at])
		}
		sums[lane] = sum
	}
	return float64(sums[0]) + float64(sums[1]) + float64(sums[2]) + float64(sums[3])
}
