package files

import (
	"context"
	"errors"
	"io/fs"

	"inlay/fault"
	"inlay/internal/blobs"
	"inlay/internal/state"
)

// Every visits all files and parts of a state.
type Every interface {
	EveryFile(ctx context.Context, file func(owner, content string, bytes int64) error, part func(u state.Upload, p state.Part) error) error
}

// Moved is what [CopyBytes] did.
type Moved struct {
	Blobs   int   // copied
	Bytes   int64 // of those
	Present int   // there already, of the same size
	Missing []string
}

// CopyBytes copies the bytes of all files of a state. What is there already, of
// the same size, is not copied again. Bytes that are not there are in Missing by
// the names of their contents.
func CopyBytes(ctx context.Context, of Every, from, to blobs.Store) (m Moved, err error) {
	one := func(key string, size int64) error {
		if e, err := to.Stat(ctx, key); err == nil && e.Bytes == size {
			m.Present++
			return nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		r, err := from.Open(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			m.Missing = append(m.Missing, key)
			return nil
		}
		if err != nil {
			return err
		}
		defer func() { _ = r.Close() }()
		if err := to.Put(ctx, key, r, size); err != nil {
			return err
		}
		if e, err := to.Stat(ctx, key); err != nil || e.Bytes != size {
			return errors.Join(err, &fault.Error{Code: fault.StoreDamaged, Subject: key, Reason: "did not arrive whole", Next: "try again"})
		}
		m.Blobs, m.Bytes = m.Blobs+1, m.Bytes+size
		return nil
	}
	err = of.EveryFile(ctx, func(owner, content string, bytes int64) error {
		return one(fileKey(owner, content), bytes)
	}, func(u state.Upload, p state.Part) error { return one(partKey(u.Owner, u.ID, p.ID), p.Bytes) })
	return m, err
}
