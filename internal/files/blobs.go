package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"inlay/fault"
	"inlay/internal/blobs"
	"inlay/internal/durable"
	"inlay/internal/state"
)

// What keys of bytes begin with.
const (
	filesPrefix   = "files/"
	uploadsPrefix = "uploads/"
)

// fileKey is where the bytes of a content are.
func fileKey(owner, content string) string {
	return filesPrefix + owner + "/" + content[:2] + "/" + content
}

// partKey is where the bytes of a part of an upload are.
func partKey(owner, upload, part string) string {
	return uploadsPrefix + owner + "/" + upload + "/" + part
}

// ownerOf reads a key of a file; ok is false for anything else.
func ownerOf(key string) (owner, content string, ok bool) {
	parts := strings.Split(key, "/")
	if len(parts) != 4 || !strings.HasPrefix(parts[3], parts[2]) || key != filesPrefix+strings.Join(parts[1:], "/") {
		return "", "", false
	}
	return parts[1], parts[3], true
}

// received is an upload that has arrived on this machine and has no name yet.
type received struct {
	*durable.Pending
	content string // content id
	size    int64
}

// receive streams r to disk. More than limit bytes are fault.FileTooLarge.
func (s *Files) receive(ctx context.Context, name string, r io.Reader, limit int64) (*received, error) {
	root := s.config.Data
	p, err := durable.Create(root)
	if err != nil {
		return nil, durable.Explain(root, err)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(&toDisk{w: p, root: root}, sum), io.LimitReader(blobs.Until(ctx, r), limit+1))
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

// exclusive runs f while nobody else gives or takes the bytes of a content.
func (s *Files) exclusive(ctx context.Context, owner, content string, f func() error) error {
	return s.config.State.Exclusive(ctx, fileKey(owner, content), f)
}

// store makes sure that the bytes are there and then has record name them; where
// it does not, they go again. No deletion comes between the two.
func (s *Files) store(ctx context.Context, owner string, r *received, record func() error) error {
	key := fileKey(owner, r.content)
	if _, here := s.config.Blobs.(*blobs.Folder); !here { // it may take long: not while others wait
		if err := blobs.Keep(ctx, s.config.Blobs, key, r.Pending, r.size); err != nil {
			return err
		}
	}
	return s.exclusive(ctx, owner, r.content, func() error {
		if e, err := s.config.Blobs.Stat(ctx, key); err != nil || e.Bytes != r.size {
			if err := blobs.Keep(ctx, s.config.Blobs, key, r.Pending, r.size); err != nil {
				return err
			}
		}
		err := record()
		if err != nil {
			return errors.Join(err, s.removeOrphans(context.WithoutCancel(ctx), owner, r.content))
		}
		return nil
	})
}

// removeOrphans forgets those of contents that no record names. The caller has
// them to itself.
func (s *Files) removeOrphans(ctx context.Context, owner string, contents ...string) error {
	orphans, err := s.config.State.Orphans(ctx, owner, contents...)
	for _, content := range orphans {
		err = errors.Join(err, s.config.Blobs.Remove(ctx, fileKey(owner, content)))
	}
	return err
}

// Bytes are those of a content that belongs to owner.
func (s *Files) Bytes(ctx context.Context, owner, content string) ([]byte, error) {
	data, err := blobs.Read(ctx, s.config.Blobs, fileKey(owner, content))
	return data, blobs.Missing(err)
}

// open opens the bytes of a content.
func (s *Files) open(ctx context.Context, owner, content string) (io.ReadSeekCloser, error) {
	r, err := s.config.Blobs.Open(ctx, fileKey(owner, content))
	return r, blobs.Missing(err)
}

// How long bytes that no record names are left alone where other servers work:
// their record may be about to come.
const orphanAge = time.Hour

// sweep removes the bytes that no record names: their upload was never
// acknowledged, or their deletion was not finished.
func (s *Files) sweep(ctx context.Context) error {
	before := time.Now()
	if s.shared() {
		before = before.Add(-orphanAge)
	}
	found := map[string][]string{} // by owner: contents to be asked for together
	for e, err := range s.config.Blobs.List(ctx, filesPrefix) {
		if err != nil {
			return err
		}
		owner, content, ok := ownerOf(e.Key)
		if !ok || e.Made.After(before) {
			continue
		}
		found[owner] = append(found[owner], content)
		if len(found[owner]) == askTogether {
			if err := s.sweepOf(ctx, owner, found[owner]); err != nil {
				return err
			}
			delete(found, owner)
		}
	}
	for owner, contents := range found {
		if err := s.sweepOf(ctx, owner, contents); err != nil {
			return err
		}
	}
	return s.sweepUploads(ctx, before)
}

// askTogether is how many contents the state is asked for at once.
const askTogether = 500

// sweepOf removes those of contents that no record names.
func (s *Files) sweepOf(ctx context.Context, owner string, contents []string) error {
	orphans, err := s.config.State.Orphans(ctx, owner, contents...)
	for _, content := range orphans {
		err = errors.Join(err, s.exclusive(ctx, owner, content, func() error { return s.removeOrphans(ctx, owner, content) }))
	}
	return err
}

// sweepUploads removes the parts of uploads that are over.
func (s *Files) sweepUploads(ctx context.Context, before time.Time) error {
	for e, err := range s.config.Blobs.List(ctx, uploadsPrefix) {
		if err != nil {
			return err
		}
		parts := strings.Split(e.Key, "/")
		if len(parts) != 4 || e.Made.After(before) {
			continue
		}
		if _, _, err = s.config.State.Upload(ctx, parts[1], parts[2]); errors.Is(err, state.ErrNotFound) {
			err = s.config.Blobs.Remove(ctx, e.Key)
		}
		if err != nil {
			return err
		}
	}
	if t, ok := s.config.Blobs.(interface {
		Tidy(ctx context.Context, before time.Time) error
	}); ok {
		return t.Tidy(ctx, before.Add(-uploadLife))
	}
	return nil
}
