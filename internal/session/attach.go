package session

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/state"
	"inlay/parse"
)

// FileRef attaches a file: an upload by its id, or bytes with a name.
type FileRef struct {
	ID   string `json:"id,omitempty" doc:"of an upload"`
	Name string `json:"name,omitempty" doc:"of bytes sent with the request"`
	Data []byte `json:"data,omitempty" doc:"base64"`
	Mode string `json:"mode,omitempty" enum:"auto,full,retrieval,none"`

	Received *Incoming `json:"-"` // bytes on disk already, of a multipart request
}

// attachments are the files of a request: documents, and images, which stay on
// the message.
type attachments struct {
	files  []injection.File
	images []chat.Attachment
}

// attach finds what refs name. An upload that is not the owner's is as good as
// none.
func (s *Service) attach(ctx context.Context, owner string, refs []FileRef) (a attachments, err error) {
	for i, ref := range refs {
		f, err := s.attachOne(ctx, owner, ref, i)
		if err != nil {
			return a, err
		}
		if f.MediaType != "" {
			a.images = append(a.images, chat.Attachment{FileID: f.ID, Name: f.Name, MediaType: f.MediaType})
			continue
		}
		a.files = append(a.files, f)
	}
	return a, nil
}

// attachOne is one file; only an image has a MediaType.
func (s *Service) attachOne(ctx context.Context, owner string, ref FileRef, i int) (f injection.File, err error) {
	if f.Mode, err = injection.ParseMode(ref.Mode); err != nil {
		return f, wrong(fmt.Sprintf("files[%d].mode", i), "auto, full, retrieval or none")
	}
	if ref.ID != "" {
		if ref.Data != nil || ref.Name != "" {
			return f, wrong(fmt.Sprintf("files[%d]", i), "an id, or a name and data")
		}
		return s.upload(ctx, owner, ref.ID, f.Mode)
	}
	if ref.Received != nil {
		return ref.Received.file(f.Mode)
	}
	if f.Name, err = cleanName(ref.Name); err != nil {
		return f, err
	}
	f.Data, f.Size, f.ID = ref.Data, int64(len(ref.Data)), parse.FileID(ref.Data)
	if f.Data == nil {
		f.Data = []byte{}
	}
	f.MediaType = injection.ImageType(f.Data)
	return f, nil
}

// upload is an uploaded file, read when it is needed.
func (s *Service) upload(ctx context.Context, owner, id string, mode injection.Mode) (injection.File, error) {
	u, err := s.uploads.get(ctx, uploadKey{owner, id}, s.findUpload)
	if err != nil {
		return injection.File{}, err
	}
	f := injection.File{ID: id, Name: u.name, Mode: mode, MediaType: u.image, Size: u.size, Open: func(context.Context) ([]byte, error) { return s.blobs.read(owner, u.content) }}
	if u.image == "" {
		f.Content = parse.FileIDOf(u.content)
	}
	return f, nil
}

// findUpload asks the state, and the file itself if it was not looked at yet.
func (s *Service) findUpload(ctx context.Context, key uploadKey) (upload, error) {
	record, err := s.File(ctx, key.owner, key.id)
	if err != nil {
		return upload{}, err
	}
	u := upload{name: record.Name, content: record.Content, size: record.Bytes}
	if record.State == state.Uploaded {
		u.image, err = s.imageType(key.owner, record)
		return u, err
	}
	reading, err := ReadingOf(record)
	if reading.Image {
		u.image = reading.MediaType
	}
	return u, err
}

func (s *Service) imageType(owner string, f state.File) (string, error) {
	content, err := s.blobs.open(owner, f.Content)
	if err != nil {
		return "", err
	}
	defer func() { _ = content.Close() }()
	return imageIn(content), nil
}

// imageIn looks at the beginning of a file.
func imageIn(content io.Reader) string {
	head := make([]byte, 16)
	n, _ := io.ReadFull(content, head)
	return injection.ImageType(head[:n])
}

// filesOf are the documents attached to a message of the past. One that is no
// upload of the owner's any more is [injection.ErrGone] when it is read.
func (s *Service) filesOf(ctx context.Context, owner string, m chat.Message) ([]injection.File, error) {
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

// keepInline makes uploads of the refs that are none, in their place. Bytes that
// the chat has already go by the upload that it has. made are the ids of new
// uploads, also beside an error.
func (s *Service) keepInline(ctx context.Context, owner, purpose string, past *past, refs []FileRef) (made []string, err error) {
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
		refs[i] = FileRef{ID: id, Mode: ref.Mode}
	}
	return made, nil
}

// contents are the uploads of a chat by their bytes and name.
func (s *Service) contents(ctx context.Context, owner string, past *past) (map[string]string, error) {
	have := map[string]string{}
	if past == nil {
		return have, nil
	}
	for _, m := range past.messages {
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

func fileOf(f injection.File) parse.File {
	return parse.File{Name: f.Name, MediaType: f.MediaType, Data: f.Data}
}
