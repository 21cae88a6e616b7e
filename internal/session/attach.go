package session

import (
	"context"
	"fmt"
	"io"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/state"
	"inlay/parse"
	"inlay/strategy"
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

// earlier are the documents attached to messages before the new one, each once,
// oldest first. One that is no upload of the owner's any more is
// [injection.ErrGone] when it is read.
func (s *Service) earlier(ctx context.Context, owner string, messages []chat.Message) ([]injection.File, error) {
	seen := map[string]bool{}
	var out []injection.File
	for _, m := range messages {
		for _, a := range m.Attachments {
			if seen[a.FileID] || a.IsImage() {
				continue
			}
			seen[a.FileID] = true
			if data, ok := Cut(a, m.Raw); ok {
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
	}
	return out, nil
}

// Attached turns a request's files into attachments as strategies see them,
// and the modes that were asked for some, by id.
func Attached(files []injection.File, images []chat.Attachment, earlier []injection.File) (list []strategy.Attachment, modes map[string]injection.Mode) {
	modes = map[string]injection.Mode{}
	for _, f := range files {
		if f.ID == "" {
			f.ID = parse.FileID(f.Data)
		}
		modes[f.ID] = f.Mode
		list = append(list, attachment(f, true))
	}
	for _, i := range images {
		list = append(list, strategy.Attachment{Attachment: i, New: true})
	}
	for _, f := range earlier {
		list = append(list, attachment(f, false))
	}
	return list, modes
}

func attachment(f injection.File, fresh bool) strategy.Attachment {
	open := f.Open
	if f.Data != nil {
		open = func(context.Context) ([]byte, error) { return f.Data, nil }
	}
	return strategy.Attachment{
		Attachment: chat.Attachment{FileID: f.ID, Name: f.Name, Path: f.Path, MediaType: f.MediaType}, New: fresh, Size: max(f.Size, int64(len(f.Data))), Open: open,
	}
}
