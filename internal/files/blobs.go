package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"inlay/fault"
	"inlay/internal/durable"
)

// blobs keeps the bytes of uploads: a folder for each owner, a file for each
// content. They are no cache: nothing is ever evicted.
type blobs struct{ root string }

// received is an upload that has arrived and has no name yet.
type received struct {
	*durable.Pending
	content string // content id
	size    int64
}

// receive streams r to disk. More than limit bytes are fault.FileTooLarge.
func (b blobs) receive(ctx context.Context, name string, r io.Reader, limit int64) (*received, error) {
	p, err := durable.Create(b.root)
	if err != nil {
		return nil, durable.Explain(b.root, err)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(&toDisk{w: p, root: b.root}, sum), io.LimitReader(during{ctx, r}, limit+1))
	if err == nil && n > limit {
		err = &fault.Error{Code: fault.FileTooLarge, Subject: name, Reason: "is larger than " + size(limit), Next: "send a smaller file"}
	}
	if err == nil {
		err = p.Sync()
	}
	if err != nil {
		p.Discard()
		return nil, err
	}
	return &received{Pending: p, content: hex.EncodeToString(sum.Sum(nil)), size: n}, nil
}

// bytes are read when they are needed.
func (r *received) bytes() ([]byte, error) {
	data, err := os.ReadFile(r.Name())
	if err != nil {
		return nil, durable.Explain(r.Name(), err)
	}
	return data, nil
}

// toDisk tells failures of the disk from those of the sender, and leaves the
// last of the room to the state, which needs some even for a deletion.
type toDisk struct {
	w       io.Writer
	root    string
	unasked int // bytes until the room is asked for again
}

// between is how many bytes are written between two looks at the room.
const between = 4 << 20

// Write implements io.Writer.
func (t *toDisk) Write(p []byte) (int, error) {
	if t.unasked -= len(p); t.unasked < 0 {
		if t.unasked = between; durable.Low(t.root) {
			return 0, durable.Explain(t.root, syscall.ENOSPC)
		}
	}
	n, err := t.w.Write(p)
	if err != nil {
		err = durable.Explain(t.root, err)
	}
	return n, err
}

// during is a reader that ends with a context.
type during struct {
	ctx context.Context //nolint:containedctx // it lives as long as one call
	r   io.Reader
}

// Read implements io.Reader.
func (d during) Read(p []byte) (int, error) {
	if err := d.ctx.Err(); err != nil {
		return 0, context.Cause(d.ctx)
	}
	return d.r.Read(p)
}

// path is where the bytes of a content live.
func (b blobs) path(owner, content string) string {
	return filepath.Join(b.root, owner, content[:2], content)
}

// keep names what was received, for good.
func (b blobs) keep(owner string, r *received) error {
	path := b.path(owner, r.content)
	if err := r.Commit(path); err != nil {
		return durable.Explain(b.root, err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return durable.Explain(b.root, err)
	}
	return nil
}

// syncDir forces the names in a folder to disk.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// open opens the bytes of a content.
func (b blobs) open(owner, content string) (*os.File, error) {
	f, err := os.Open(b.path(owner, content))
	if err != nil {
		return nil, &fault.Error{Code: fault.StoreDamaged, Subject: "file", Reason: "its bytes cannot be read", Next: "upload it again", Err: err}
	}
	return f, nil
}

// read is the bytes of a content.
func (b blobs) read(owner, content string) ([]byte, error) {
	data, err := os.ReadFile(b.path(owner, content))
	if err != nil {
		return nil, &fault.Error{Code: fault.StoreDamaged, Subject: "file", Reason: "its bytes cannot be read", Next: "upload it again", Err: err}
	}
	return data, nil
}

// remove forgets a content.
func (b blobs) remove(owner, content string) error {
	if err := os.Remove(b.path(owner, content)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return durable.Explain(b.root, err)
	}
	return nil
}

// each visits the contents of every owner.
func (b blobs) each(visit func(owner string, contents []string) error) error {
	owners, err := os.ReadDir(b.root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, owner := range owners {
		if err == nil && owner.IsDir() {
			err = b.eachOf(owner.Name(), visit)
		}
	}
	return err
}

func (b blobs) eachOf(owner string, visit func(owner string, contents []string) error) error {
	all, err := fs.Glob(os.DirFS(filepath.Join(b.root, owner)), "??/*")
	for i, name := range all {
		all[i] = filepath.Base(name)
	}
	if err != nil || len(all) == 0 {
		return err
	}
	return visit(owner, all)
}
