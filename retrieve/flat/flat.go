// Package flat is a [retrieve.Index] that compares a query with every vector,
// exactly, as fast as memory can be read: the vectors of a file lie one after
// the other, and a vectorised dot product goes over them on every processor.
package flat

import (
	"context"
	"slices"
	"sync"

	"inlay/embed"
	"inlay/retrieve"
)

// Index keeps vectors in memory. Its zero value is an empty index.
type Index struct {
	mu         sync.RWMutex
	files      map[string]*block
	home       map[string]string // chunk id to file id
	dimensions int               // 0 while the index is empty
}

var _ retrieve.Index = (*Index)(nil)

// New returns an empty index.
func New() *Index { return &Index{} }

// Len is the number of chunks in the index.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.home)
}

// Add implements [retrieve.Index].
func (x *Index) Add(ctx context.Context, chunks []retrieve.Chunk, vectors []embed.Vector) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	dimensions, err := retrieve.CheckVectors(chunks, vectors, x.dimensions)
	if err != nil || len(chunks) == 0 {
		return err
	}
	x.dimensions = dimensions
	x.reserve(chunks)
	for i, c := range chunks {
		if old, ok := x.home[c.ID]; ok && old != c.FileID {
			x.forget(old, c.ID)
		}
		x.home[c.ID] = c.FileID
		x.files[c.FileID].put(c, vectors[i])
	}
	return nil
}

// reserve makes room for the chunks, so that the vectors of a file are copied
// once and not over and over while its block grows.
func (x *Index) reserve(chunks []retrieve.Chunk) {
	if x.home == nil {
		x.files, x.home = map[string]*block{}, map[string]string{}
	}
	count := map[string]int{}
	for _, c := range chunks {
		count[c.FileID]++
	}
	for id, n := range count {
		b := x.files[id]
		if b == nil {
			b = &block{dimensions: x.dimensions, row: map[string]int{}}
			x.files[id] = b
		}
		b.vectors = slices.Grow(b.vectors, n*x.dimensions)
		b.rows = slices.Grow(b.rows, n)
	}
}

// forget removes one chunk of a file, and the file if it was the last.
func (x *Index) forget(file, chunk string) {
	b := x.files[file]
	b.drop(chunk)
	if len(b.rows) == 0 {
		delete(x.files, file)
	}
}

// Delete implements [retrieve.Index].
func (x *Index) Delete(ctx context.Context, fileIDs ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range fileIDs {
		if b := x.files[id]; b != nil {
			for chunk := range b.row {
				delete(x.home, chunk)
			}
			delete(x.files, id)
		}
	}
	if len(x.files) == 0 {
		x.dimensions = 0
	}
	return nil
}

// Search implements [retrieve.Index].
func (x *Index) Search(ctx context.Context, q retrieve.Query) ([]retrieve.Match, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := retrieve.CheckVector("the query's vector", q.Vector, x.dimensions); err != nil {
		return nil, err
	}
	if q.Limit <= 0 || len(x.files) == 0 {
		return nil, nil
	}
	hits, err := scan(ctx, q, x.asked(q.Files))
	if err != nil {
		return nil, err
	}
	matches := make([]retrieve.Match, len(hits))
	for i, h := range hits {
		matches[i] = retrieve.Match{ChunkID: h.id, FileID: x.home[h.id], Score: min(max(float64(h.score), -1), 1)}
	}
	return matches, nil
}

// asked are the blocks to search, in the order that breaks ties.
func (x *Index) asked(files []string) []*block {
	var blocks []*block
	for _, id := range retrieve.SearchOrder(files, x.files) {
		blocks = append(blocks, x.files[id])
	}
	return blocks
}
