package flat

import (
	"context"
	"sync"

	"inlay/embed"
	"inlay/retrieve"
	"inlay/retrieve/stored"
)

// DefaultAbove is the number of chunks above which a [Growing] index searches
// flat.
const DefaultAbove = 1000

// Growing is an index that begins as another one and goes over to a flat index
// when it holds more than Above chunks. Until then both hold them, which costs
// little; from then on the other is let go.
type Growing struct {
	Small func() retrieve.Index // makes the index to begin with
	Above int                   // chunks; 0 means DefaultAbove

	mu    sync.RWMutex
	small retrieve.Index // nil when empty or grown
	flat  Index
}

var _ retrieve.Index = (*Growing)(nil)

// Add implements [retrieve.Index].
func (g *Growing) Add(ctx context.Context, chunks []retrieve.Chunk, vectors []embed.Vector) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.flat.Len() == 0 {
		g.small = g.Small()
	}
	if err := g.flat.Add(ctx, chunks, vectors); err != nil {
		return err
	}
	above := g.Above
	if above == 0 {
		above = DefaultAbove
	}
	if g.flat.Len() > above {
		g.small = nil
	}
	if g.small == nil {
		return nil
	}
	if err := g.small.Add(context.WithoutCancel(ctx), chunks, vectors); err != nil {
		g.small = nil // the flat index has them all
	}
	return nil
}

// Search implements [retrieve.Index].
func (g *Growing) Search(ctx context.Context, q retrieve.Query) ([]retrieve.Match, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.small != nil {
		return g.small.Search(ctx, q)
	}
	return g.flat.Search(ctx, q)
}

// Delete implements [retrieve.Index].
func (g *Growing) Delete(ctx context.Context, fileIDs ...string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.flat.Delete(ctx, fileIDs...); err != nil {
		return err
	}
	if g.small == nil {
		return nil
	}
	if err := g.small.Delete(context.WithoutCancel(ctx), fileIDs...); err != nil {
		g.small = nil
	}
	return nil
}

// Open returns a flat index whose contents are kept in the folder dir, as
// [stored.Open] says. Fingerprint names the embedder and the chunking.
func Open(ctx context.Context, dir, fingerprint string) (*stored.Index, error) {
	return stored.Open(ctx, dir, fingerprint, New())
}
