package httpapi

import (
	"inlay/parse"
)

// textAnswer is what reading a file gave.
type textAnswer struct {
	ID        string          `json:"id"`
	Object    string          `json:"object"`
	Filename  string          `json:"filename"`
	MediaType string          `json:"media_type"`
	FileID    string          `json:"file_id,omitempty" doc:"of a document of a vector store: the upload that it is of"`
	Text      string          `json:"text" doc:"what start and end of citations count bytes of"`
	Sections  []parse.Section `json:"sections" doc:"pages, headings, tables and other parts of the text, by their bytes"`
}

// fileText answers with the text that citations are slices of.
func (a *API) fileText(c *call) error {
	id := c.PathValue("id")
	f, err := a.service.File(c.ctx(), c.owner, id)
	if err != nil {
		return err
	}
	doc, err := a.service.Document(c.ctx(), c.owner, id)
	if err != nil {
		return err
	}
	out := textAnswer{ID: id, Object: "file.text", Filename: f.Name, MediaType: doc.MediaType, Text: doc.Text, Sections: doc.Sections}
	if out.Sections == nil {
		out.Sections = []parse.Section{}
	}
	return c.json(out)
}
