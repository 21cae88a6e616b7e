package pdf

import (
	"slices"
	"strings"

	lib "github.com/ledongthuc/pdf"
)

// remark adds what somebody wrote about a page: the text of an annotation that
// the page itself does not show. looks says that the annotation is drawn.
func (p *page) remark(v lib.Value, looks bool) {
	kind := v.Key("Subtype").Name()
	if !slices.Contains([]string{"Text", "FreeText", "Highlight", "Underline", "StrikeOut", "Squiggly", "Caret", "Square", "Circle", "Line", "Polygon", "PolyLine", "Ink"}, kind) ||
		kind == "FreeText" && looks || !v.Key("StateModel").IsNull() {
		return
	}
	text := strings.Join(strings.Fields(v.Key("Contents").Text()), " ")
	if text == "" {
		return
	}
	if kind != "FreeText" {
		author := strings.Join(strings.Fields(v.Key("T").Text()), " ")
		if author == "" {
			author = "unknown"
		}
		text = "Comment [author: " + author + "]: " + text
	}
	if p.remarks = append(p.remarks, text); p.doc.text+p.flow.size+p.said > p.doc.limits.Text {
		panic(tooMuchText(p.doc.limits.Text))
	}
	p.said += len(text)
}

// withRemarks adds what was written about a page to its text.
func (p pageText) withRemarks(remarks []string) pageText {
	p.remarks = remarks
	for _, r := range remarks {
		if p.text != "" {
			p.text += "\n\n"
		}
		p.text += r
	}
	return p
}
