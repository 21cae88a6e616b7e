package stored

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"inlay/internal/durable"
)

// tidy writes the log again when most of it no longer counts. If that fails the
// old log is still good, and the next change tries again.
func (x *Index) tidy(ctx context.Context) {
	if x.held.wasteful() {
		_ = x.compact(ctx)
	}
}

// compact writes a log of what still counts, which takes the old one's place at
// once; other processes notice by its identity.
func (x *Index) compact(ctx context.Context) error {
	live, err := x.live(ctx)
	if err != nil {
		return durable.Explain(x.path(), err)
	}
	parts := make([][]byte, 0, len(live))
	written, end := 0, int64(0)
	for _, r := range live {
		b, err := r.encode()
		if err != nil {
			return err
		}
		parts = append(parts, b)
		written += len(r.Chunks)
		end += int64(len(b))
	}
	if err := durable.Write(ctx, x.dir, x.path(), parts...); err != nil {
		return durable.Explain(x.path(), err)
	}
	l, err := openLog(x.path())
	if err != nil {
		return durable.Explain(x.path(), err)
	}
	err = x.log.file.Close()
	l.end = end
	x.log, x.held.written = l, written
	return err
}

// live are the log's records without the chunks that were replaced or deleted
// since. Which Add of a chunk is its last is found by reading backwards.
func (x *Index) live(ctx context.Context) ([]*record, error) {
	records, err := readAll(ctx, x.path())
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := len(records) - 1; i >= 0; i-- {
		r := records[i]
		kept := &record{Head: r.Head}
		for k, c := range slices.Backward(r.Chunks) {
			if _, held := x.held.home[c.ID]; held && !seen[c.ID] {
				seen[c.ID] = true
				kept.Chunks = append(kept.Chunks, c)
				kept.Vectors = append(kept.Vectors, r.Vectors[k])
			}
		}
		records[i] = kept
	}
	live := records[:0]
	for _, r := range records {
		if r.Head != nil || len(r.Chunks) > 0 {
			live = append(live, r)
		}
	}
	return live, nil
}

func readAll(ctx context.Context, path string) (records []*record, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	l := &log{file: f}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := l.next()
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
}
