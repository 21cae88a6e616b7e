package pdf

// actualText follows marked content whose properties say what it stands for
// (/ActualText): the first glyph inside shows the replacement, the rest nothing.
type actualText struct {
	open []bool // for each open marked content, whether it replaces
	text string
	live int // how many open ones replace
}

// maxMarked bounds the nesting of marked content that is followed.
const maxMarked = 1 << 12

// begin opens marked content; replacement is nil where it replaces nothing.
func (a *actualText) begin(replacement []byte) {
	if len(a.open) >= maxMarked {
		return
	}
	a.open = append(a.open, replacement != nil)
	if replacement == nil {
		return
	}
	if a.live == 0 {
		a.text = textString(replacement)
	}
	a.live++
}

// finish closes the innermost marked content.
func (a *actualText) finish() {
	n := len(a.open)
	if n == 0 {
		return
	}
	if a.open[n-1] {
		a.live--
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

// beginMarked opens marked content with the properties written in place.
func (c *content) beginMarked() {
	var replacement []byte
	for i, t := range c.operands {
		if t.kind == name && string(t.data) == "ActualText" && i+1 < len(c.operands) && c.operands[i+1].kind == text {
			replacement = c.operands[i+1].data
			if replacement == nil {
				replacement = []byte{}
			}
		}
	}
	c.page.actual.begin(replacement)
}
