// Package chromem is a [retrieve.Index] over github.com/philippgille/chromem-go.
//
// chromem-go does the search. Around it is what it leaves to its callers:
// vectors are checked before they go in and copied, an Add is wholly done or
// not at all, equal scores come in a fixed order, more results may be asked for
// than there are, and changes wait for searches. The chunks of each file are a
// collection of their own, so that searching some files costs what they hold.
package chromem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/philippgille/chromem-go"

	"inlay/embed"
	"inlay/retrieve"
)

// Index keeps vectors in memory. Its zero value is an empty index.
type Index struct {
	mu         sync.RWMutex
	db         *chromem.DB
	files      map[string]*file
	home       map[string]string // chunk id to file id
	dimensions int               // 0 while the index is empty
}

// file is the collection of one file's chunks.
type file struct {
	*chromem.Collection
	starts map[string]int // chunk id to where the chunk begins
}

var _ retrieve.Index = (*Index)(nil)

// New returns an empty index in memory.
func New() *Index { return &Index{} }

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
	for i, c := range chunks {
		if err := x.put(c, vectors[i]); err != nil {
			return err
		}
	}
	return nil
}

// put adds one checked chunk. Chromem-go can no longer refuse it, and is not
// asked to stop in the middle.
func (x *Index) put(c retrieve.Chunk, v embed.Vector) error {
	if old, ok := x.home[c.ID]; ok && old != c.FileID {
		if err := x.forget(old, c.ID); err != nil {
			return err
		}
	}
	f, err := x.file(c.FileID)
	if err != nil {
		return err
	}
	doc := chromem.Document{ID: c.ID, Embedding: slices.Clone([]float32(v))}
	if err := f.AddDocument(context.Background(), doc); err != nil {
		return fmt.Errorf("add %s: %w", c.ID, err)
	}
	f.starts[c.ID] = c.Start
	x.home[c.ID] = c.FileID
	return nil
}

// file returns the collection of a file, a new one if need be.
func (x *Index) file(id string) (*file, error) {
	if x.db == nil {
		x.db, x.files, x.home = chromem.NewDB(), map[string]*file{}, map[string]string{}
	}
	if f, ok := x.files[id]; ok {
		return f, nil
	}
	c, err := x.db.CreateCollection(id, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("make a collection for %s: %w", id, err)
	}
	f := &file{c, map[string]int{}}
	x.files[id] = f
	return f, nil
}

// forget removes one chunk of a file, and the file if it was the last.
func (x *Index) forget(fileID, chunkID string) error {
	f := x.files[fileID]
	if len(f.starts) == 1 {
		return x.remove(fileID)
	}
	if err := f.Delete(context.Background(), nil, nil, chunkID); err != nil {
		return fmt.Errorf("delete %s: %w", chunkID, err)
	}
	delete(f.starts, chunkID)
	delete(x.home, chunkID)
	return nil
}

// remove removes a file with all its chunks.
func (x *Index) remove(id string) error {
	f, ok := x.files[id]
	if !ok {
		return nil
	}
	if err := x.db.DeleteCollection(id); err != nil {
		return fmt.Errorf("delete %s: %w", id, err)
	}
	for chunk := range f.starts {
		delete(x.home, chunk)
	}
	delete(x.files, id)
	return nil
}

// Delete implements [retrieve.Index].
func (x *Index) Delete(ctx context.Context, fileIDs ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range fileIDs {
		if err := x.remove(id); err != nil {
			return err
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
	if q.Limit <= 0 {
		return nil, nil
	}
	var found []hit
	for order, id := range retrieve.SearchOrder(q.Files, x.files) {
		hits, err := x.files[id].search(ctx, q, order)
		if err != nil {
			return nil, fmt.Errorf("search %s: %w", id, err)
		}
		found = append(found, hits...)
	}
	slices.SortFunc(found, hit.compare)
	matches := make([]retrieve.Match, min(q.Limit, len(found)))
	for i := range matches {
		matches[i] = found[i].Match
	}
	return matches, nil
}

// hit is a match and what breaks ties between equal scores.
type hit struct {
	retrieve.Match
	file, start int
}

// compare puts the better hit first.
func (h hit) compare(o hit) int {
	return cmp.Or(cmp.Compare(o.Score, h.Score), h.file-o.file, h.start-o.start, cmp.Compare(h.ChunkID, o.ChunkID))
}

// search returns the best q.Limit chunks of the file and those that score like
// the last of them: which of equals are dropped is not for chromem-go to say,
// it would be others every time.
func (f *file) search(ctx context.Context, q retrieve.Query, order int) ([]hit, error) {
	count := f.Count()
	for n := min(q.Limit, count); ; n = min(n*2, count) {
		results, err := f.QueryEmbedding(ctx, slices.Clone([]float32(q.Vector)), min(n+1, count), nil, nil)
		if err == nil {
			err = ctx.Err() // chromem-go then returns what it has, and no error
		}
		if err != nil {
			return nil, err
		}
		if n < count && results[n].Similarity == results[min(q.Limit, n)-1].Similarity {
			continue
		}
		hits := make([]hit, len(results))
		for i, r := range results {
			score := min(max(float64(r.Similarity), -1), 1)
			hits[i] = hit{retrieve.Match{ChunkID: r.ID, FileID: f.Name, Score: score}, order, f.starts[r.ID]}
		}
		return hits, nil
	}
}
