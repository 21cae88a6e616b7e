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
	p.say(text)
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

// maxFieldDepth bounds how many fields a form's field is looked for in.
const maxFieldDepth = 16

// field adds the value of a form's field that has no appearance, since the
// program that filled it in left that to the viewer.
func (p *page) field(v lib.Value) {
	if kind := inherited(v, "FT").Name(); kind != "Tx" && kind != "Ch" {
		return
	}
	value := inherited(v, "V")
	text := value.Text()
	for i := range min(value.Len(), maxAnnotations) { // a list of choices
		text += " " + value.Index(i).Text()
	}
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return
	}
	label := inherited(v, "TU").Text()
	if label == "" {
		label = inherited(v, "T").Text()
	}
	if label = strings.Join(strings.Fields(label), " "); label != "" {
		text = label + ": " + text
	}
	p.say(text)
}

// inherited is an entry of a form's field, or of one that it is a part of.
func inherited(v lib.Value, key string) lib.Value {
	for range maxFieldDepth {
		if found := v.Key(key); !found.IsNull() {
			return found
		}
		v = v.Key("Parent")
	}
	return lib.Value{}
}

// say adds a paragraph after the page's text, once.
func (p *page) say(text string) {
	if slices.Contains(p.remarks, text) {
		return
	}
	p.remarks = append(p.remarks, text)
	if p.said += len(text); p.doc.text+p.flow.size+p.said > p.doc.limits.Text {
		panic(tooMuchText(p.doc.limits.Text))
	}
}
