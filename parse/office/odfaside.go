package office

import (
	"slices"
	"strings"

	"inlay/internal/xmlscan"
	"inlay/parse"
)

// odfRemarks gathers the comments of an OpenDocument file.
type odfRemarks struct {
	said []remark
	open *remark
	text []byte  // of the comment
	buf  *[]byte // what of it is being read, nil for what is left out
	word []byte  // its author or date
}

// start takes a start tag and reports whether it belongs to a comment.
func (r *odfRemarks) start(e element) bool {
	switch name := e.Name.Local; {
	case r.open == nil && name == "annotation" && e.Name.Space == "office":
		r.open, r.text = &remark{}, nil
	case r.open == nil:
		return false
	case name == "creator", name == "date":
		r.buf, r.word = &r.word, nil
	case name == "p":
		r.buf, r.text = &r.text, append(r.text, ' ')
	}
	return true
}

// write takes text and reports whether it belongs to a comment.
func (r *odfRemarks) write(data []byte) bool {
	if r.buf != nil {
		*r.buf = append(*r.buf, data...)
	}
	return r.open != nil
}

// end takes an end tag and reports whether it belongs to a comment.
func (r *odfRemarks) end(name string) bool {
	if r.open == nil {
		return false
	}
	switch name {
	case "creator":
		r.open.author, r.buf = string(r.word), nil
	case "date":
		r.open.when, r.buf = string(r.word), nil
	case "p":
		r.buf = nil
	case "annotation":
		if r.open.text = strings.Join(strings.Fields(string(r.text)), " "); r.open.text != "" {
			r.said = append(r.said, *r.open)
		}
		r.open, r.buf = nil, nil
	}
	return true
}

// asides adds what is beside the text: comments, then each distinct header
// and footer once.
func (o *odf) asides(margins []string) {
	var said []string
	for _, r := range o.remarks.said {
		said = append(said, r.label()+r.text)
	}
	addPart(o.b, "comments", said)
	if !o.isText {
		return // sheets have headers that nobody wrote
	}
	var distinct []string
	for _, text := range margins {
		if !slices.Contains(distinct, text) {
			distinct = append(distinct, text)
		}
	}
	addPart(o.b, "headers and footers", distinct)
}

// addPart adds paragraphs as a part of their own.
func addPart(b *parse.Builder, label string, paragraphs []string) {
	if len(paragraphs) == 0 {
		return
	}
	b.Open(parse.Section{Kind: parse.Part, Label: label})
	for _, text := range paragraphs {
		b.Block(parse.Paragraph, "", text)
	}
	b.Close()
}

// startLink notes where the text of a web or mail link begins.
func (o *odf) startLink(e element) {
	if n := len(o.paras); n > 0 {
		o.paras[n-1].link, o.paras[n-1].mark = xmlscan.Attr(e, "href"), len(o.paras[n-1].text)
	}
}

// endLink writes a web or mail link as Markdown.
func (o *odf) endLink() {
	n := len(o.paras)
	if n == 0 {
		return
	}
	p := o.paras[n-1]
	p.text, p.link = linked(p.text, p.mark, p.link), ""
}
