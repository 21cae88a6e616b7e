package legacy

import (
	"context"
	"slices"
	"strings"
	"unicode/utf16"

	"inlay/internal/charset"
	"inlay/parse"
	"inlay/parse/internal/littleendian"
)

// Characters with a meaning of their own in Word's text.
const (
	charCell       = 0x07
	charLine       = 0x0B
	charPage       = 0x0C
	charParagraph  = 0x0D
	charColumn     = 0x0E
	charFieldBegin = 0x13
	charFieldMid   = 0x14
	charFieldEnd   = 0x15
	charHyphen     = 0x1E
)

// wordText turns Word's characters into blocks.
type wordText struct {
	b    *parse.Builder
	file *wordFile

	cells  int // that tables may still have
	text   []uint16
	fields []bool // of each open field: its result has begun
	mark   int    // where the text of the innermost result begins
	order  []byte // the instruction of the innermost open field, as far as it is ASCII
	cell   []string
	row    []string
	table  [][]string
	lastAt int // position of the last cell mark
	seen   map[string]bool
}

// all reads the text, then notes, comments, boxes, headers and footers.
func (t *wordText) all(ctx context.Context, report parse.Progress) error {
	p := t.file.parts()
	from := 0
	total := max(1, p.text+p.footnotes+p.headers+p.macros+p.comments+p.endnotes+p.boxes+p.headerBoxes)
	for _, part := range []struct {
		length int
		skip   bool
		once   bool
	}{
		{length: p.text},
		{length: p.footnotes},
		{length: p.headers, once: true},
		{length: p.macros, skip: true},
		{length: p.comments},
		{length: p.endnotes},
		{length: p.boxes},
		{length: p.headerBoxes, once: true},
	} {
		if part.once && t.seen == nil {
			t.seen = map[string]bool{}
		}
		if !part.once {
			t.seen = nil
		}
		if !part.skip && part.length > 0 {
			if err := t.part(ctx, from, from+part.length); err != nil {
				return err
			}
		}
		from += part.length
		report.Tell(float64(from) / float64(total))
	}
	return t.b.Err()
}

// part reads the characters from one position to another.
func (t *wordText) part(ctx context.Context, from, to int) error {
	t.fields = nil
	for _, p := range t.file.pieces {
		if p.end <= from || p.start >= to {
			continue
		}
		begin, end := max(p.start, from), min(p.end, to)
		chars := t.file.chars(p, begin, end)
		step := 1
		if p.wide {
			step = 2
		}
		for i, c := range chars {
			if i%4096 == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			t.char(c, begin+i, p.at+(begin-p.start+i)*step)
		}
		if err := t.b.Err(); err != nil {
			return err
		}
	}
	t.endParagraph(paragraph{})
	t.endTable()
	return t.b.Err()
}

// chars returns the characters of a part of a piece, one for each position.
func (w *wordFile) chars(p piece, from, to int) []uint16 {
	if p.wide {
		data := cut(w.main, p.at+2*(from-p.start), 2*(to-from))
		out := make([]uint16, len(data)/2)
		for i := range out {
			out[i] = uint16(littleendian.Uint16(data, 2*i)) //nolint:gosec // two bytes
		}
		return out
	}
	data := cut(w.main, p.at+from-p.start, to-from)
	out := make([]uint16, len(data))
	for i, b := range data {
		out[i] = uint16(b)
	}
	if w.codepage == "" {
		for i, b := range data {
			out[i] = windows1252(b)
		}
	}
	return out
}

// windows1252 is the character of a byte; those without one stay control codes.
func windows1252(b byte) uint16 {
	if b < 0x80 || b >= 0xA0 {
		return uint16(b)
	}
	const high = "\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178"
	return uint16([]rune(high)[b-0x80]) //nolint:gosec // all are below U+FFFF
}

// char takes one character; position counts characters, offset bytes of the file.
func (t *wordText) char(c uint16, position, offset int) {
	switch c {
	case charFieldBegin, charFieldMid, charFieldEnd:
		t.field(c)
		return
	}
	if slices.Contains(t.fields, false) && c != charParagraph && c != charCell {
		if len(t.order) < maxOrder {
			t.order = append(t.order, byte(c))
		}
		return // an instruction, not what it shows
	}
	switch c {
	case charCell:
		t.endCell(position, offset)
	case charParagraph, charPage, charColumn:
		p, _ := t.file.paragraphAt(offset)
		if c == charParagraph && len(t.fields) > 0 && slices.Contains(t.fields, false) {
			t.fields = nil // a field left open ends with its paragraph
		}
		t.endParagraph(p)
	case charLine:
		t.text = append(t.text, '\n')
	case charHyphen:
		t.text = append(t.text, '-')
	case '\t':
		t.text = append(t.text, '\t')
	default:
		if c >= ' ' {
			t.text = append(t.text, c)
		}
	}
}

// maxOrder is how much of an instruction is kept.
const maxOrder = 1000

// field begins a field, its result, or ends it. A button without a result shows the
// text in its instruction.
func (t *wordText) field(c uint16) {
	n := len(t.fields)
	switch {
	case c == charFieldBegin:
		t.fields, t.order = append(t.fields, false), nil
	case n == 0:
	case c == charFieldMid:
		t.fields[n-1], t.mark = true, len(t.text)
	default:
		t.link()
		words := strings.Fields(string(t.order))
		if !t.fields[n-1] && len(words) > 2 && words[0] == "MACROBUTTON" {
			for _, b := range strings.Join(words[2:], " ") {
				t.text = append(t.text, uint16(b)) //nolint:gosec // of bytes
			}
		}
		t.fields, t.order = t.fields[:n-1], nil
	}
}

// link makes the result of a field that links to the web a link of Markdown.
func (t *wordText) link() {
	order := strings.TrimSpace(string(t.order))
	target, isLink := strings.CutPrefix(order, `HYPERLINK "`)
	target, _, closed := strings.Cut(target, `"`)
	if !isLink || !closed || t.mark >= len(t.text) || !strings.HasPrefix(target, "http") && !strings.HasPrefix(target, "mailto:") || strings.ContainsAny(target, " ()<>") {
		return
	}
	shown := string(utf16.Decode(t.text[t.mark:]))
	if strings.TrimSpace(shown) == "" || strings.Contains(target, shown) {
		return
	}
	t.text = slices.Insert(t.text, t.mark, '[')
	t.text = append(t.text, utf16.Encode([]rune("]("+target+")"))...)
}

// take returns the text of the open paragraph.
func (t *wordText) take() string {
	var text string
	if t.file.codepage != "" {
		raw := make([]byte, len(t.text))
		for i, c := range t.text {
			raw[i] = byte(c)
		}
		enc, _ := charset.Lookup(t.file.codepage)
		out, _ := enc.NewDecoder().Bytes(raw)
		text = string(out)
	} else {
		text = string(utf16.Decode(t.text))
	}
	t.text = t.text[:0]
	return strings.TrimSpace(text)
}

// endParagraph adds a paragraph to the document, or to the open cell.
func (t *wordText) endParagraph(p paragraph) {
	text := t.take()
	if p.inTable || len(t.cell) > 0 {
		t.cell = append(t.cell, text)
		return
	}
	if text == "" && len(t.row) == 0 {
		return
	}
	t.endTable()
	switch {
	case text == "", t.seen[text]:
	case p.level > 0 && !strings.Contains(text, "\n"):
		t.b.Heading(p.level, text)
	case p.listed:
		t.b.Block(parse.List, "", "- "+text)
	default:
		t.b.Block(parse.Paragraph, "", text)
	}
	if t.seen != nil {
		t.seen[text] = true
	}
}

// endCell ends a cell, or a row where the mark says so: a row ends with a mark of
// its own right after that of its last cell.
func (t *wordText) endCell(position, offset int) {
	p, known := t.file.paragraphAt(offset)
	empty := len(t.text) == 0 && len(t.cell) == 0
	if p.rowEnd || !known && empty && len(t.row) > 0 && position == t.lastAt+1 {
		t.take()
		t.cell = nil
		t.endRow()
		return
	}
	t.lastAt = position
	t.cell = append(t.cell, t.take())
	t.row = append(t.row, strings.Trim(strings.Join(t.cell, "\n"), "\n"))
	t.cell = nil
}

func (t *wordText) endRow() {
	if t.cells -= len(t.row); len(t.row) > 0 && t.cells > 0 {
		t.table = append(t.table, t.row)
	}
	t.row = nil
}

// endTable adds the open table to the document.
func (t *wordText) endTable() {
	if len(t.cell) > 0 { // a cell without its mark
		t.row = append(t.row, strings.Join(t.cell, "\n"))
		t.cell = nil
	}
	t.endRow()
	if len(t.table) == 1 && len(t.table[0]) == 1 {
		t.b.Block(parse.Paragraph, "", t.table[0][0])
	} else if len(t.table) > 0 {
		t.b.Table("", t.table)
	}
	t.table = nil
}
