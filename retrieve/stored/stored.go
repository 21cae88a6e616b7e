// Package stored keeps a [retrieve.Index] on disk: it writes every change to a
// log before it makes it, and makes all of them again when it is opened.
//
// The log is one file, vectors.inlay, that is only appended to. A record is an
// Add or a Delete with its length and its SHA-256, so a change is there wholly
// or not at all, whatever kills the process while it writes. Several
// processes may use one folder: changes are made one at a time, under a lock
// that the kernel takes away from a dead process, and each reads what the
// others appended before it searches. A log that holds mostly what was deleted
// or replaced is written again.
//
// chromem-go's own persistence is not used. It writes a file for each chunk,
// not atomically, under 32 bits of the id's hash, and does not open a folder in
// which one of them is damaged.
package stored

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"inlay/embed"
	"inlay/internal/durable"
	"inlay/retrieve"
)

// fileName is the log's. Its extension keeps it from being anybody else's file.
const fileName = "vectors.inlay"

// Index is an index whose contents outlive the process.
type Index struct {
	dir         string
	fingerprint string

	mu      sync.RWMutex
	inner   retrieve.Index
	log     *log
	held    contents
	damaged bool
}

var _ retrieve.Index = (*Index)(nil)

// Open reads the index kept in the folder dir, made if it is not there, into
// inner, which must be empty. From there on inner belongs to the result.
//
// Fingerprint names what the vectors depend on, the embedder and the chunking.
// A folder written with another one is fault.EmbedderMismatch. One of a newer
// version, or a path that is not a folder, is fault.StoreDamaged. A log that is
// damaged is read up to there; what came after it is given up and Damaged
// reports true.
func Open(ctx context.Context, dir, fingerprint string, inner retrieve.Index) (*Index, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, durable.Explain(dir, err)
	}
	if err := durable.RemoveStale(dir); err != nil {
		return nil, durable.Explain(dir, err)
	}
	x := &Index{dir: dir, fingerprint: fingerprint, inner: inner}
	err := x.exclusively(func() error {
		if err := x.catchUp(ctx); err != nil {
			return err
		}
		x.tidy(ctx)
		return nil
	})
	if err != nil {
		_ = x.Close()
		return nil, err
	}
	return x, nil
}

// Close gives up the log. The index must not be used afterwards.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.log == nil {
		return nil
	}
	return x.log.file.Close()
}

// Damaged reports whether a part of the log was damaged and has been given up.
// The files it was about have to be added again; see Files.
func (x *Index) Damaged() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.damaged
}

// Files are the ids of the files that have chunks in the index, in order.
func (x *Index) Files() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.held.files()
}

// Add implements [retrieve.Index].
func (x *Index) Add(ctx context.Context, chunks []retrieve.Chunk, vectors []embed.Vector) error {
	return x.change(ctx, func() (*record, error) {
		_, err := retrieve.CheckVectors(chunks, vectors, x.held.dimensions)
		if err != nil || len(chunks) == 0 {
			return nil, err
		}
		return &record{Chunks: chunks, Vectors: vectors}, nil
	})
}

// Delete implements [retrieve.Index].
func (x *Index) Delete(ctx context.Context, fileIDs ...string) error {
	return x.change(ctx, func() (*record, error) {
		known := x.held.known(fileIDs)
		if len(known) == 0 {
			return nil, nil //nolint:nilnil // nothing to do is no failure
		}
		return &record{Deleted: known}, nil
	})
}

// Search implements [retrieve.Index].
func (x *Index) Search(ctx context.Context, q retrieve.Query) ([]retrieve.Match, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x.mu.RLock()
	stale := x.log.stale(x.path())
	x.mu.RUnlock()
	if stale {
		if err := x.exclusively(func() error { return x.catchUp(ctx) }); err != nil {
			return nil, err
		}
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.inner.Search(ctx, q)
}

func (x *Index) path() string { return filepath.Join(x.dir, fileName) }

// exclusively runs f while no other goroutine and no other process changes the
// index.
func (x *Index) exclusively(f func() error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	release, err := durable.Exclude(filepath.Join(x.dir, "LOCK"))
	if err != nil {
		return durable.Explain(x.dir, err)
	}
	defer release()
	return f()
}

// change appends the record that next asks for, if any, and makes its change.
func (x *Index) change(ctx context.Context, next func() (*record, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return x.exclusively(func() error {
		if err := x.catchUp(ctx); err != nil {
			return err
		}
		r, err := next()
		if err != nil || r == nil {
			return err
		}
		if err := x.log.append(r); err != nil {
			return durable.Explain(x.path(), err)
		}
		if err := x.apply(context.WithoutCancel(ctx), r); err != nil { // it is written: it happens
			return err
		}
		x.tidy(ctx)
		return nil
	})
}

// apply makes the change of one record in memory.
func (x *Index) apply(ctx context.Context, r *record) error {
	if len(r.Deleted) > 0 {
		x.held.remove(r.Deleted)
		return x.inner.Delete(ctx, r.Deleted...)
	}
	x.held.add(r)
	return x.inner.Add(ctx, r.Chunks, r.Vectors)
}
