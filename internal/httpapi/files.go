package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"time"

	"inlay/fault"
	"inlay/internal/files"
	"inlay/internal/state"
)

// fileObject is a file in the OpenAI API's form. What reading it came to
// is in inlay.
type fileObject struct {
	ID            string   `json:"id"`
	Object        string   `json:"object"`
	Bytes         int64    `json:"bytes"`
	CreatedAt     int64    `json:"created_at"`
	ExpiresAt     int64    `json:"expires_at,omitempty" doc:"when it is deleted by itself"`
	Filename      string   `json:"filename"`
	Purpose       string   `json:"purpose"`
	Status        string   `json:"status" enum:"uploaded,processed,error"`
	StatusDetails string   `json:"status_details,omitempty"`
	Inlay         fileRead `json:"inlay" doc:"what reading the file came to"`
}

// fileRead is the part of a file object that is inlay's.
type fileRead struct {
	State string `json:"state" enum:"reading,ready,failed"`
	files.Reading
}

type fileList struct {
	Object  string       `json:"object"`
	Data    []fileObject `json:"data"`
	FirstID string       `json:"first_id,omitempty"`
	LastID  string       `json:"last_id,omitempty"`
	HasMore bool         `json:"has_more"`
}

// deleted is the OpenAI API's answer to a deletion.
type deleted struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

func describeFile(f state.File) (fileObject, error) {
	r, err := files.ReadingOf(f)
	if err != nil {
		return fileObject{}, fmt.Errorf("read the report of %s: %w", f.ID, err)
	}
	o := fileObject{
		ID: f.ID, Object: "file", Bytes: f.Bytes, CreatedAt: f.Created.Unix(), Filename: f.Name, Purpose: f.Purpose,
		Status: f.State, Inlay: fileRead{State: "reading", Reading: r},
	}
	if !f.Expires.IsZero() {
		o.ExpiresAt = f.Expires.Unix()
	}
	switch f.State {
	case state.Processed:
		o.Inlay.State = "ready"
	case state.Failed:
		o.Inlay.State = "failed"
		if r.Error != nil {
			o.StatusDetails = (&fault.Error{Reason: r.Error.Reason, Next: r.Error.Next}).Error()
		}
	}
	return o, nil
}

// purposes are those that the OpenAI API knows for files of people.
func purposes() []string {
	return []string{"user_data", "assistants", "vision", "evals", "batch", "fine-tune"}
}

func (a *API) uploadFile(c *call) error {
	form, err := multipartOf(c.Request)
	if err != nil {
		return err
	}
	up := &upload{c: c, purpose: "user_data"}
	defer up.discard()
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return formError(err, a.config.Limits.File)
		}
		if err := up.take(part); err != nil {
			return err
		}
	}
	return up.finish()
}

// isForm reports a multipart body.
func isForm(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "multipart/form-data"
}

// multipartOf reads a form piece by piece, as it arrives.
func multipartOf(r *http.Request) (*multipart.Reader, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, &fault.Error{Code: fault.Usage, Subject: "body", Reason: "is not multipart/form-data", Next: "send the file as the field file of a form"}
	}
	return multipart.NewReader(r.Body, params["boundary"]), nil
}

// upload is a form on its way in. The fields may come in any order: the file is
// on disk before its purpose is known.
type upload struct {
	c       *call
	purpose string
	expires *expiry
	file    *files.Incoming
}

// expiry is the OpenAI API's wish that a file be deleted by itself.
type expiry struct {
	Anchor  string `json:"anchor" enum:"created_at"`
	Seconds int64  `json:"seconds" doc:"3600 to 2592000"`
}

// life is how long a file is kept; 0: for ever.
func (e *expiry) life() (time.Duration, error) {
	switch {
	case e == nil:
		return 0, nil
	case e.Anchor != "created_at":
		return 0, fault.Invalid("expires_after.anchor", "created_at")
	case e.Seconds < 3600 || e.Seconds > 2592000:
		return 0, fault.Invalid("expires_after.seconds", "3600 to 2592000")
	}
	return time.Duration(e.Seconds) * time.Second, nil
}

// take reads one field of the form.
func (u *upload) take(part *multipart.Part) (err error) {
	switch part.FormName() {
	case "file":
		if u.file != nil {
			return &fault.Error{Code: fault.Usage, Subject: "file", Reason: "is there twice", Next: "upload one file at a time"}
		}
		limit := u.c.api.config.Limits.File
		f, err := u.c.api.service.Receive(u.c.ctx(), part.FileName(), part, limit)
		if err != nil {
			return bodyError(err, limit)
		}
		u.file = f
		return nil
	case "purpose":
		u.purpose, err = smallField(part)
		if err == nil && !slices.Contains(purposes(), u.purpose) {
			err = &fault.Error{Code: fault.Usage, Subject: "purpose", Reason: "is not known", Next: "use user_data"}
		}
		return err
	case "expires_after[anchor]", "expires_after[seconds]":
		return u.takeExpiry(part)
	default:
		return &fault.Error{Code: fault.Usage, Subject: "form", Reason: "has " + unknownNamed(part.FormName()) + "; known are file, purpose and expires_after", Next: "leave it out"}
	}
}

// takeExpiry reads a field of expires_after.
func (u *upload) takeExpiry(part *multipart.Part) error {
	text, err := smallField(part)
	if err != nil {
		return err
	}
	if u.expires == nil {
		u.expires = &expiry{}
	}
	if part.FormName() == "expires_after[anchor]" {
		u.expires.Anchor = text
		return nil
	}
	if u.expires.Seconds, err = strconv.ParseInt(text, 10, 64); err != nil {
		return fault.Invalid("expires_after.seconds", "3600 to 2592000")
	}
	return nil
}

// smallField reads a field that is a word.
func smallField(part *multipart.Part) (string, error) {
	data, err := io.ReadAll(io.LimitReader(part, 1<<10))
	return string(data), bodyError(err, 1<<10)
}

func (u *upload) discard() {
	if u.file != nil {
		u.file.Discard()
	}
}

// finish makes the file the caller's and answers.
func (u *upload) finish() error {
	if u.file == nil {
		return &fault.Error{Code: fault.Usage, Subject: "file", Reason: "is missing", Next: "send the file as the field file of a form"}
	}
	life, err := u.expires.life()
	if err != nil {
		return err
	}
	u.file.Life = life
	f, err := u.c.api.service.Accept(u.c.ctx(), u.c.owner, u.purpose, u.file)
	if err != nil {
		return err
	}
	return u.c.file(f)
}

func (c *call) file(f state.File) error {
	o, err := describeFile(f)
	if err != nil {
		return err
	}
	return c.json(o)
}

// maxFilePage is the longest page of files, as in the OpenAI API.
const maxFilePage = 10000

func (a *API) listFiles(c *call) error {
	p, err := c.page(maxFilePage)
	if err != nil {
		return err
	}
	files, more, err := a.service.ListFiles(c.ctx(), c.owner, c.URL.Query().Get("purpose"), p)
	if err != nil {
		return err
	}
	if err := known(files, p, func(id string) error { _, err := a.service.File(c.ctx(), c.owner, id); return err }); err != nil {
		return err
	}
	list := fileList{Object: "list", Data: []fileObject{}, HasMore: more}
	for _, f := range files {
		o, err := describeFile(f)
		if err != nil {
			return err
		}
		list.Data = append(list.Data, o)
	}
	if n := len(list.Data); n > 0 {
		list.FirstID, list.LastID = list.Data[0].ID, list.Data[n-1].ID
	}
	return c.json(list)
}

func (a *API) getFile(c *call) error {
	f, err := a.service.File(c.ctx(), c.owner, c.PathValue("id"))
	if err != nil {
		return err
	}
	return c.file(f)
}

func (a *API) deleteFile(c *call) error {
	id := c.PathValue("id")
	if err := a.service.DeleteFile(c.ctx(), c.owner, id); err != nil {
		return err
	}
	return c.json(deleted{ID: id, Object: "file", Deleted: true})
}

func (a *API) fileContent(c *call) error {
	f, content, err := a.service.OpenFile(c.ctx(), c.owner, c.PathValue("id"))
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	return c.bytes(f.Name, contentType(f), f.Content, f.Created, content)
}

// contentTypes are those that contents may have.
func contentTypes() []string {
	return []string{"application/octet-stream", "application/pdf", "image/png", "image/jpeg", "image/gif", "image/tiff", "image/webp"}
}

// contentType is the media type of a file's bytes where a browser shows them without
// running anything of theirs: PDFs and images. All others are bytes without a type.
func contentType(f state.File) string {
	r, err := files.ReadingOf(f)
	if err == nil && (r.MediaType == "application/pdf" || r.Image) {
		return r.MediaType
	}
	return "application/octet-stream"
}

// patientResponse is an answer that net/http writes, each write with its own time.
type patientResponse struct {
	http.ResponseWriter
	body patientWriter
}

// Write implements io.Writer.
func (p patientResponse) Write(b []byte) (int, error) { return p.body.Write(b) }
