package httpapi

import (
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"inlay/internal/service"
	"inlay/parse"
)

// libraryList are the libraries that folders are in.
type libraryList struct {
	Object string            `json:"object"`
	Data   []service.Library `json:"data"`
}

func (a *API) listLibraries(c *call) error {
	list, err := a.service.Libraries(c.ctx(), c.owner)
	if err != nil {
		return err
	}
	return c.json(libraryList{Object: "list", Data: list})
}

// pathQuery describes the parameter that names a document of a library.
func pathQuery(more ...*huma.Param) []*huma.Param {
	return append([]*huma.Param{{
		Name: "path", In: "query", Required: true, Description: "the document, as the field file of citations has it", Schema: &huma.Schema{Type: "string"},
	}}, more...)
}

// libraryText answers with the text that citations of a library are slices of.
func (a *API) libraryText(c *call) error {
	at := c.URL.Query().Get("path")
	d, err := a.service.LibraryDocument(c.ctx(), c.owner, c.PathValue("id"), at)
	if err != nil {
		return err
	}
	out := textAnswer{ID: d.FileID, Object: "library.document", Filename: at, MediaType: d.MediaType, FileID: d.File, Text: d.Text, Sections: d.Sections}
	if out.Sections == nil {
		out.Sections = []parse.Section{}
	}
	return c.json(out)
}

// libraryContent answers with the bytes that a document of a library was read from.
func (a *API) libraryContent(c *call) error {
	o, err := a.service.OpenLibraryFile(c.ctx(), c.owner, c.PathValue("id"), c.URL.Query().Get("path"))
	if err != nil {
		return err
	}
	defer func() { _ = o.Close() }()
	kind := "application/octet-stream"
	if o.MediaType == "application/pdf" {
		kind = o.MediaType
	}
	return c.bytes(o.Name, kind, o.Content, time.Time{}, o)
}

// bytes answers with the bytes of a file, or a range of them.
func (c *call) bytes(name, kind, content string, made time.Time, from io.ReadSeeker) error {
	h := c.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	h.Set("ETag", `"`+content+`"`)
	h.Set("Cache-Control", "private, no-cache")
	http.ServeContent(patientResponse{c.w, patientWriter{c}}, c.Request, "", made, from)
	return nil
}

// libraryBoxes answers with the boxes of the words of a range of a library's document.
func (a *API) libraryBoxes(c *call) error {
	start, end, err := c.span()
	if err != nil {
		return err
	}
	pages, err := a.service.LibraryBoxes(c.ctx(), c.owner, c.PathValue("id"), c.URL.Query().Get("path"), start, end)
	if err != nil {
		return err
	}
	return c.json(boxesAnswer{ID: c.URL.Query().Get("path"), Object: "library.boxes", Start: start, End: end, Pages: orEmpty(pages)})
}

func orEmpty(pages []parse.BoxedPage) []parse.BoxedPage {
	if pages == nil {
		return []parse.BoxedPage{}
	}
	return pages
}
