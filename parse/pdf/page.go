package pdf

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"unicode"

	lib "github.com/ledongthuc/pdf"

	"inlay/parse"
)

// pageText is what an engine read of one page.
type pageText struct {
	text    string
	library string   // empty for the own text layer
	lines   []placed // where the engine tells
	remarks []string // what was written about the page; a part of text
	boxes   []byte   // the page's record of word boxes
	status  parse.Status
	images  float64 // share of the page that images cover, may exceed 1
	shown   int     // characters shown, where the engine counts them
	lost    int     // characters shown that no table turns into text
	broken  bool    // a part could not be read
}

// A page is scanned if it has fewer than scannedLetters letters or digits and
// images cover more than scannedImages of it.
const (
	scannedLetters = 16
	scannedImages  = .5
)

// readPage reads the page with index i. An error is one that ends the document:
// a limit or the end of the context.
func (d *document) readPage(i int) (pageText, error) {
	at := d.pages[i]
	p := &page{doc: d}
	err := guard(func() error {
		p.box = readBox(at.box)
		return p.read(at)
	})
	if ends(err) {
		return pageText{}, err
	}
	p.flow.finish()
	out := pageText{shown: p.shown, lost: p.unmapped, broken: p.failed || err != nil || p.deep && p.shown == 0}
	lines := p.flow.lines
	if err := guard(func() error { lines = p.tabulate(lines); return nil }); ends(err) {
		return pageText{}, err
	}
	out.text, out.lines = layOut(lines)
	out.boxes = boxesIn(at.frame(i), out.text, lines)
	if area := p.box.area(); area > 0 {
		out.images = p.images / area
	}
	out.status = statusOf(out)
	out = out.withRemarks(p.remarks)
	if d.text += len(out.text); d.text > d.limits.Text {
		return pageText{}, tooMuchText(d.limits.Text)
	}
	return out, nil
}

// ends reports whether an error ends the whole document.
func ends(err error) bool {
	return errors.Is(err, errBudget) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// read interprets the page's content streams as one.
func (p *page) read(at leaf) error {
	if at.page.IsNull() {
		return errMalformed
	}
	var src []byte
	d := p.doc
	add := func(i int) error {
		v := at.page.Key("Contents")
		if i >= 0 {
			v = v.Index(i)
		}
		if v.IsNull() {
			return nil
		}
		data, err := d.stream(v, d.limits.Stream)
		if ends(err) {
			return err
		}
		p.failed = p.failed || err != nil
		src = append(append(src, data...), '\n')
		if int64(len(src)) > d.limits.Stream {
			return streamTooLong(d.limits.Stream)
		}
		return nil
	}
	parts := at.page.Key("Contents").Len()
	if parts == 0 {
		if err := add(-1); err != nil {
			return err
		}
	}
	for i := range parts {
		d.charge(1)
		if err := guard(func() error { return add(i) }); ends(err) {
			return err
		}
	}
	if len(bytes.TrimSpace(src)) == 0 {
		p.failed = p.failed || !blank(at.page.Key("Contents"))
	}
	c := content{page: p, res: newResources(at.resources), lexer: lexer{src: src}}
	c.state = state{ctm: identity(), stretch: 1}
	c.run()
	c.state = state{ctm: identity(), stretch: 1}
	c.annotations(at.page.Key("Annots"))
	return nil
}

// blank reports whether content that decoded to nothing says so itself, by a
// length of zero or by not being there.
func blank(contents lib.Value) bool {
	if contents.Kind() == lib.Stream {
		length := contents.Key("Length")
		return length.Kind() == lib.Integer && length.Int64() == 0
	}
	for i := range contents.Len() {
		if !blank(contents.Index(i)) {
			return false
		}
	}
	return contents.Kind() == lib.Null || contents.Kind() == lib.Array
}

// statusOf names the outcome of a page.
func statusOf(p pageText) parse.Status {
	letters := countLetters(p.text)
	switch {
	case letters < scannedLetters && p.images > scannedImages:
		return parse.Scanned
	case strings.TrimSpace(p.text) != "":
		return parse.Read
	case p.broken, p.lost > 0:
		return parse.Failed
	}
	return parse.Empty
}

// countLetters counts letters and digits.
func countLetters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// errEncryption says that the object reader cannot undo the encryption.
var errEncryption = errors.New("unsupported encryption")

func isBudget(err error) bool { return errors.Is(err, errBudget) }

func isPassword(err error) bool {
	return errors.Is(err, errPassword) || errors.Is(err, errEncryption)
}
