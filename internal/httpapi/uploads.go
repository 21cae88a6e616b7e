package httpapi

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"inlay/fault"
	"inlay/internal/files"
	"inlay/internal/state"
)

// uploadRequest is the body of POST /v1/uploads.
type uploadRequest struct {
	Bytes    int64   `json:"bytes" doc:"of the whole file"`
	Filename string  `json:"filename"`
	MIMEType string  `json:"mime_type,omitempty" doc:"not looked at: the content says what it is"`
	Purpose  string  `json:"purpose,omitempty" doc:"user_data"`
	Expires  *expiry `json:"expires_after,omitempty" doc:"when the file is deleted by itself; without it never"`
}

// completeRequest is the body of POST /v1/uploads/{id}/complete.
type completeRequest struct {
	PartIDs []string `json:"part_ids" doc:"in the order of the file"`
	MD5     string   `json:"md5,omitempty" doc:"of the whole file, hexadecimal"`
}

// uploadObject is an upload in the OpenAI API's form.
type uploadObject struct {
	ID        string      `json:"id"`
	Object    string      `json:"object"`
	Bytes     int64       `json:"bytes"`
	CreatedAt int64       `json:"created_at"`
	ExpiresAt int64       `json:"expires_at"`
	Filename  string      `json:"filename"`
	Purpose   string      `json:"purpose"`
	Status    string      `json:"status" enum:"pending,completed,cancelled"`
	File      *fileObject `json:"file,omitempty" doc:"of an upload that is complete"`
}

// partObject is a part of an upload.
type partObject struct {
	ID        string `json:"id"`
	Object    string `json:"object"`
	CreatedAt int64  `json:"created_at"`
	UploadID  string `json:"upload_id"`
}

func describeUpload(u state.Upload, status string) uploadObject {
	return uploadObject{
		ID: u.ID, Object: "upload", Bytes: u.Bytes, CreatedAt: u.Created.Unix(), ExpiresAt: u.Expires.Unix(), Filename: u.Name, Purpose: u.Purpose, Status: status,
	}
}

// partForm describes the form of a part.
func partForm() *huma.Schema {
	return &huma.Schema{Type: "object", Required: []string{"data"}, Properties: map[string]*huma.Schema{"data": {Type: "string", Format: "binary"}}}
}

func (a *API) beginUpload(c *call) error {
	r := uploadRequest{Purpose: "user_data"}
	if err := c.decode(&r); err != nil {
		return err
	}
	if !slices.Contains(purposes(), r.Purpose) {
		return &fault.Error{Code: fault.Usage, Subject: "purpose", Reason: "is not known", Next: "use user_data"}
	}
	life, err := r.Expires.life()
	if err != nil {
		return err
	}
	u, err := a.service.BeginUpload(c.ctx(), c.owner, r.Filename, r.Purpose, r.Bytes, a.config.Limits.File, life)
	if err != nil {
		return err
	}
	return c.json(describeUpload(u, "pending"))
}

// addPart reads the form piece by piece: the part goes to disk as it comes.
func (a *API) addPart(c *call) error {
	form, err := multipartOf(c.Request)
	if err != nil {
		return err
	}
	part, err := form.NextPart()
	switch {
	case errors.Is(err, io.EOF):
		return &fault.Error{Code: fault.Usage, Subject: "data", Reason: "is missing", Next: "send the part as the field data of a form"}
	case err != nil:
		return formError(err, files.MaxPart)
	case part.FormName() != "data":
		return &fault.Error{Code: fault.Usage, Subject: "form", Reason: "has a field that is not known; data is", Next: "leave it out"}
	}
	id := c.PathValue("id")
	made, err := a.service.AddPart(c.ctx(), c.owner, id, part)
	if err != nil {
		return bodyError(err, files.MaxPart)
	}
	return c.json(partObject{made, "upload.part", time.Now().Unix(), id})
}

func (a *API) completeUpload(c *call) error {
	var r completeRequest
	if err := c.decode(&r); err != nil {
		return err
	}
	u, f, err := a.service.CompleteUpload(c.ctx(), c.owner, c.PathValue("id"), r.PartIDs, r.MD5)
	if err != nil {
		return err
	}
	file, err := describeFile(f)
	if err != nil {
		return err
	}
	o := describeUpload(u, "completed")
	o.File = &file
	return c.json(o)
}

func (a *API) cancelUpload(c *call) error {
	u, err := a.service.CancelUpload(c.ctx(), c.owner, c.PathValue("id"))
	if err != nil {
		return err
	}
	return c.json(describeUpload(u, "cancelled"))
}
