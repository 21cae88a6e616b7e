package office

import (
	"bytes"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"

	"inlay/fault"
	"inlay/parse"
)

// maxGroups bounds the nesting of RTF groups.
const maxGroups = 10_000

// rtf is an RTF file being read.
type rtf struct {
	b     *parse.Builder
	state rtfState
	stack []rtfState

	codepage encoding.Encoding         // of the file
	fonts    map[int]encoding.Encoding // of each font
	styles   map[int]int               // style number to heading level
	font     int                       // being defined
	style    int                       // being defined
	named    []byte                    // name of the style being defined

	pending []byte // bytes not yet decoded
	skip    int    // characters to skip after \u
	high    rune   // first half of a surrogate pair

	asides rtfAsides

	text  []byte // of the paragraph
	level int    // its heading level
	mark  []byte // its list mark
	list  []string
	table *grid
}

// rtfState is what a group hands down and takes back.
type rtfState struct {
	into   destination
	hidden bool
	font   int
	skip   int // characters after \u that repeat it
	star   bool
}

// destination says where text goes.
type destination uint8

const (
	toBody destination = iota
	toNowhere
	toFonts
	toStyles
	toMark   // the written mark of a list item
	toAside  // a note, a comment or a margin
	toAuthor // of a comment
)

func newRTF(limits parse.Limits) *rtf {
	return &rtf{
		b: &parse.Builder{Limit: limits.Text}, state: rtfState{skip: 1}, codepage: codepage(1252),
		fonts: map[int]encoding.Encoding{}, styles: map[int]int{},
	}
}

// token takes the next piece of the file.
func (r *rtf) token(t rtfToken) error {
	switch t.kind {
	case '{':
		r.decode()
		r.skip = 0
		if len(r.stack) >= maxGroups {
			return &fault.Error{Code: fault.LimitExceeded, Reason: "its groups nest too deeply", Next: "it was not made by an office program; convert it to plain text"}
		}
		r.stack = append(r.stack, r.state)
		r.state.star = false
	case '}':
		r.endGroup()
	case 'c':
		r.char(t.char)
	case 's':
		r.symbol(t.char)
	case 'w':
		r.decode()
		r.word(t)
	}
	return r.b.Err()
}

func (r *rtf) endGroup() {
	r.decode()
	r.skip = 0
	if r.state.into == toStyles {
		r.endStyle()
	}
	if n := len(r.stack); n > 0 {
		r.state = r.stack[n-1]
		r.stack = r.stack[:n-1]
	}
	r.endAside()
}

// endStyle files the style whose definition ends: "heading 2" is a heading.
func (r *rtf) endStyle() {
	name := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(r.named)), ";"))
	if level := headingLevel(name); level > 0 {
		r.styles[r.style] = level
	}
	r.named, r.style = nil, 0
}

// char takes one byte of text.
func (r *rtf) char(c byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	r.pending = append(r.pending, c)
}

// decode turns pending bytes into text, by the encoding of the font.
func (r *rtf) decode() {
	if len(r.pending) == 0 {
		return
	}
	enc := r.fonts[r.state.font]
	if enc == nil {
		enc = r.codepage
	}
	text, err := enc.NewDecoder().Bytes(r.pending)
	if err != nil {
		text = r.pending
	}
	r.pending = r.pending[:0]
	r.write(string(text))
}

// write adds text where the current group sends it.
func (r *rtf) write(text string) {
	switch {
	case r.state.into == toStyles:
		r.named = append(r.named, text...)
	case r.state.hidden:
	case r.state.into == toMark:
		r.mark = append(r.mark, text...)
	case r.state.into == toAside:
		r.asides.text = append(r.asides.text, text...)
	case r.state.into == toAuthor:
		r.asides.author = append(r.asides.author, text...)
	case r.state.into == toBody:
		r.text = append(r.text, text...)
	}
}

// symbol takes a backslash with one character that is not a letter.
func (r *rtf) symbol(c byte) {
	switch c {
	case '\\', '{', '}':
		r.char(c)
		return
	case '*':
		r.state.star = true
		return
	}
	r.decode()
	switch c {
	case '~':
		r.write("\u00A0")
	case '_':
		r.write("-")
	case '\r', '\n':
		r.endParagraph()
	}
}

// unicode takes \u: a UTF-16 unit, then characters for readers without Unicode.
func (r *rtf) unicode(value int) {
	r.skip = r.state.skip
	unit := rune(uint16(value)) //nolint:gosec // RTF writes units above 32767 as negative numbers
	switch {
	case unit >= 0xD800 && unit < 0xDC00:
		r.high = unit
		return
	case r.high != 0:
		unit = utf16.DecodeRune(r.high, unit)
		r.high = 0
	}
	r.write(string(unit))
}

// endParagraph puts the paragraph where it belongs.
func (r *rtf) endParagraph() {
	if r.state.into == toAside {
		r.write(" ")
		return
	}
	text := strings.Trim(string(r.text), " \t\r\n")
	mark := strings.TrimSpace(string(r.mark))
	if bullet, rest, ok := strings.Cut(text, "\t"); ok && mark == "" && bullet == "•" { // written as text
		mark, text = bullet, strings.TrimSpace(rest)
	}
	level := r.level
	r.text, r.mark = r.text[:0], r.mark[:0]
	if text == "" {
		return
	}
	if r.table != nil && r.table.open {
		r.table.write(text)
		return
	}
	r.flushTable()
	switch {
	case level > 0:
		r.flushList()
		r.b.Heading(level, join(mark, text))
	case mark != "":
		if !strings.ContainsAny(mark, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			mark = "-"
		}
		r.list = append(r.list, join(mark, text))
	default:
		r.flushList()
		r.b.Block(parse.Paragraph, "", text)
	}
	r.flushNotes()
}

func (r *rtf) flushList() {
	r.b.Block(parse.List, "", strings.Join(r.list, "\n"))
	r.list = nil
}

// endCell ends a table's cell; endRow its row. Rows that follow each other are
// one table.
func (r *rtf) endCell() {
	if r.state.into == toAside {
		r.write(" ")
		return
	}
	if r.table == nil {
		r.flushList()
		r.table = &grid{}
		r.table.row()
	}
	if !r.table.open {
		r.table.cell()
	}
	r.endParagraph()
	r.table.endCell()
}

func (r *rtf) endRow() {
	if r.table == nil || r.state.into == toAside {
		return
	}
	if !r.table.open && len(bytes.TrimSpace(r.text)) > 0 {
		r.table.cell() // a row that ends before its last cell does
	}
	if r.table.open {
		r.endParagraph()
		r.table.endCell()
	}
	r.table.row()
}

func (r *rtf) flushTable() {
	if r.table == nil {
		return
	}
	t := r.table
	r.table = nil
	t.emit(r.b)
}
