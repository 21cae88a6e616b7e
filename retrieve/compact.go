package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"inlay/embed"
)

// compactFrom is the number of chunks from which on the vectors of a file are
// kept in 16 bits, if the embedder is lexical: such vectors take four times as
// much room as the text.
const compactFrom = 4096

// blockChunks is how many vectors of a [compactVectors] lie together.
const blockChunks = 64

// compactVectors are vectors of which each number is rounded to one of 65,535
// steps. What they say of the nearest is within a known error, so that exact
// vectors of the few that may be nearest decide. A query of a lexical embedder
// has few numbers that are not zero: vectors lie number after number, and only
// those of the query's are read.
type compactVectors struct {
	blocks [][]int16 // of blockChunks vectors: the first number of each, then the second ...
	step   []float32 // by chunk: what 1 of its numbers stands for
}

func newCompactVectors(chunks int) *compactVectors {
	return &compactVectors{blocks: make([][]int16, (chunks+blockChunks-1)/blockChunks), step: make([]float32, chunks)}
}

// setBlock takes the vectors of a block. Blocks may be set side by side.
func (x *compactVectors) setBlock(block int, vectors []embed.Vector) {
	codes := make([]int16, len(vectors[0])*blockChunks)
	for i, v := range vectors {
		most := float32(0)
		for _, n := range v {
			most = max(most, n, -n)
		}
		step := max(most, math.SmallestNonzeroFloat32*math.MaxInt16) / math.MaxInt16
		x.step[block*blockChunks+i] = step
		for d, n := range v {
			codes[d*blockChunks+i] = int16(math.Round(float64(n / step)))
		}
	}
	x.blocks[block] = codes
}

// slack is more than the sums of float32 numbers can be off by.
const slack = 1e-4

// nearest returns the chunks that may be among the limit nearest to a query, with
// their number in no order.
func (x *compactVectors) nearest(query embed.Vector, limit int) []int {
	off := 0.0
	for _, n := range query {
		off += math.Abs(float64(n)) / 2
	}
	scores := make([]float32, len(x.blocks)*blockChunks)
	for i, codes := range x.blocks {
		row := scores[i*blockChunks : (i+1)*blockChunks : (i+1)*blockChunks]
		for d, n := range query {
			if n == 0 {
				continue
			}
			for k, code := range codes[d*blockChunks : (d+1)*blockChunks] {
				row[k] += float32(n * float32(code))
			}
		}
	}
	var low []float64 // the best lower bounds so far
	for k, step := range x.step {
		if low = append(low, float64(scores[k]*step)-off*float64(step)); len(low) >= 8*limit {
			low = firstOf(low, limit)
		}
	}
	low = firstOf(low, limit)
	if len(low) == 0 {
		return nil
	}
	least := low[len(low)-1] - 2*slack
	var found []int
	for k, step := range x.step {
		if float64(scores[k]*step)+off*float64(step) >= least {
			found = append(found, k)
		}
	}
	return found
}

// firstOf returns the n greatest, in order.
func firstOf(numbers []float64, n int) []float64 {
	slices.SortFunc(numbers, func(a, b float64) int { return cmp.Compare(b, a) })
	return numbers[:min(n, len(numbers))]
}

// compacts reports whether the vectors of a file are kept in 16 bits.
func (r *Retriever) compacts(chunks int) bool {
	return chunks >= r.compactFrom && r.embedder.Spec().Lexical
}

// embedCompact makes the compact vectors of a file, blocks side by side.
func (r *Retriever) embedCompact(ctx context.Context, x *indexed, progress func(float64)) error {
	x.compact = newCompactVectors(len(x.chunks))
	progress(0)
	var mu sync.Mutex
	var done, next atomic.Int64
	var failed error
	var wait sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	work := func() {
		for b := int(next.Add(1)) - 1; b < len(x.compact.blocks) && ctx.Err() == nil; b = int(next.Add(1)) - 1 {
			err := r.embedBlock(ctx, x, b)
			mu.Lock()
			if err != nil && failed == nil {
				failed = err
				stop()
			}
			if err == nil {
				progress(float64(done.Add(1)) / float64(len(x.compact.blocks)))
			}
			mu.Unlock()
		}
	}
	for range min(runtime.GOMAXPROCS(0), len(x.compact.blocks)) {
		wait.Go(work)
	}
	wait.Wait()
	if failed != nil {
		return failed
	}
	return ctx.Err()
}

func (r *Retriever) embedBlock(ctx context.Context, x *indexed, block int) error {
	vectors, err := r.embedChunkTexts(ctx, x.chunks[block*blockChunks:min((block+1)*blockChunks, len(x.chunks))])
	if err != nil {
		return err
	}
	x.compact.setBlock(block, vectors)
	return nil
}

// embedChunkTexts embeds chunks as they stand in the vectors.
func (r *Retriever) embedChunkTexts(ctx context.Context, chunks []Chunk) ([]embed.Vector, error) {
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = embeddedText(c)
	}
	return r.embedTexts(ctx, texts)
}

// measure sets the cosines of hits. Those of files with compact vectors are of
// vectors that are made again, where they are not yet known.
func (c *Corpus) measure(ctx context.Context, query embed.Vector, hits []hit) error {
	s := newSparse(query)
	var made []int
	var chunks []Chunk
	for i := range hits {
		h := &hits[i]
		f := c.files[h.file]
		switch {
		case h.measured:
		case f.compact != nil:
			made, chunks = append(made, i), append(chunks, f.chunks[h.chunk])
		case f.vectors[h.chunk] != nil:
			h.cosine = s.dot(f.vectors[h.chunk])
		}
	}
	if len(chunks) == 0 {
		return nil
	}
	vectors, err := c.r.embedChunkTexts(ctx, chunks)
	if err != nil {
		return fmt.Errorf("embed passages: %w", err)
	}
	for k, i := range made {
		hits[i].cosine = s.dot(vectors[k])
	}
	return nil
}

// indexLarge makes a document searchable in one pass over its chunks, words beside
// vectors, without a copy of either.
func (r *Retriever) indexLarge(ctx context.Context, x *indexed, report func(Stage, float64, bool)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	analysed := make(chan error, 1)
	go func() {
		err := x.complete(ctx, r)
		if err != nil {
			stop()
		}
		analysed <- err
	}()
	err := r.embedCompact(ctx, x, func(done float64) { report(Embedding, done, false) })
	if err != nil {
		stop()
	}
	if other := <-analysed; other != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return other
	}
	return err
}
