package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"inlay/fault"
	"inlay/injection"
	"inlay/internal/blobs"
	"inlay/internal/durable"
	"inlay/internal/oneline"
	"inlay/internal/plural"
	"inlay/internal/state"
	"inlay/parse"
)

// Incoming is a file whose bytes have arrived. It is nobody's until
// [Files.Accept]; Discard forgets it.
type Incoming struct {
	*received
	name   string
	upload string // id of the upload in parts that it was; empty: none

	Life time.Duration // after which the file is deleted; 0: never
}

// Receive streams the bytes of a file to disk. More than limit bytes are
// fault.FileTooLarge.
func (s *Files) Receive(ctx context.Context, name string, body io.Reader, limit int64) (*Incoming, error) {
	name, err := cleanName(name)
	if err != nil {
		return nil, err
	}
	r, err := s.receive(ctx, name, body, limit)
	if err != nil {
		return nil, err
	}
	return &Incoming{received: r, name: name}, nil
}

// file is what arrived as a file of its request alone: on disk until it is needed.
func (in *Incoming) file(reader injection.Reader, mode injection.Mode) (f injection.File, err error) {
	content, err := os.Open(in.Name())
	if err != nil {
		return f, durable.Explain(in.Name(), err)
	}
	defer func() { _ = content.Close() }()
	f = injection.File{ID: parse.FileIDOf(in.content), Name: in.name, Mode: mode, Size: in.size}
	_, f.MediaType = imageOf(reader, content)
	f.Open = func(context.Context) ([]byte, error) { return in.bytes() }
	if f.MediaType == "" {
		f.Content = f.ID
	}
	return f, nil
}

// Accept makes a file that has arrived one of owner's and begins to read it.
// When it returns without an error, the file outlives this process.
func (s *Files) Accept(ctx context.Context, owner, purpose string, in *Incoming) (state.File, error) {
	f := state.File{
		ID: state.NewID("file-"), Owner: owner, Name: in.name, Purpose: purpose, Content: in.content, Bytes: in.size,
		Created: state.Now(), State: state.Uploaded, Upload: in.upload,
	}
	if in.Life > 0 {
		f.Expires = f.Created.Add(in.Life)
	}
	if err := s.keep(ctx, f, in.received); err != nil {
		return state.File{}, err
	}
	if s.queue != nil {
		s.queue.Add(f)
	}
	return f, nil
}

// keep makes bytes and record stay together, or neither.
func (s *Files) keep(ctx context.Context, f state.File, r *received) error {
	err := s.store(ctx, f.Owner, r, func() error { return s.config.State.AddFile(ctx, f, s.config.Quota) })
	switch {
	case err == nil:
		return nil
	case errors.Is(err, state.ErrQuota):
		return &fault.Error{Code: fault.LimitExceeded, Subject: f.Name, Reason: "you would keep more than " + quotaText(s.config.Quota), Next: "delete files that you no longer need"}
	case errors.Is(err, state.ErrNotFound): // its upload was completed or canceled
		return err
	}
	return durable.Explain("state", err)
}

func quotaText(q state.Quota) string {
	switch {
	case q.Bytes == 0:
		return plural.Of(q.Files, "file")
	case q.Files == 0:
		return size(q.Bytes)
	}
	return plural.Of(q.Files, "file") + " or " + size(q.Bytes)
}

func size(n int64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// cleanName takes the last element of a name that a client gave: it is shown
// and its extension is looked at, it never leads to a file.
func cleanName(name string) (string, error) {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	bad := func(reason string) error {
		return &fault.Error{Code: fault.Usage, Subject: "filename", Reason: reason, Next: "send the file with a name like report.pdf"}
	}
	switch {
	case name == "." || name == "/" || name == "..":
		return "", bad("is empty")
	case len(name) > state.MaxName:
		return "", bad(fmt.Sprintf("has %d bytes, at most %d are allowed", len(name), state.MaxName))
	case !utf8.ValidString(name):
		return "", bad("is not UTF-8")
	case strings.ContainsFunc(name, oneline.Unseen):
		return "", bad("holds control characters")
	}
	return name, nil
}

// File is one upload.
func (s *Files) File(ctx context.Context, owner, id string) (state.File, error) {
	f, err := s.config.State.File(ctx, owner, id)
	return f, state.Missing(fault.FileNotFound, "file", id, err)
}

// ListFiles is one page of the uploads of a purpose, or of all; more says that
// the list goes on.
func (s *Files) ListFiles(ctx context.Context, owner, purpose string, p state.Page) (list []state.File, more bool, err error) {
	return state.OnePage(p, func(p state.Page) ([]state.File, error) { return s.config.State.ListFiles(ctx, owner, purpose, p) })
}

// OpenFile opens the bytes of an upload.
func (s *Files) OpenFile(ctx context.Context, owner, id string) (state.File, io.ReadSeekCloser, error) {
	f, err := s.File(ctx, owner, id)
	if err != nil {
		return f, nil, err
	}
	content, err := s.open(ctx, owner, f.Content)
	return f, content, err
}

// DeleteFile forgets an upload, its bytes and all that was derived from them:
// its parse and passages, also those in vector stores. A question that is being answered meanwhile may
// keep something of it again.
func (s *Files) DeleteFile(ctx context.Context, owner, id string) error {
	if s.config.Deleting != nil {
		if err := s.config.Deleting(ctx, owner, id); err != nil {
			return err
		}
	}
	f, shared, err := s.config.State.DeleteFile(ctx, owner, id)
	s.uploads.forget(uploadKey{owner, id})
	if s.config.Forgotten != nil {
		s.config.Forgotten()
	}
	if err != nil {
		return state.Missing(fault.FileNotFound, "file", id, err)
	}
	if shared {
		return nil
	}
	of := parse.FileIDOf(f.Content)
	if b, ok := s.config.State.(state.Bulletin); ok {
		if err := b.Announce(ctx, state.Deletion{Owner: owner, Of: of}); err != nil {
			return err
		}
	}
	if err := s.config.Cache.Forget(ctx, owner, of); err != nil {
		return err
	}
	return s.exclusive(ctx, owner, f.Content, func() error { return s.removeOrphans(ctx, owner, f.Content) })
}

// expire deletes the files whose time is over.
func (s *Files) expire(ctx context.Context) {
	list, err := s.config.State.ExpiredFiles(ctx)
	for _, f := range list {
		if e := s.DeleteFile(ctx, f.Owner, f.ID); !fault.Is(e, fault.FileNotFound) { // another server was first
			err = errors.Join(err, e)
		}
	}
	err = errors.Join(err, s.expireUploads(ctx))
	if err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "files whose time is over were not deleted", "code", string(fault.CodeOf(err)))
	}
}

// expireOften is how often files are looked for whose time is over; they are not
// found any more from that time on.
const expireOften = time.Minute

// sweepOften is how often servers that share the bytes look for those that no
// record names. The first time it may be sooner, so that not all do so at once.
const sweepOften = 6 * time.Hour

func (s *Files) expireAlways(ctx context.Context) {
	every := time.NewTicker(expireOften)
	defer every.Stop()
	swept := time.Now().Add(-rand.N(sweepOften))
	for {
		s.expire(ctx)
		if s.shared() && time.Since(swept) > sweepOften {
			swept = time.Now()
			if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
				s.log.ErrorContext(ctx, "bytes that no record names were not removed", "code", string(fault.CodeOf(err)))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// Reading is what reading an upload came to.
type Reading struct {
	Image     bool            `json:"image,omitempty"` // it has no text that is read
	MediaType string          `json:"media_type,omitempty"`
	Library   string          `json:"library,omitempty"`
	Coverage  *parse.Coverage `json:"coverage,omitempty"`
	Warnings  []parse.Warning `json:"warnings,omitempty"`
	Error     *ReadingError   `json:"error,omitempty"`
}

// ReadingError says why an upload cannot be read.
type ReadingError struct {
	Code   fault.Code `json:"code"`
	Reason string     `json:"reason"`
	Next   string     `json:"next,omitempty"`
}

// ReadingOf decodes a file's report; the zero Reading while it waits.
func ReadingOf(f state.File) (r Reading, err error) {
	if f.Report != nil {
		err = json.Unmarshal(f.Report, &r)
	}
	return r, err
}

// read parses an upload, so that the first question finds it parsed, and notes
// what it came to. What a stopping server leaves is read by the next.
func (s *Files) read(ctx context.Context, f state.File) {
	if err := s.readOnce(ctx, f); err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "the state of a file was not kept", "file", f.ID, "code", string(fault.CodeOf(err)))
	}
}

// readOnce is an error where reading may go better later, or somewhere else: what
// it came to was not kept then.
func (s *Files) readOnce(ctx context.Context, f state.File) error {
	r, err := s.parse(ctx, f)
	if ctx.Err() != nil || fault.Is(err, fault.StoreUnreachable) {
		return errors.Join(ctx.Err(), err)
	}
	to := state.Processed
	if err != nil {
		to, r.Error = state.Failed, ReadingErrorOf(err)
		s.config.parseFailed(r.Error.Code)
	}
	report, err := json.Marshal(r)
	if err == nil {
		err = s.config.State.SetFileState(ctx, f.Owner, f.ID, to, report)
	}
	if errors.Is(err, state.ErrNotFound) { // it was deleted
		return nil
	}
	if err == nil && s.config.Read != nil {
		s.config.Read(ctx, f)
	}
	return err
}

// ReadingErrorOf keeps of an error what the owner of the file may see.
func ReadingErrorOf(err error) *ReadingError {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return &ReadingError{Code: e.Code, Reason: e.Reason, Next: e.Next}
	}
	return &ReadingError{Code: fault.CodeOf(err), Reason: "it could not be read"}
}

func (s *Files) parse(ctx context.Context, f state.File) (Reading, error) {
	kind, alone, err := s.imageType(ctx, f.Owner, f)
	if err != nil {
		return Reading{}, err
	}
	if alone {
		return Reading{Image: true, MediaType: kind}, nil
	}
	r, err := s.parseText(ctx, f)
	if kind != "" && fault.Is(err, fault.NoTextLayer) {
		return Reading{Image: true, MediaType: kind}, nil // and remains one
	}
	return r, err
}

func (s *Files) parseText(ctx context.Context, f state.File) (Reading, error) {
	if s.config.Apart != nil && f.Bytes >= apartFrom {
		return s.parseApart(ctx, f)
	}
	data, err := s.Bytes(ctx, f.Owner, f.Content)
	if err != nil {
		return Reading{}, err
	}
	return ReadWith(ctx, s.config.Reader(f.Owner), parse.File{Name: f.Name, Data: data})
}

func (s *Files) parseApart(ctx context.Context, f state.File) (Reading, error) {
	path, done, err := blobs.Local(ctx, s.config.Blobs, s.config.Data, fileKey(f.Owner, f.Content))
	if err != nil {
		return Reading{}, blobs.Missing(err)
	}
	defer done()
	return s.config.Apart(ctx, f.Owner, f.Name, path)
}

// apartFrom is the size in bytes from which an upload is read in another
// process: starting one takes some hundredths of a second.
const apartFrom = 1 << 20

// ReadWith is what reading a file comes to. What the reader keeps of it is for
// the questions to come.
func ReadWith(ctx context.Context, reader injection.Reader, f parse.File) (Reading, error) {
	doc, err := reader.Parse(ctx, f, nil)
	if err != nil {
		return Reading{}, err
	}
	return Reading{MediaType: doc.MediaType, Library: doc.Library, Coverage: &doc.Coverage, Warnings: doc.Warnings}, nil
}
