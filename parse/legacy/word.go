package legacy

import (
	"context"

	"inlay/parse"
	"inlay/parse/internal/littleendian"
)

// Word reads Word documents from Word 6 (1993) to 2003: paragraphs, headings, tables,
// notes, comments, text boxes, headers and footers.
func Word(limits parse.Limits) parse.Parser { return wordParser{limits.WithDefaults()} }

type wordParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p wordParser) Info() parse.Info {
	return parse.Info{
		Name: "doc", Version: "1", Library: library,
		MediaTypes: []string{"application/msword"}, Extensions: []string{".doc", ".dot", ".wiz"},
	}
}

// Parse implements [parse.Parser].
func (p wordParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	ole, err := open(f, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	main, whole := ole.Read("WordDocument")
	w, err := newWordFile(main)
	if err != nil {
		return parse.Document{}, err
	}
	table := "0Table"
	if w.flags&flagTable1 != 0 {
		table = "1Table"
	}
	if w.modern {
		w.table, _ = ole.Read(table)
	} else {
		w.table = main
	}
	if err := w.readPieces(); err != nil {
		return parse.Document{}, err
	}
	w.readStyles()
	t := wordText{b: &parse.Builder{Limit: p.limits.Text}, file: w, cells: p.limits.Cells}
	if err := t.all(ctx, report); err != nil {
		return parse.Document{}, err
	}
	d, err := t.b.Document()
	if !whole || w.cutShort {
		d.Warnings = append(d.Warnings, damaged("the file is damaged or cut short: only a part of it was read"))
	}
	return d, err
}

// Flags of a Word file's header.
const (
	flagEncrypted = 0x0100
	flagTable1    = 0x0200
	flagComplex   = 0x0004
)

// firstModern is the version number of Word 97; those below are Word 6 and 95.
const firstModern = 0x00C1

// piece is a stretch of text that is stored in one place. Positions count characters.
type piece struct {
	start, end int // characters of the document
	at         int // byte in the main stream
	wide       bool
}

// wordFile is a Word file with its tables.
type wordFile struct {
	main, table []byte
	flags       int
	modern      bool
	pieces      []piece
	headings    map[int]int // level by style
	codepage    string      // of 8-bit text in files before Word 97
	cutShort    bool        // a piece reaches beyond the file
}

// newWordFile checks the header.
func newWordFile(main []byte) (*wordFile, error) {
	ident, version := littleendian.Uint16(main, 0), littleendian.Uint16(main, 2)
	switch {
	case len(main) < 0x200 || ident != 0xA5EC && ident != 0xA5DC && ident != 0xA697 && ident != 0xA699 && ident != 0xA5DB:
		return nil, corrupt("its main part is missing or damaged")
	case version < 0x65:
		return nil, corrupt("it is of a version before Word 6, which is not read")
	}
	w := &wordFile{main: main, flags: littleendian.Uint16(main, 0x0A), modern: version >= firstModern}
	if w.flags&flagEncrypted != 0 {
		return nil, locked()
	}
	return w, nil
}

// pair returns the part of the table stream that the header's n-th pair of offset
// and length names.
func (w *wordFile) pair(n int) []byte {
	base := 0x9A
	if !w.modern {
		base = 0x58
	}
	return cut(w.table, int(littleendian.Uint32(w.main, base+8*n)), int(littleendian.Uint32(w.main, base+8*n+4)))
}

// Numbers of pairs.
const (
	pairStyles     = 1
	pairParagraphs = 13
	pairPieces     = 33
)

// parts are the lengths in characters of what a Word file holds, in order.
type parts struct{ text, footnotes, headers, macros, comments, endnotes, boxes, headerBoxes int }

func (w *wordFile) parts() parts {
	at := 0x4C
	if !w.modern {
		at = 0x34
	}
	n := func(i int) int { return max(0, min(int(littleendian.Uint32(w.main, at+4*i)), 1<<28)) }
	return parts{n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7)}
}

// readPieces finds where the text is. Files of Word 6 and 95 that were not saved
// "fast" have it in one piece.
func (w *wordFile) readPieces() error {
	p := w.parts()
	total := p.text + p.footnotes + p.headers + p.macros + p.comments + p.endnotes + p.boxes + p.headerBoxes
	clx := w.pair(pairPieces)
	for len(clx) > 3 && clx[0] == 1 {
		clx = cut(clx, 3+littleendian.Uint16(clx, 1), len(clx))
	}
	if len(clx) > 5 && clx[0] == 2 {
		w.addPieces(cut(clx, 5, int(littleendian.Uint32(clx, 1))))
	}
	if len(w.pieces) == 0 && (!w.modern || w.flags&flagComplex == 0) && total > 0 {
		start := int(littleendian.Uint32(w.main, 0x18))
		w.pieces = []piece{{start: 0, end: min(total, max(0, len(w.main)-start)), at: start}}
	}
	if len(w.pieces) == 0 {
		return corrupt("the table of its text is missing or damaged")
	}
	if !w.modern {
		w.codepage = w.guessCodepage()
	}
	return nil
}

// eightBit marks pieces of one byte a character.
const eightBit = 1 << 30

// addPieces reads a piece table: n+1 positions, then n descriptions.
func (w *wordFile) addPieces(table []byte) {
	const position, description = 4, 8
	n := (len(table) - position) / (position + description)
	for i := range max(n, 0) {
		p := piece{start: int(littleendian.Uint32(table, position*i)), end: int(littleendian.Uint32(table, position*(i+1)))}
		at := int(littleendian.Uint32(table, position*(n+1)+description*i+2))
		p.at, p.wide = at, w.modern
		if w.modern && at&eightBit != 0 {
			p.at, p.wide = (at&^eightBit)/2, false
		}
		bytes := 1
		if p.wide {
			bytes = 2
		}
		if room := max(0, (len(w.main)-p.at)/bytes); p.end-p.start > room {
			w.cutShort = true
			p.end = p.start + room
		}
		if p.start >= 0 && p.end > p.start && p.at > 0 && (len(w.pieces) == 0 || p.start >= w.pieces[len(w.pieces)-1].end) {
			w.pieces = append(w.pieces, p)
		}
	}
}
