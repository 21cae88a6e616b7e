package retrieve

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"inlay/embed"
)

// exactIndex compares a query with every vector it holds. It is the [Index] of
// a [Retriever] that is given none.
type exactIndex struct {
	mu         sync.RWMutex
	dimensions int
	rows       map[string]exactRow // by chunk id
}

type exactRow struct {
	chunk  Chunk
	vector embed.Vector
}

// Add implements [Index].
func (x *exactIndex) Add(ctx context.Context, chunks []Chunk, vectors []embed.Vector) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	dimensions, err := CheckVectors(chunks, vectors, x.dimensions)
	if err != nil {
		return err
	}
	x.dimensions = dimensions
	if x.rows == nil {
		x.rows = make(map[string]exactRow, len(chunks))
	}
	for i, c := range chunks {
		x.rows[c.ID] = exactRow{c, slices.Clone(vectors[i])}
	}
	return nil
}

// Search implements [Index].
func (x *exactIndex) Search(ctx context.Context, q Query) ([]Match, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(x.rows) == 0 || q.Limit <= 0 {
		return nil, nil
	}
	if err := CheckVector("the query's vector", q.Vector, x.dimensions); err != nil {
		return nil, err
	}
	order := make(map[string]int, len(q.Files))
	for i, id := range q.Files {
		order[id] = i
	}
	type scored struct {
		Match
		start int
	}
	var all []scored
	for _, row := range x.rows {
		if _, ok := order[row.chunk.FileID]; ok || q.Files == nil {
			m := Match{ChunkID: row.chunk.ID, FileID: row.chunk.FileID, Score: dot(q.Vector, row.vector)}
			all = append(all, scored{m, row.chunk.Start})
		}
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(order[a.FileID], order[b.FileID]),
			cmp.Compare(a.FileID, b.FileID), cmp.Compare(a.start, b.start), cmp.Compare(a.ChunkID, b.ChunkID))
	})
	matches := make([]Match, min(q.Limit, len(all)))
	for i := range matches {
		matches[i] = all[i].Match
	}
	return matches, nil
}

// Delete implements [Index].
func (x *exactIndex) Delete(ctx context.Context, fileIDs ...string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for id, row := range x.rows {
		if slices.Contains(fileIDs, row.chunk.FileID) {
			delete(x.rows, id)
		}
	}
	if len(x.rows) == 0 {
		x.dimensions = 0
	}
	return nil
}
