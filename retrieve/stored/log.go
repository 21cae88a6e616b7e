package stored

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"inlay/fault"
	"inlay/internal/durable"
	"inlay/retrieve"
)

// log is the open file and how far of it has been read.
type log struct {
	file *os.File
	end  int64 // after the last record read or written
}

// openLog opens the log at path, made if it is not there.
func openLog(path string) (*log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &log{file: f}, nil
}

// stale reports whether another process has changed the log at path.
func (l *log) stale(path string) bool {
	now, err := os.Stat(path)
	if err != nil {
		return true
	}
	mine, err := l.file.Stat()
	return err != nil || !os.SameFile(now, mine) || now.Size() != l.end
}

// next reads the record at the end of what has been read. At the end of the
// file it is io.EOF; where the rest of the file is no record, errDamaged.
func (l *log) next() (*record, error) {
	info, err := l.file.Stat()
	if err != nil {
		return nil, err
	}
	rest := info.Size() - l.end
	if rest == 0 {
		return nil, io.EOF
	}
	if rest < int64(preamble) {
		return nil, errDamaged
	}
	b := make([]byte, preamble)
	if _, err := l.file.ReadAt(b, l.end); err != nil {
		return nil, err
	}
	length, sum, err := parsePreamble(b)
	if err != nil || length > uint64(rest-int64(preamble)) {
		return nil, errDamaged
	}
	body := make([]byte, length)
	if _, err := l.file.ReadAt(body, l.end+int64(preamble)); err != nil {
		return nil, err
	}
	r, err := decodeBody(body, sum)
	if err == nil {
		l.end += int64(preamble) + int64(length)
	}
	return r, err
}

// append writes a record after all others and forces it to disk. When it
// fails, the log is as it was.
func (l *log) append(r *record) error {
	b, err := r.encode()
	if err != nil {
		return err
	}
	if _, err = l.file.WriteAt(b, l.end); err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return errors.Join(err, l.file.Truncate(l.end))
	}
	l.end += int64(len(b))
	return nil
}

// catchUp makes the changes that other processes, or this one in an earlier
// life, wrote to the log. It must run exclusively.
func (x *Index) catchUp(ctx context.Context) error {
	if err := x.reopen(ctx); err != nil {
		return durable.Explain(x.path(), err)
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := x.log.next()
		switch {
		case errors.Is(err, io.EOF):
			return x.begin()
		case errors.Is(err, errDamaged):
			return x.giveUpRest()
		case err != nil:
			return durable.Explain(x.path(), err)
		case r.Head != nil:
			err = x.checkHead(*r.Head)
		default:
			err = x.applyRead(ctx, r)
		}
		if err != nil {
			return err
		}
	}
}

// reopen opens the log where it is not open yet, or where another process has
// written it again: then everything is read again.
func (x *Index) reopen(ctx context.Context) error {
	if x.log != nil {
		now, err := os.Stat(x.path())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		mine, mineErr := x.log.file.Stat()
		if err == nil && mineErr == nil && os.SameFile(now, mine) {
			return nil
		}
		if err := errors.Join(x.log.file.Close(), x.inner.Delete(ctx, x.held.files()...)); err != nil {
			return err
		}
		x.log, x.held = nil, contents{}
	}
	l, err := openLog(x.path())
	x.log = l
	return err
}

// applyRead makes the change of a record from the log. One that its checksum
// clears and the index refuses was written by a broken program; it counts as
// damaged.
func (x *Index) applyRead(ctx context.Context, r *record) error {
	if len(r.Chunks) > 0 {
		_, refused := retrieve.CheckVectors(r.Chunks, r.Vectors, x.held.dimensions)
		if refused != nil {
			x.damaged = true
			return nil //nolint:nilerr // Damaged says so
		}
	}
	return x.apply(ctx, r)
}

// begin writes the head of a log that has none.
func (x *Index) begin() error {
	if x.log.end > 0 {
		return nil
	}
	if err := x.log.append(&record{Head: &head{Version: version, Fingerprint: x.fingerprint}}); err != nil {
		return durable.Explain(x.path(), err)
	}
	return nil
}

// giveUpRest cuts off what is not a record: an Add that was killed, or damage.
func (x *Index) giveUpRest() error {
	info, err := x.log.file.Stat()
	if err == nil {
		x.damaged = x.damaged || info.Size() > 0
		err = x.log.file.Truncate(x.log.end)
	}
	if err != nil {
		return durable.Explain(x.path(), err)
	}
	return x.begin()
}

// checkHead refuses a log that this index must not read.
func (x *Index) checkHead(h head) error {
	switch {
	case h.Version > version:
		return &fault.Error{
			Code: fault.StoreDamaged, Subject: x.dir,
			Reason: fmt.Sprintf("this index has version %d and this program knows %d", h.Version, version),
			Next:   "use a newer inlay or name another folder",
		}
	case h.Fingerprint != x.fingerprint:
		return &fault.Error{
			Code: fault.EmbedderMismatch, Subject: x.dir,
			Reason: fmt.Sprintf("this index was made with %q, not with %q", h.Fingerprint, x.fingerprint),
			Next:   "use that embedder and chunking, or name another folder",
		}
	}
	return nil
}
