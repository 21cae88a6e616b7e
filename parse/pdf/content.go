package pdf

import "bytes"

// state is the graphics state as far as text needs it.
type state struct {
	ctm     matrix
	font    *font
	size    float64
	char    float64 // character spacing
	word    float64 // word spacing
	stretch float64 // horizontal scaling, 1 is none
	leading float64
	rise    float64
}

// page collects what the content of one page shows.
type page struct {
	doc      *document
	box      box
	flow     flow
	images   float64 // area covered by images, in the page's space
	shown    int     // characters shown
	unmapped int     // characters shown that no table turns into text
	failed   bool    // a part of the content could not be read
	deep     bool    // forms were nested too deep
	actual   actualText
	rules    []rule   // straight lines drawn
	drawn    int      // rules that were drawn, kept or not
	remarks  []string // what was written about the page
	said     int      // bytes of these
}

// content interprets one content stream.
type content struct {
	page      *page
	res       *resources
	lexer     lexer
	operands  []token
	stack     []state
	state     state
	text      matrix // text matrix
	line      matrix // text line matrix
	path      path
	formDepth int
}

const (
	maxOperands = 1 << 16
	maxStack    = 512
)

// run interprets the stream to its end.
func (c *content) run() {
	for {
		t := c.lexer.next()
		switch t.kind {
		case end:
			return
		case keyword:
			c.page.doc.charge(1)
			c.operator(string(t.data))
			c.operands = c.operands[:0]
		default:
			if len(c.operands) < maxOperands {
				c.operands = append(c.operands, t)
			}
		}
	}
}

// num returns the i-th operand from the end as a number, 0 if it is none.
func (c *content) num(i int) float64 {
	if i >= len(c.operands) {
		return 0
	}
	return c.operands[len(c.operands)-1-i].num
}

// last returns the bytes of the last operand.
func (c *content) last() []byte {
	if len(c.operands) == 0 {
		return nil
	}
	return c.operands[len(c.operands)-1].data
}

// matrix returns the last six operands.
func (c *content) matrix() matrix {
	return matrix{c.num(5), c.num(4), c.num(3), c.num(2), c.num(1), c.num(0)}
}

// operator carries out one operator with the operands before it.
func (c *content) operator(op string) {
	switch op {
	case "q":
		if len(c.stack) < maxStack {
			c.stack = append(c.stack, c.state)
		}
	case "Q":
		if n := len(c.stack); n > 0 {
			c.state, c.stack = c.stack[n-1], c.stack[:n-1]
		}
	case "cm":
		c.state.ctm = c.matrix().times(c.state.ctm)
	case "gs":
		c.graphicsState(string(c.last()))
	case "Do":
		c.object(string(c.last()))
	case "BI":
		c.inlineImage()
	case "BDC":
		c.beginMarked()
	case "BMC":
		c.page.actual.begin(marked{})
	case "EMC":
		c.page.actual.finish()
	default:
		c.textOperator(op)
	}
}

// graphicsState applies the font of a graphics state dictionary.
func (c *content) graphicsState(name string) {
	d := c.page.doc
	err := guard(func() error {
		f := c.res.dict.Key("ExtGState").Key(name).Key("Font")
		if f.Len() == 2 {
			d.charge(64)
			c.state.font = d.loadFont(f.Index(0))
			c.state.size = f.Index(1).Float64()
		}
		return nil
	})
	c.note(err)
}

// note remembers that a part was unreadable and hands every other failure up.
func (c *content) note(err error) {
	switch {
	case err == nil:
	case ends(err):
		panic(err)
	default:
		c.page.failed = true
	}
}

// inlineImage skips an inline image: the bytes between ID and an EI that is
// followed by what looks like content again.
func (c *content) inlineImage() {
	c.page.images += c.state.ctm.area()
	l := &c.lexer
	t := l.next()
	for t.kind != end && !t.is("ID") {
		t = l.next()
	}
	l.pos = min(l.pos+1, len(l.src))
	for l.pos < len(l.src) {
		i := bytes.Index(l.src[l.pos:], []byte("EI"))
		if i < 0 {
			l.pos = len(l.src)
			return
		}
		at := l.pos + i
		l.pos = at + len("EI")
		if at > 0 && isSpace(l.src[at-1]) && looksLikeContent(l.src[l.pos:]) {
			return
		}
	}
}

// looksLikeContent reports whether b begins with white space and goes on in
// printable characters.
func looksLikeContent(b []byte) bool {
	if len(b) > 0 && !isSpace(b[0]) {
		return false
	}
	for _, ch := range b[:min(len(b), 12)] {
		if ch > 126 || ch < 32 && !isSpace(ch) {
			return false
		}
	}
	return true
}
