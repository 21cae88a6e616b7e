package disk

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"inlay/internal/durable"
	"inlay/library"
)

// batch is a change being made.
type batch struct {
	s       *shelf
	release func()
	zips    zips

	mu   sync.Mutex
	w    *segmentWriter
	put  []docRow
	have map[string]bool
	done bool
}

func (s *shelf) begin(ctx context.Context) (*batch, error) {
	release, err := s.exclusively(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.sweep(ctx); err != nil {
		release()
		return nil, err
	}
	return &batch{s: s, release: release, have: map[string]bool{}}, nil
}

// zips are encoders, used again from document to document.
type zips struct{ free sync.Pool }

func (z *zips) take() (*zstd.Encoder, error) {
	if zip, ok := z.free.Get().(*zstd.Encoder); ok {
		return zip, nil
	}
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithWindowSize(64<<10))
}

func (z *zips) put(zip *zstd.Encoder) { z.free.Put(zip) }

// sweep removes what killed processes left: it must run exclusively.
func (s *shelf) sweep(ctx context.Context) error {
	if err := durable.RemoveStale(s.dir); err != nil {
		return explain(s.dir, err)
	}
	var known []string
	err := each(ctx, s.catalogue.db, "SELECT file FROM segments", func(scan func(...any) error) error {
		var file string
		err := scan(&file)
		known = append(known, file)
		return err
	})
	if err != nil {
		return s.explain(err)
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, segmentsName))
	if err != nil {
		return explain(s.dir, err)
	}
	for _, e := range entries {
		if !slices.Contains(known, e.Name()) {
			if err := os.Remove(filepath.Join(s.dir, segmentsName, e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
				return explain(s.dir, err)
			}
		}
	}
	return nil
}

// Put implements [library.Batch]. It is safe for concurrent use.
func (b *batch) Put(ctx context.Context, d library.Document) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	zip, err := b.zips.take()
	if err != nil {
		return err
	}
	defer b.zips.put(zip)
	made, err := prepare(d, zip)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.have[made.meta.key] {
		return nil
	}
	if b.w == nil {
		if b.w, err = newSegmentWriter(b.s.dir); err != nil {
			return explain(b.s.dir, err)
		}
	}
	b.have[made.meta.key] = true
	b.put = append(b.put, docRow{
		key: made.meta.key, fileID: made.meta.fileID, title: d.Title, mediaType: d.Document.MediaType,
		text: made.meta.text, passages: len(made.meta.lengths),
	})
	return explain(b.s.dir, b.w.add(made))
}

// Commit implements [library.Batch].
func (b *batch) Commit(ctx context.Context, c library.Change) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.end()
	name, err := b.writeSegment()
	if err != nil {
		return err
	}
	err = b.s.catalogue.transact(ctx, func(tx *sql.Tx) error {
		id, err := addSegment(ctx, tx, b.s.dir, name, b.w)
		if err != nil {
			return err
		}
		return apply(ctx, tx, b.put, id, c)
	})
	if err != nil {
		return b.s.explain(err)
	}
	return b.s.tidy(context.WithoutCancel(ctx), c.Purge)
}

// writeSegment gives the segment its name, if there is one.
func (b *batch) writeSegment() (name string, err error) {
	if b.w == nil {
		return "", nil
	}
	return finishSegment(b.s.dir, b.w)
}

func finishSegment(dir string, w *segmentWriter) (name string, err error) {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	name = hex.EncodeToString(random) + ".seg"
	path := filepath.Join(dir, segmentsName, name)
	if err := w.finish(path); err != nil {
		return "", explain(dir, err)
	}
	return name, explain(dir, syncDir(filepath.Dir(path)))
}

// syncDir forces the names in a folder to disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func addSegment(ctx context.Context, tx *sql.Tx, dir, name string, w *segmentWriter) (int64, error) {
	if name == "" {
		return 0, nil
	}
	info, err := os.Stat(filepath.Join(dir, segmentsName, name))
	if err != nil {
		return 0, err
	}
	r, err := tx.ExecContext(ctx, "INSERT INTO segments (file, text, size) VALUES (?, ?, ?)", name, w.text, info.Size())
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// Abort implements [library.Batch].
func (b *batch) Abort() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end()
}

func (b *batch) end() {
	if b.done {
		return
	}
	b.done = true
	if b.w != nil {
		b.w.discard()
	}
	b.release()
}
