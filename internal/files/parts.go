package files

import (
	"context"
	"crypto/md5" //nolint:gosec // what the OpenAI API has clients send, against damage and not against forgery
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"inlay/fault"
	"inlay/internal/durable"
	"inlay/internal/state"
)

// Upload is a file on its way in, in parts.
type Upload struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Purpose string        `json:"purpose"`
	Bytes   int64         `json:"bytes"` // of the whole file, as announced
	Created time.Time     `json:"created"`
	Expires time.Time     `json:"expires"`
	Life    time.Duration `json:"life,omitempty"` // of the file that is made of it; 0: for ever
}

// Bounds of uploads in parts.
const (
	MaxPart    = 64 << 20 // bytes of a part, as in the OpenAI API
	uploadLife = time.Hour
	maxPending = 16 // uploads of one owner under way
	maxParts   = 10_000
)

// uploadID is what ids of uploads and parts look like: they name folders and files.
var uploadID = regexp.MustCompile(`^(upload|part)_[a-z0-9]{10,40}$`)

// parts keeps uploads on their way in: a folder for each owner, in it one for
// each upload, in it a file that says what it is and one for each part. All of it
// is gone when the upload is complete, canceled or too old.
type parts struct {
	root string
	mu   *sync.Mutex // held while a part gets its name
}

// about is the file that says what an upload is.
const about = "upload.json"

func (p parts) dir(owner, id string) string { return filepath.Join(p.root, owner, id) }

// BeginUpload begins a file of that many bytes, which come in parts.
func (s *Files) BeginUpload(owner, name, purpose string, bytes, most int64, life time.Duration) (Upload, error) {
	name, err := cleanName(name)
	switch {
	case err != nil:
		return Upload{}, err
	case bytes < 1:
		return Upload{}, fault.Invalid("bytes", "the size of the file, 1 or more")
	case bytes > most:
		return Upload{}, &fault.Error{Code: fault.FileTooLarge, Subject: "bytes", Reason: "is more than " + size(most), Next: "send a smaller file"}
	}
	s.parts.sweep(time.Now())
	pending, announced, err := s.parts.pending(owner)
	if err != nil {
		return Upload{}, err
	}
	if pending >= maxPending || announced+bytes > 2*most {
		return Upload{}, &fault.Error{
			Code: fault.LimitExceeded, Subject: "uploads", Reason: fmt.Sprintf("of yours under way are %d already, of %s together", pending, size(announced)), Next: "complete or cancel one",
		}
	}
	now := state.Now()
	u := Upload{ID: state.NewID("upload_"), Name: name, Purpose: purpose, Bytes: bytes, Created: now, Expires: now.Add(uploadLife), Life: life}
	return u, s.parts.begin(owner, u)
}

func (p parts) begin(owner string, u Upload) error {
	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	dir := p.dir(owner, u.ID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return durable.Explain(dir, err)
	}
	if err := os.WriteFile(filepath.Join(dir, about), data, 0o600); err != nil {
		_ = os.RemoveAll(dir)
		return durable.Explain(dir, err)
	}
	return nil
}

// Upload is an upload under way.
func (s *Files) Upload(owner, id string) (Upload, error) {
	u, err := s.parts.find(owner, id, time.Now())
	if errors.Is(err, fs.ErrNotExist) {
		return u, &fault.Error{Code: fault.NotFound, Subject: "upload " + id, Reason: "there is no such upload under way", Next: "begin one; it has an hour to be completed"}
	}
	return u, err
}

func (p parts) find(owner, id string, now time.Time) (u Upload, err error) {
	if !uploadID.MatchString(id) {
		return u, fs.ErrNotExist
	}
	data, err := os.ReadFile(filepath.Join(p.dir(owner, id), about))
	if err != nil {
		return u, err
	}
	if err := json.Unmarshal(data, &u); err != nil {
		return u, fmt.Errorf("read upload %s: %w", id, err)
	}
	if !now.Before(u.Expires) {
		return u, errors.Join(fs.ErrNotExist, os.RemoveAll(p.dir(owner, id)))
	}
	return u, nil
}

// AddPart keeps a part of an upload and returns its id.
func (s *Files) AddPart(ctx context.Context, owner, id string, body io.Reader) (part string, err error) {
	u, err := s.Upload(owner, id)
	if err != nil {
		return "", err
	}
	have, count, err := s.parts.size(owner, id)
	if err != nil {
		return "", err
	}
	if count >= maxParts {
		return "", &fault.Error{Code: fault.LimitExceeded, Subject: "upload " + id, Reason: fmt.Sprintf("has %d parts already", count), Next: "send larger parts"}
	}
	r, err := s.blobs.receive(ctx, "part", body, min(MaxPart, u.Bytes-have))
	if fault.Is(err, fault.FileTooLarge) && u.Bytes-have < MaxPart {
		err = errBeyond(u)
	}
	if err != nil {
		return "", err
	}
	defer r.Discard()
	return s.namePart(owner, u, r)
}

func errBeyond(u Upload) error {
	return &fault.Error{Code: fault.FileTooLarge, Subject: "data", Reason: fmt.Sprintf("is more than what is left of the %d bytes of the upload", u.Bytes), Next: "begin an upload of the file's size"}
}

// namePart makes what was received a part of an upload that is still under way:
// parts may come side by side.
func (s *Files) namePart(owner string, u Upload, r *received) (part string, err error) {
	s.parts.mu.Lock()
	defer s.parts.mu.Unlock()
	if _, err := s.Upload(owner, u.ID); err != nil {
		return "", err
	}
	have, _, err := s.parts.size(owner, u.ID)
	if err != nil {
		return "", err
	}
	if have+r.size > u.Bytes {
		return "", errBeyond(u)
	}
	part = state.NewID("part_")
	if err := r.Commit(filepath.Join(s.parts.dir(owner, u.ID), part)); err != nil {
		return "", durable.Explain(s.parts.root, err)
	}
	return part, nil
}

// size is how many bytes and parts of an upload there are.
func (p parts) size(owner, id string) (bytes int64, count int, err error) {
	list, err := os.ReadDir(p.dir(owner, id))
	if err != nil {
		return 0, 0, durable.Explain(p.root, err)
	}
	for _, one := range list {
		info, err := one.Info()
		if err != nil || one.Name() == about {
			continue
		}
		bytes, count = bytes+info.Size(), count+1
	}
	return bytes, count, nil
}

// CompleteUpload makes a file of the parts, in that order. sum is its MD5 in
// hexadecimal; empty: it is not checked.
func (s *Files) CompleteUpload(ctx context.Context, owner, id string, ids []string, sum string) (u Upload, f state.File, err error) {
	if u, err = s.Upload(owner, id); err != nil {
		return u, f, err
	}
	readers := make([]io.Reader, len(ids))
	for i, part := range ids {
		if !uploadID.MatchString(part) || slices.Contains(ids[:i], part) {
			return u, f, fault.Invalid(fmt.Sprintf("part_ids[%d]", i), "the id of a part of this upload, once")
		}
		readers[i] = &lateFile{path: filepath.Join(s.parts.dir(owner, id), part), field: fmt.Sprintf("part_ids[%d]", i)}
	}
	hash := md5.New() //nolint:gosec // see the import
	in, err := s.Receive(ctx, u.Name, io.TeeReader(io.MultiReader(readers...), hash), u.Bytes)
	if err != nil {
		return u, f, err
	}
	defer in.Discard()
	if in.size != u.Bytes {
		return u, f, &fault.Error{Code: fault.Usage, Subject: "part_ids", Reason: fmt.Sprintf("are %d bytes, and %d were announced", in.size, u.Bytes), Next: "name all parts, or send what is missing"}
	}
	if sum != "" && !strings.EqualFold(sum, hex.EncodeToString(hash.Sum(nil))) {
		return u, f, &fault.Error{Code: fault.Usage, Subject: "md5", Reason: "is not that of the parts in this order", Next: "check the order of part_ids, or send the parts again"}
	}
	in.Life = u.Life
	if f, err = s.Accept(ctx, owner, u.Purpose, in); err != nil {
		return u, f, err
	}
	return u, f, s.parts.drop(owner, id)
}

// CancelUpload forgets an upload and its parts.
func (s *Files) CancelUpload(owner, id string) (Upload, error) {
	u, err := s.Upload(owner, id)
	if err != nil {
		return u, err
	}
	return u, s.parts.drop(owner, id)
}

func (p parts) drop(owner, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := os.RemoveAll(p.dir(owner, id)); err != nil {
		return durable.Explain(p.root, err)
	}
	return nil
}

// lateFile is a file that is opened when it is read, and closed at its end: of
// many parts one is open at a time.
type lateFile struct {
	path, field string
	f           *os.File
	done        bool
}

// Read implements io.Reader.
func (l *lateFile) Read(b []byte) (int, error) {
	if l.done {
		return 0, io.EOF
	}
	if l.f == nil {
		f, err := os.Open(l.path)
		if errors.Is(err, fs.ErrNotExist) {
			return 0, fault.Invalid(l.field, "the id of a part of this upload")
		}
		if err != nil {
			return 0, durable.Explain(l.path, err)
		}
		l.f = f
	}
	n, err := l.f.Read(b)
	if err != nil {
		l.done = true
		_ = l.f.Close()
	}
	return n, err
}

// pending is how many uploads of an owner are under way, and how many bytes were
// announced for them.
func (p parts) pending(owner string) (n int, bytes int64, err error) {
	list, err := os.ReadDir(filepath.Join(p.root, owner))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, durable.Explain(p.root, err)
	}
	for _, one := range list {
		if u, err := p.find(owner, one.Name(), time.Now()); err == nil {
			n, bytes = n+1, bytes+u.Bytes
		}
	}
	return n, bytes, nil
}

// sweep removes uploads whose time is over.
func (p parts) sweep(now time.Time) {
	all, _ := filepath.Glob(filepath.Join(p.root, "*", "upload_*"))
	for _, dir := range all {
		owner, id := filepath.Base(filepath.Dir(dir)), filepath.Base(dir)
		if _, err := p.find(owner, id, now); errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(dir)
		}
	}
}
