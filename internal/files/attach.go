package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/state"
	"inlay/parse"
)

// Ref attaches a file: an upload by its id, or bytes with a name.
type Ref struct {
	ID   string `json:"id,omitempty" doc:"of an upload"`
	Name string `json:"name,omitempty" doc:"of bytes sent with the request"`
	Data []byte `json:"data,omitempty" doc:"base64"`
	Mode string `json:"mode,omitempty" enum:"auto,full,retrieval,none"`

	Received *Incoming `json:"-"` // bytes on disk already, of a multipart request
}

// Attached are the files of a request: documents, and images, which stay on
// the message.
type Attached struct {
	Files  []injection.File
	Images []chat.Attachment
}

// Attach finds what refs name. An upload that is not the owner's is as good as
// none.
func (s *Files) Attach(ctx context.Context, owner string, refs []Ref) (a Attached, err error) {
	for i, ref := range refs {
		f, err := s.attachOne(ctx, owner, ref, i)
		if err != nil {
			return a, err
		}
		if f.MediaType != "" {
			a.Images = append(a.Images, chat.Attachment{FileID: f.ID, Name: f.Name, MediaType: f.MediaType})
			continue
		}
		a.Files = append(a.Files, f)
	}
	return a, nil
}

// attachOne is one file; only an image has a MediaType.
func (s *Files) attachOne(ctx context.Context, owner string, ref Ref, i int) (f injection.File, err error) {
	if f.Mode, err = injection.ParseMode(ref.Mode); err != nil {
		return f, fault.Invalid(fmt.Sprintf("files[%d].mode", i), "auto, full, retrieval or none")
	}
	if ref.ID != "" {
		if ref.Data != nil || ref.Name != "" {
			return f, fault.Invalid(fmt.Sprintf("files[%d]", i), "an id, or a name and data")
		}
		return s.upload(ctx, owner, ref.ID, f.Mode)
	}
	if ref.Received != nil {
		return ref.Received.file(s.config.Reader(owner), f.Mode)
	}
	if f.Name, err = cleanName(ref.Name); err != nil {
		return f, err
	}
	f.Data, f.Size, f.ID = ref.Data, int64(len(ref.Data)), parse.FileID(ref.Data)
	if f.Data == nil {
		f.Data = []byte{}
	}
	f.MediaType = injection.Picture(s.config.Reader(owner), f.Data)
	return f, nil
}

// upload is an uploaded file, read when it is needed.
func (s *Files) upload(ctx context.Context, owner, id string, mode injection.Mode) (injection.File, error) {
	u, err := s.uploads.get(ctx, uploadKey{owner, id}, s.findUpload)
	if err != nil {
		return injection.File{}, err
	}
	f := injection.File{ID: id, Name: u.name, Mode: mode, Size: u.size, Open: func(ctx context.Context) ([]byte, error) { return s.Bytes(ctx, owner, u.content) }}
	if u.picture {
		f.MediaType = u.image
	} else {
		f.Content = parse.FileIDOf(u.content)
	}
	return f, nil
}

// findUpload asks the state, and the file itself if it was not looked at yet.
func (s *Files) findUpload(ctx context.Context, key uploadKey) (upload, error) {
	record, err := s.File(ctx, key.owner, key.id)
	if err != nil {
		return upload{}, err
	}
	u := upload{name: record.Name, content: record.Content, size: record.Bytes}
	if record.State == state.Uploaded {
		u.image, u.picture, err = s.imageType(ctx, key.owner, record)
		return u, err
	}
	reading, err := ReadingOf(record)
	if (chat.Attachment{MediaType: reading.MediaType}).IsImage() {
		u.image, u.picture = reading.MediaType, reading.Image
	}
	return u, err
}

// imageType is the media type of an upload that is an image, and whether it is a
// picture, of which no text is read.
func (s *Files) imageType(ctx context.Context, owner string, f state.File) (kind string, apart bool, err error) {
	content, err := s.open(ctx, owner, f.Content)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = content.Close() }()
	kind, alone := imageOf(s.config.Reader(owner), content)
	return kind, alone != "", nil
}

// imageOf looks at the beginning of a file: its media type where it is an image,
// and again where r reads no text of it.
func imageOf(r injection.Reader, content io.Reader) (kind, alone string) {
	head := make([]byte, 16)
	n, _ := io.ReadFull(content, head)
	return injection.ImageType(head[:n]), injection.Picture(r, head[:n])
}

// Of are the documents attached to a message of the past. One that is no
// upload of the owner's any more is [injection.ErrGone] when it is read.
func (s *Files) Of(ctx context.Context, owner string, m chat.Message) ([]injection.File, error) {
	var out []injection.File
	for _, a := range m.Attachments {
		if a.IsImage() {
			continue
		}
		if data, ok := a.Cut(m.Raw); ok {
			out = append(out, injection.File{ID: a.FileID, Name: a.Name, MediaType: a.MediaType, Data: data})
			continue
		}
		f, err := s.upload(ctx, owner, a.FileID, injection.Auto)
		switch {
		case fault.Is(err, fault.FileNotFound):
			f = injection.File{ID: a.FileID, Name: a.Name, Open: func(context.Context) ([]byte, error) { return nil, injection.ErrGone }}
		case err != nil:
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// KeepInline makes uploads of the refs that are none, in their place. Bytes that
// the chat has already go by the upload that it has. made are the ids of new
// uploads, also beside an error.
func (s *Files) KeepInline(ctx context.Context, owner, purpose string, past []chat.Message, refs []Ref) (made []string, err error) {
	have, err := s.contents(ctx, owner, past)
	if err != nil {
		return nil, err
	}
	for i, ref := range refs {
		if ref.ID != "" {
			continue
		}
		in := ref.Received
		if in == nil {
			if in, err = s.Receive(ctx, ref.Name, bytes.NewReader(ref.Data), int64(len(ref.Data))); err != nil {
				return made, err
			}
		}
		id := have[in.content+"\x00"+in.name]
		if id == "" {
			f, err := s.Accept(ctx, owner, purpose, in)
			if err != nil {
				in.Discard()
				return made, err
			}
			id = f.ID
			have[in.content+"\x00"+in.name] = id
			made = append(made, id)
		}
		in.Discard()
		refs[i] = Ref{ID: id, Mode: ref.Mode}
	}
	return made, nil
}

// contents are the uploads of a chat by their bytes and name.
func (s *Files) contents(ctx context.Context, owner string, past []chat.Message) (map[string]string, error) {
	have := map[string]string{}
	for _, m := range past {
		for _, a := range m.Attachments {
			u, err := s.uploads.get(ctx, uploadKey{owner, a.FileID}, s.findUpload)
			switch {
			case fault.Is(err, fault.FileNotFound):
			case err != nil:
				return nil, err
			default:
				have[u.content+"\x00"+u.name] = a.FileID
			}
		}
	}
	return have, nil
}

// Image is an upload's media type and bytes, where it is an image; else kind is empty.
func (s *Files) Image(ctx context.Context, owner, id string) (kind string, data []byte, err error) {
	u, err := s.uploads.get(ctx, uploadKey{owner, id}, s.findUpload)
	if err != nil || u.image == "" {
		return "", nil, err
	}
	data, err = s.Bytes(ctx, owner, u.content)
	return u.image, data, err
}

// Document is what reading an upload gives, from memory or the cache where it has
// been read already. An image has no document: fault.UnsupportedFormat.
func (s *Files) Document(ctx context.Context, owner, id string) (parse.Document, error) {
	u, err := s.uploads.get(ctx, uploadKey{owner, id}, s.findUpload)
	if err != nil {
		return parse.Document{}, err
	}
	if u.picture {
		return parse.Document{}, &fault.Error{Code: fault.UnsupportedFormat, Subject: u.name, Reason: "an image has no text", Next: "ask for its content"}
	}
	reader, f := s.config.Reader(owner), parse.File{Name: u.name}
	if r, ok := reader.(injection.Recaller); ok {
		if doc, ok := r.Recall(parse.FileIDOf(u.content), f); ok {
			return doc, nil
		}
	}
	if f.Data, err = s.Bytes(ctx, owner, u.content); err != nil {
		return parse.Document{}, err
	}
	return reader.Parse(ctx, f, nil)
}

// Drop deletes uploads that were made for something that was not kept.
func (s *Files) Drop(ctx context.Context, owner string, ids []string) (err error) {
	for _, id := range ids {
		if e := s.DeleteFile(ctx, owner, id); e != nil && !fault.Is(e, fault.FileNotFound) {
			err = errors.Join(err, e)
		}
	}
	return err
}
