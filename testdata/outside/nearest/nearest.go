// Package nearest is an index that compares a query with every vector.
package nearest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"inlay/embed"
	"inlay/retrieve"
)

// Index keeps vectors by file and chunk.
type Index struct {
	mu         sync.RWMutex
	dimensions int
	files      map[string]map[string]row // by file id and chunk id
}

type row struct {
	chunk  retrieve.Chunk
	vector embed.Vector
}

// New returns an empty index.
func New() *Index { return &Index{files: map[string]map[string]row{}} }

// Add implements [retrieve.Index].
func (x *Index) Add(ctx context.Context, chunks []retrieve.Chunk, vectors []embed.Vector) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	dimensions, err := retrieve.CheckVectors(chunks, vectors, x.dimensions)
	if err != nil {
		return err
	}
	x.dimensions = dimensions
	for i, c := range chunks {
		x.remove(c.ID)
		if x.files[c.FileID] == nil {
			x.files[c.FileID] = map[string]row{}
		}
		x.files[c.FileID][c.ID] = row{c, slices.Clone(vectors[i])}
	}
	return nil
}

// Search implements [retrieve.Index].
func (x *Index) Search(ctx context.Context, q retrieve.Query) ([]retrieve.Match, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(x.files) == 0 || q.Limit <= 0 {
		return nil, nil
	}
	if err := retrieve.CheckVector("the query's vector", q.Vector, x.dimensions); err != nil {
		return nil, err
	}
	var matches []retrieve.Match
	for _, id := range retrieve.SearchOrder(q.Files, x.files) {
		for _, r := range inOrder(x.files[id]) {
			matches = append(matches, retrieve.Match{ChunkID: r.chunk.ID, FileID: id, Score: cosine(q.Vector, r.vector)})
		}
	}
	slices.SortStableFunc(matches, func(a, b retrieve.Match) int { return cmp.Compare(b.Score, a.Score) })
	return matches[:min(q.Limit, len(matches))], nil
}

// Delete implements [retrieve.Index].
func (x *Index) Delete(ctx context.Context, fileIDs ...string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, id := range fileIDs {
		delete(x.files, id)
	}
	if len(x.files) == 0 {
		x.dimensions = 0 // the next vectors may come from another embedder
	}
	return nil
}

// remove takes out a chunk, which may have belonged to another file.
func (x *Index) remove(chunkID string) {
	for id, rows := range x.files {
		delete(rows, chunkID)
		if len(rows) == 0 {
			delete(x.files, id)
		}
	}
}

// inOrder returns the rows of a file as equal scores are ordered.
func inOrder(rows map[string]row) []row {
	return slices.SortedFunc(maps.Values(rows), func(a, b row) int {
		return cmp.Or(cmp.Compare(a.chunk.Start, b.chunk.Start), cmp.Compare(a.chunk.ID, b.chunk.ID))
	})
}

func cosine(a, b embed.Vector) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
