package pdf

// actualText follows marked content whose properties say what it stands for
// (/ActualText): the first glyph inside shows the replacement, the rest nothing.
// Nor does what is in a layer that is off.
type actualText struct {
	open   []marked
	text   string
	live   int // how many open ones replace
	hidden int // how many open ones are not shown
}

// maxMarked bounds the nesting of marked content that is followed.
const maxMarked = 1 << 12

// begin opens marked content.
func (a *actualText) begin(m marked) {
	if len(a.open) >= maxMarked {
		return
	}
	a.open = append(a.open, m)
	if m.hides {
		a.hidden++
	}
	if m.replaces {
		if a.live == 0 {
			a.text = m.text
		}
		a.live++
	}
}

// finish closes the innermost marked content.
func (a *actualText) finish() {
	n := len(a.open)
	if n == 0 {
		return
	}
	if a.open[n-1].replaces {
		a.live--
	}
	if a.open[n-1].hides {
		a.hidden--
	}
	a.open = a.open[:n-1]
}

// glyph returns the text that stands for the next glyph, if one is replaced.
func (a *actualText) glyph() (replacement string, replaced bool) {
	if a.live == 0 {
		return "", false
	}
	replacement, a.text = a.text, ""
	return replacement, true
}

// textString decodes a PDF text string: UTF-16 with its mark, UTF-8 with its
// mark, else PDFDocEncoding, which is close to Windows-1252.
func textString(b []byte) string {
	switch {
	case len(b) >= 2 && b[0] == 0xFE && b[1] == 0xFF:
		return decodeUTF16(string(b[2:]))
	case len(b) >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF:
		return string(b[3:])
	}
	table := baseTable("")
	var out []byte
	for _, c := range b {
		out = append(out, table[c]...)
	}
	return string(out)
}

// beginMarked opens marked content with its properties, which are written in
// place or called by a name.
func (c *content) beginMarked() {
	var m marked
	if n := len(c.operands); n == 2 && c.operands[1].kind == name {
		m = c.page.doc.property(c.res, string(c.operands[1].data))
	}
	for i, t := range c.operands {
		if t.kind == name && string(t.data) == "ActualText" && i+1 < len(c.operands) && c.operands[i+1].kind == text {
			m.text, m.replaces = textString(c.operands[i+1].data), true
		}
	}
	c.page.actual.begin(m)
}
