package office

import (
	"context"
	"sync"
	"unicode/utf16"

	"inlay/internal/mediatype"
	"inlay/parse"
	"inlay/parse/internal/littleendian"
	"inlay/parse/zipfile"
)

// XLSB reads Excel's binary workbooks (.xlsb), one section a sheet.
func XLSB(limits parse.Limits) parse.Parser {
	return xlsbParser{limits.WithDefaults(), &sync.Pool{}}
}

type xlsbParser struct {
	limits  parse.Limits
	scratch *sync.Pool // of *numberFormats
}

// Info implements [parse.Parser].
func (p xlsbParser) Info() parse.Info {
	return parse.Info{
		Name: "xlsb", Version: "1", Library: "inlay/office",
		MediaTypes: []string{mediatype.XLSB}, Extensions: []string{".xlsb"},
	}
}

// Parse implements [parse.Parser].
func (p xlsbParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	a, err := container(f, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	x := &xlsb{archive: a, k: newBinaryBook(p.limits, p.scratch)}
	defer x.k.close()
	if err := x.open(ctx); err != nil {
		return parse.Document{}, err
	}
	for i, s := range x.sheets {
		if err := x.sheet(ctx, i+1, s); err != nil {
			return parse.Document{}, err
		}
		report.Tell(float64(i+1) / float64(len(x.sheets)))
	}
	return x.k.document(ctx)
}

// Records of binary workbooks that matter for their text.
const (
	binRow         = 0
	binRK          = 2
	binError       = 3
	binBool        = 4
	binReal        = 5
	binText        = 6
	binShared      = 7
	binFormulaText = 8
	binFormulaReal = 9
	binFormulaBool = 10
	binFormulaErr  = 11
	binString      = 19
	binFormat      = 44
	binStyle       = 47
	binRichText    = 62
	binWorkbook    = 153
	binSheet       = 156
	binMerged      = 176
	binStyles      = 617
	binStylesEnd   = 618
	binAuthor      = 632
	binComment     = 635
	binCommentText = 637
)

// xlsb is a binary workbook being read.
type xlsb struct {
	archive *zipfile.Archive
	k       *binaryBook
	sheets  []xlsbSheet
}

// xlsbSheet is a sheet's name and entry.
type xlsbSheet struct{ name, entry string }

// binaryRecords calls f with each record of a part. Its kind and length are numbers
// of seven bits a byte.
func binaryRecords(ctx context.Context, data []byte, f func(kind int, data []byte) error) error {
	for n, at := 0, 0; at < len(data); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		kind, size, shift := int(data[at]), 0, 0
		at++
		if kind&0x80 != 0 && at < len(data) {
			kind = kind&0x7F | int(data[at]&0x7F)<<7
			at++
		}
		for ; shift < 28 && at < len(data); shift += 7 {
			b := data[at]
			at++
			size |= int(b&0x7F) << shift
			if b&0x80 == 0 {
				break
			}
		}
		end := min(len(data), at+size)
		if err := f(kind, data[at:end]); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// wideText reads a string of UTF-16 with its length in four bytes, and where it ends.
func wideText(data []byte, at int) (text string, end int) {
	n := int(littleendian.Uint32(data, at))
	at += 4
	if n <= 0 || n == 0xFFFFFFFF || at >= len(data) {
		return "", at
	}
	n = min(n, (len(data)-at)/2)
	units := make([]uint16, n)
	for i := range units {
		units[i] = uint16(littleendian.Uint16(data, at+2*i)) //nolint:gosec // two bytes
	}
	return string(utf16.Decode(units)), at + 2*n
}

// open reads what holds for all sheets, and where they are.
func (x *xlsb) open(ctx context.Context) error {
	main, links, err := mainPart(ctx, x.archive, "xl/workbook.bin")
	if err != nil {
		return err
	}
	data, err := required(x.archive, main)
	if err != nil {
		return err
	}
	targets := byID(links)
	err = binaryRecords(ctx, data, func(kind int, data []byte) error {
		switch kind {
		case binWorkbook:
			x.k.is1904 = littleendian.Uint32(data, 0)&1 != 0
		case binSheet:
			if len(x.sheets) == maxSheets {
				return tooManySheets()
			}
			id, end := wideText(data, 8)
			name, _ := wideText(data, end)
			x.sheets = append(x.sheets, xlsbSheet{name, targets[id].target})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range links {
		if err := x.part(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// part reads the shared strings or the styles.
func (x *xlsb) part(ctx context.Context, r relation) error {
	if r.external || r.kind != "sharedStrings" && r.kind != "styles" {
		return nil
	}
	data, err := optional(x.archive, r.target)
	if err != nil {
		return err
	}
	size, ofCells := 0, false
	return binaryRecords(ctx, data, func(kind int, data []byte) error {
		switch kind {
		case binString:
			text, _ := wideText(data, 1)
			if size += len(text); size > x.k.limits.Text || len(x.k.strings) >= x.k.limits.Cells {
				return tooManyCells(x.k.limits.Cells)
			}
			x.k.strings = append(x.k.strings, text)
		case binFormat:
			x.k.formats[littleendian.Uint16(data, 0)], _ = wideText(data, 2)
		case binStyles, binStylesEnd:
			ofCells = kind == binStyles
		case binStyle:
			if ofCells {
				x.k.styles = append(x.k.styles, littleendian.Uint16(data, 2))
			}
		}
		return nil
	})
}

// sheet reads the cells and comments of a sheet and adds it to the document.
func (x *xlsb) sheet(ctx context.Context, number int, where xlsbSheet) error {
	s := &binarySheet{name: where.name}
	data, err := optional(x.archive, where.entry)
	if err != nil {
		return err
	}
	row := 0
	err = binaryRecords(ctx, data, func(kind int, data []byte) error {
		switch kind {
		case binRow:
			row = int(littleendian.Uint32(data, 0))
			return nil
		case binMerged:
			s.ranges = append(s.ranges, merged{
				top: int(littleendian.Uint32(data, 0)) + 1, bottom: int(littleendian.Uint32(data, 4)) + 1,
				left: int(littleendian.Uint32(data, 8)) + 1, right: int(littleendian.Uint32(data, 12)) + 1,
			})
			return nil
		}
		return x.k.set(s, row, int(littleendian.Uint32(data, 0)), clean(x.value(kind, data)))
	})
	if err != nil {
		return err
	}
	links, err := relations(ctx, x.archive, where.entry)
	if err != nil {
		return err
	}
	for _, r := range links {
		if r.kind == "comments" && !r.external {
			if err := x.comments(ctx, s, r.target); err != nil {
				return err
			}
		}
	}
	return x.k.emit(number, s)
}

// value is what a cell shows; "" for records that are no cells.
func (x *xlsb) value(kind int, data []byte) string {
	const at = 8 // after column and style
	style := int(littleendian.Uint32(data, 4) & 0xFFFFFF)
	switch kind {
	case binRK:
		return x.k.number(rk(littleendian.Uint32(data, at)), style)
	case binReal, binFormulaReal:
		return x.k.number(littleendian.Float64(data, at), style)
	case binText, binFormulaText:
		text, _ := wideText(data, at)
		return text
	case binRichText:
		text, _ := wideText(data, at+1)
		return text
	case binShared:
		return x.k.shared(int(littleendian.Uint32(data, at)))
	case binBool, binFormulaBool, binError, binFormulaErr:
		if len(data) <= at {
			return ""
		}
		if kind == binBool || kind == binFormulaBool {
			return cellBool(data[at])
		}
		return cellError(data[at])
	}
	return ""
}

// comments reads what was said about the cells of a sheet.
func (x *xlsb) comments(ctx context.Context, s *binarySheet, entry string) error {
	data, err := optional(x.archive, entry)
	if err != nil {
		return err
	}
	var authors []string
	var r remark
	return binaryRecords(ctx, data, func(kind int, data []byte) error {
		switch kind {
		case binAuthor:
			name, _ := wideText(data, 0)
			authors = append(authors, name)
		case binComment:
			r = remark{place: columnName(int(littleendian.Uint32(data, 12))) + itoa(int(littleendian.Uint32(data, 4))+1)}
			if n := int(littleendian.Uint32(data, 0)); n < len(authors) {
				r.author = authors[n]
			}
		case binCommentText:
			r.text, _ = wideText(data, 1)
			s.remarks = append(s.remarks, r)
		}
		return nil
	})
}

// columnName is the letters of a column counted from 0.
func columnName(n int) string {
	name := ""
	for n = min(max(n, 0), maxColumns) + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}
