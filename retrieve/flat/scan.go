package flat

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/viterin/vek/vek32"

	"inlay/retrieve"
)

// hit is a row, its score and what breaks ties between equal scores.
type hit struct {
	score float32
	file  int // place in the order of files
	start int
	id    string
}

// compare puts the better hit first.
func (h hit) compare(o hit) int {
	return cmp.Or(cmp.Compare(o.score, h.score), h.file-o.file, h.start-o.start, cmp.Compare(h.id, o.id))
}

// stretch is a part of the work: some rows of one block.
type stretch struct {
	file     int
	block    *block
	from, to int
}

// stretchRows is how many rows are gone over between two looks at the context.
const stretchRows = 2048

// scan compares the query with every row of the blocks and returns the best
// q.Limit hits, best first. However the work is spread, the result is the same:
// hits are in a total order.
func scan(ctx context.Context, q retrieve.Query, blocks []*block) ([]hit, error) {
	work, rows := stretches(blocks)
	limit := min(q.Limit, rows)
	workers := min(runtime.GOMAXPROCS(0), len(work))
	found := make([]best, max(workers, 1))
	next := make(chan stretch, len(work))
	for _, s := range work {
		next <- s
	}
	close(next)
	var wg sync.WaitGroup
	for w := range workers {
		found[w].limit = limit
		wg.Go(func() {
			for s := range next {
				if ctx.Err() != nil {
					return
				}
				found[w].scan(q.Vector, s)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var all []hit
	for _, f := range found {
		all = append(all, f.hits...)
	}
	slices.SortFunc(all, hit.compare)
	return all[:limit], nil
}

func stretches(blocks []*block) (work []stretch, rows int) {
	for file, b := range blocks {
		rows += len(b.rows)
		for from := 0; from < len(b.rows); from += stretchRows {
			work = append(work, stretch{file, b, from, min(from+stretchRows, len(b.rows))})
		}
	}
	return work, rows
}

// best keeps the best hits seen, the worst of them at the root of a heap.
type best struct {
	limit int
	hits  []hit
}

func (b *best) scan(query []float32, s stretch) {
	for i := s.from; i < s.to; i++ {
		score := vek32.Dot(query, s.block.vector(i))
		if len(b.hits) == b.limit && score < b.hits[0].score {
			continue
		}
		r := s.block.rows[i]
		b.add(hit{score: score, file: s.file, start: r.start, id: r.id})
	}
}

// add puts a hit among the best if it is one of them.
func (b *best) add(h hit) {
	if len(b.hits) < b.limit {
		b.hits = append(b.hits, h)
		b.up(len(b.hits) - 1)
		return
	}
	if h.compare(b.hits[0]) < 0 {
		b.hits[0] = h
		b.down(0)
	}
}

// worse reports whether hit i comes after hit j.
func (b *best) worse(i, j int) bool { return b.hits[i].compare(b.hits[j]) > 0 }

func (b *best) up(i int) {
	for i > 0 && b.worse(i, (i-1)/2) {
		b.hits[i], b.hits[(i-1)/2] = b.hits[(i-1)/2], b.hits[i]
		i = (i - 1) / 2
	}
}

func (b *best) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(b.hits) {
			return
		}
		if child+1 < len(b.hits) && b.worse(child+1, child) {
			child++
		}
		if !b.worse(child, i) {
			return
		}
		b.hits[i], b.hits[child] = b.hits[child], b.hits[i]
		i = child
	}
}
