package files

import (
	"context"
	"crypto/md5" //nolint:gosec // what the OpenAI API has clients send, against damage and not against forgery
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"inlay/fault"
	"inlay/internal/blobs"
	"inlay/internal/state"
)

// Bounds of uploads in parts.
const (
	MaxPart    = 64 << 20 // bytes of a part, as in the OpenAI API
	uploadLife = time.Hour
	maxPending = 16 // uploads of one owner under way
	maxParts   = 10_000
)

// uploadID is what ids of uploads and parts look like: they are in keys of bytes.
var uploadID = regexp.MustCompile(`^(upload|part)_[a-z0-9]{10,40}$`)

// BeginUpload begins a file of that many bytes, which come in parts, to any
// server that shares the state.
func (s *Files) BeginUpload(ctx context.Context, owner, name, purpose string, bytes, most int64, life time.Duration) (u state.Upload, err error) {
	name, err = cleanName(name)
	switch {
	case err != nil:
		return u, err
	case bytes < 1:
		return u, fault.Invalid("bytes", "the size of the file, 1 or more")
	case bytes > most:
		return u, &fault.Error{Code: fault.FileTooLarge, Subject: "bytes", Reason: "is more than " + size(most), Next: "send a smaller file"}
	}
	now := state.Now()
	u = state.Upload{ID: state.NewID("upload_"), Owner: owner, Name: name, Purpose: purpose, Bytes: bytes, Created: now, Expires: now.Add(uploadLife), Life: life}
	err = s.config.State.AddUpload(ctx, u, state.Quota{Files: maxPending, Bytes: 2 * most})
	if errors.Is(err, state.ErrQuota) {
		err = &fault.Error{
			Code: fault.LimitExceeded, Subject: "uploads",
			Reason: fmt.Sprintf("with it you would have more than %d under way, or more than %s together", maxPending, size(2*most)),
			Next:   "complete or cancel one",
		}
	}
	return u, err
}

// Upload is an upload under way.
func (s *Files) Upload(ctx context.Context, owner, id string) (state.Upload, error) {
	u, _, err := s.config.State.Upload(ctx, owner, id)
	return u, missingUpload(id, err)
}

func missingUpload(id string, err error) error {
	if errors.Is(err, state.ErrNotFound) {
		return &fault.Error{Code: fault.NotFound, Subject: "upload " + id, Reason: "there is no such upload under way", Next: "begin one; it has an hour to be completed"}
	}
	return err
}

// AddPart keeps a part of an upload and returns its id. Parts may come side by
// side.
func (s *Files) AddPart(ctx context.Context, owner, id string, body io.Reader) (part string, err error) {
	u, parts, err := s.config.State.Upload(ctx, owner, id)
	if err != nil {
		return "", missingUpload(id, err)
	}
	left := u.Bytes
	for _, p := range parts {
		left -= p.Bytes
	}
	if len(parts) >= maxParts {
		return "", &fault.Error{Code: fault.LimitExceeded, Subject: "upload " + id, Reason: fmt.Sprintf("has %d parts already", len(parts)), Next: "send larger parts"}
	}
	r, err := s.receive(ctx, "part", body, min(MaxPart, left))
	if fault.Is(err, fault.FileTooLarge) && left < MaxPart {
		err = errBeyond(u)
	}
	if err != nil {
		return "", err
	}
	defer r.Discard()
	return s.keepPart(ctx, u, r)
}

func errBeyond(u state.Upload) error {
	return &fault.Error{Code: fault.FileTooLarge, Subject: "data", Reason: fmt.Sprintf("is more than what is left of the %d bytes of the upload", u.Bytes), Next: "begin an upload of the file's size"}
}

// keepPart keeps the bytes first: a part that is named is there.
func (s *Files) keepPart(ctx context.Context, u state.Upload, r *received) (part string, err error) {
	part = state.NewID("part_")
	key := partKey(u.Owner, u.ID, part)
	if err := blobs.Keep(ctx, s.config.Blobs, key, r.Pending, r.size); err != nil {
		return "", err
	}
	err = s.config.State.AddPart(ctx, u.Owner, u.ID, state.Part{ID: part, Bytes: r.size}, maxParts)
	if err == nil {
		return part, nil
	}
	_ = s.config.Blobs.Remove(context.WithoutCancel(ctx), key) // else the next sweep does
	if errors.Is(err, state.ErrQuota) {
		return "", errBeyond(u)
	}
	return "", missingUpload(u.ID, err)
}

// CompleteUpload makes a file of the parts, in that order. sum is its MD5 in
// hexadecimal; empty: it is not checked.
func (s *Files) CompleteUpload(ctx context.Context, owner, id string, ids []string, sum string) (u state.Upload, f state.File, err error) {
	u, parts, err := s.config.State.Upload(ctx, owner, id)
	if err != nil {
		return u, f, missingUpload(id, err)
	}
	readers := make([]io.Reader, len(ids))
	for i, part := range ids {
		known := slices.ContainsFunc(parts, func(p state.Part) bool { return p.ID == part })
		if !known || !uploadID.MatchString(part) || slices.Contains(ids[:i], part) {
			return u, f, fault.Invalid(fmt.Sprintf("part_ids[%d]", i), "the id of a part of this upload, once")
		}
		readers[i] = &latePart{ctx: ctx, blobs: s.config.Blobs, key: partKey(owner, id, part), field: fmt.Sprintf("part_ids[%d]", i)}
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
	in.Life, in.upload = u.Life, id
	if f, err = s.Accept(ctx, owner, u.Purpose, in); err != nil {
		return u, f, missingUpload(id, err)
	}
	s.dropParts(ctx, owner, id)
	return u, f, nil
}

// CancelUpload forgets an upload and its parts.
func (s *Files) CancelUpload(ctx context.Context, owner, id string) (state.Upload, error) {
	u, err := s.Upload(ctx, owner, id)
	if err == nil {
		err = missingUpload(id, s.config.State.DeleteUpload(ctx, owner, id))
	}
	if err != nil {
		return u, err
	}
	s.dropParts(ctx, owner, id)
	return u, nil
}

// dropParts forgets the bytes of the parts of an upload that is over; what is
// left goes with the next sweep.
func (s *Files) dropParts(ctx context.Context, owner, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err := blobs.RemoveAll(ctx, s.config.Blobs, uploadsPrefix+owner+"/"+id+"/"); err != nil {
		s.log.WarnContext(ctx, "parts of an upload were not removed", "upload", id, "code", string(fault.CodeOf(err)))
	}
}

// latePart is a part that is opened when it is read, and closed at its end: of
// many parts one is open at a time.
type latePart struct {
	ctx        context.Context //nolint:containedctx // it lives as long as one call
	blobs      blobs.Store
	key, field string
	r          io.ReadCloser
	done       bool
}

// Read implements io.Reader.
func (l *latePart) Read(b []byte) (int, error) {
	if l.done {
		return 0, io.EOF
	}
	if l.r == nil {
		r, err := l.blobs.Open(l.ctx, l.key)
		if errors.Is(err, fs.ErrNotExist) {
			return 0, fault.Invalid(l.field, "the id of a part of this upload")
		}
		if err != nil {
			return 0, err
		}
		l.r = r
	}
	n, err := l.r.Read(b)
	if err != nil {
		l.done = true
		_ = l.r.Close()
	}
	return n, err
}

// expireUploads forgets the uploads whose time is over.
func (s *Files) expireUploads(ctx context.Context) error {
	list, err := s.config.State.ExpiredUploads(ctx)
	for _, u := range list {
		if e := s.config.State.DeleteUpload(ctx, u.Owner, u.ID); e != nil {
			if !errors.Is(e, state.ErrNotFound) { // another server was first
				err = errors.Join(err, e)
			}
			continue
		}
		s.dropParts(ctx, u.Owner, u.ID)
	}
	return err
}
