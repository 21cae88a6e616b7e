package httpapi

import (
	"math"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"inlay/fault"
	"inlay/parse"
)

// boxesAnswer says where a range of a document's text is on its pages.
type boxesAnswer struct {
	ID     string            `json:"id"`
	Object string            `json:"object"`
	Start  int               `json:"start" doc:"bytes of the document's text, as in citations"`
	End    int               `json:"end"`
	Pages  []parse.BoxedPage `json:"pages" doc:"those with words of the range; points of the PDF's user space, from the lower left"`
}

// boxesQuery describes the parameters of the route.
func boxesQuery() []*huma.Param {
	zero := 0.0
	offset := &huma.Schema{Type: "integer", Minimum: &zero}
	return []*huma.Param{
		{Name: "start", In: "query", Description: "first byte of the text, as in citations; 0", Schema: offset},
		{Name: "end", In: "query", Description: "byte after the last; the end of the text", Schema: offset},
	}
}

// fileBoxes answers with the boxes of the words of a range. Formats without pages
// have none.
func (a *API) fileBoxes(c *call) error {
	start, end, err := c.span()
	if err != nil {
		return err
	}
	doc, err := a.service.Document(c.ctx(), c.owner, c.PathValue("id"))
	if err != nil {
		return err
	}
	end = min(end, len(doc.Text))
	return c.json(boxesAnswer{ID: c.PathValue("id"), Object: "file.boxes", Start: min(start, end), End: end, Pages: orEmpty(doc.BoxedPages(start, end))})
}

// span reads the range of a text that boxes are wanted of.
func (c *call) span() (start, end int, err error) {
	if start, err = c.offset("start", 0); err != nil {
		return 0, 0, err
	}
	if end, err = c.offset("end", math.MaxInt); err != nil {
		return 0, 0, err
	}
	if end < start {
		return 0, 0, &fault.Error{Code: fault.Usage, Subject: "end", Reason: "is before start"}
	}
	return start, end, nil
}

// offset reads a parameter that counts bytes.
func (c *call) offset(name string, absent int) (int, error) {
	text := c.URL.Query().Get(name)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fault.Invalid(name, "a number of bytes, from 0")
	}
	return n, nil
}
