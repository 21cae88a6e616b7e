package office_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/office"
	"inlay/parse/parsetest"
)

// rec writes a record of an .xls file from numbers, texts and bytes.
func rec(kind uint16, parts ...any) string {
	body := raw(parts...)
	return string(raw(kind, uint16(len(body)))) + string(body)
}

func raw(parts ...any) []byte {
	var out []byte
	for _, p := range parts {
		switch p := p.(type) {
		case byte:
			out = append(out, p)
		case uint16:
			out = binary.LittleEndian.AppendUint16(out, p)
		case uint32:
			out = binary.LittleEndian.AppendUint32(out, p)
		case float64:
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(p))
		case string:
			out = append(out, p...)
		}
	}
	return out
}

func utf16le(text string) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return string(out)
}

// biff writes a workbook of one sheet: what comes before the sheet's name, and its cells.
func biff(version uint16, name, globals, cells string) string {
	begin := func(kind uint16) string { return rec(0x0809, version, kind, uint32(0), uint32(0), uint32(0)) }
	head := begin(5) + globals
	at := uint32(len(head) + 4 + 6 + len(name) + 4)
	return head + rec(0x0085, at, uint16(0), name) + rec(0x000A) + begin(0x10) + cells + rec(0x000A)
}

const biffXF = "\x00\x00"

// sampleXLS has shared strings over the end of a record, a date, a percentage, a
// formula with a text, merged cells, errors, a comment and a header.
func sampleXLS(tb testing.TB) []byte {
	tb.Helper()
	shared := rec(0x00FC, uint32(3), uint32(3), uint16(4), byte(0), "item", uint16(5), byte(0), "pri") + rec(0x003C, byte(1), utf16le("ce")) +
		rec(0x003C, uint16(4), byte(1+8), uint16(1), utf16le("Füße"), uint32(0))
	styles := rec(0x041E, uint16(164), uint16(10), byte(0), "yyyy-mm-dd") +
		rec(0x00E0, biffXF, uint16(0), strings.Repeat("\x00", 16)) + rec(0x00E0, biffXF, uint16(164), strings.Repeat("\x00", 16)) + rec(0x00E0, biffXF, uint16(9), strings.Repeat("\x00", 16))
	at := func(row, column, style uint16) string { return string(raw(row, column, style)) }
	cells := rec(0x0014, uint16(10), byte(0), "&L&\"Arial\"Page head&P"[:10]) +
		rec(0x00FD, at(4, 1, 0), uint32(0)) + rec(0x00FD, at(4, 2, 0), uint32(1)) +
		rec(0x00FD, at(5, 1, 0), uint32(2)) + rec(0x0203, at(5, 2, 1), 45292.0) +
		rec(0x00BD, uint16(6), uint16(1), uint16(0), uint32(12<<2|2), uint16(2), uint32(50<<2|3), uint16(2)) +
		rec(0x0006, at(7, 1, 0), byte(0), byte(0), uint32(0), uint16(0xFFFF), strings.Repeat("\x00", 6)) + rec(0x0207, uint16(4), byte(0), "text") +
		rec(0x0205, at(7, 2, 0), byte(0x07), byte(1)) + rec(0x0205, at(7, 3, 0), byte(1), byte(0)) +
		rec(0x00E5, uint16(1), uint16(4), uint16(4), uint16(2), uint16(3)) +
		rec(0x01B6, strings.Repeat("\x00", 10), uint16(8), strings.Repeat("\x00", 6)) + rec(0x003C, byte(0), "A remark") + rec(0x003C, strings.Repeat("\x00", 16))
	return parsetest.OLE(tb, "Workbook", biff(0x0600, "\x06\x00Prices", shared+styles, cells))
}

func TestXLS(t *testing.T) {
	parsetest.Run(t, office.XLS(parse.Limits{}), parsetest.Sample{
		Name: "a.xls", Data: sampleXLS(t), Contains: []string{"# Prices", "| item | price |", "| Füße | 2024-01-01 |", "| 12 | 50% |", "| text | #DIV/0! | TRUE |", "A remark"},
		Sections: []parse.Kind{parse.Sheet, parse.Table, parse.Paragraph},
	})
	d, err := parseAs(t, "a.xls", sampleXLS(t), parse.Limits{})
	require.NoError(t, err)
	at := strings.Index(d.Text, "Füße")
	place := parse.NewMap(d).At(at, at+1)
	require.Equal(t, "Prices", place.Sheet)
	require.Equal(t, 6, place.RowStart)
	_, err = parseAs(t, "a.xls", parsetest.OLE(t, "Workbook", biff(0x0600, "\x01\x00S", rec(0x002F, uint16(0)), "")), parse.Limits{})
	require.True(t, fault.Is(err, fault.PasswordRequired), "%v", err)
	_, err = parseAs(t, "a.xls", sampleXLS(t), parse.Limits{Cells: 3})
	require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
}

// Files of Excel 5 and 95 have strings of one byte a character in a code page.
func TestXLS5(t *testing.T) {
	cells := rec(0x0204, uint16(0), uint16(0), uint16(0), uint16(3), "\xE8\xEC\xFF") + rec(0x0204, uint16(0), uint16(1), uint16(0), uint16(5), "A1:B2")
	book := biff(0x0500, "\x04\xCB\xE8\xF1\xF2", rec(0x0042, uint16(1251)), cells)
	d, err := parseAs(t, "a.xls", parsetest.OLE(t, "Book", book), parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "# Лист\n\n| имя | A1:B2 |\n| --- | --- |", d.Text)
}

// bin writes a record of an .xlsb file.
func bin(kind uint16, parts ...any) string {
	body := raw(parts...)
	head := []byte{byte(kind)}
	if kind >= 0x80 {
		head = []byte{byte(kind&0x7F) | 0x80, byte(kind >> 7)}
	}
	return string(append(head, byte(len(body)))) + string(body)
}

func binText(text string) string {
	wide := utf16le(text)
	return string(raw(uint32(len(wide)/2))) + wide
}

func sampleXLSB(tb testing.TB) []byte {
	tb.Helper()
	cell := func(column, style uint32) string { return string(raw(column, style)) }
	return parsetest.Zip(tb,
		"_rels/.rels", `<Relationships><Relationship Id="d" Type="`+relType+`officeDocument" Target="xl/workbook.bin"/></Relationships>`,
		"xl/workbook.bin", bin(156, uint32(0), uint32(1), binText("r1"), binText("Prices")),
		"xl/_rels/workbook.bin.rels", `<Relationships><Relationship Id="r1" Type="`+relType+`worksheet" Target="worksheets/sheet1.bin"/><Relationship Id="r2" Type="`+relType+`sharedStrings" Target="sharedStrings.bin"/><Relationship Id="r3" Type="`+relType+`styles" Target="styles.bin"/></Relationships>`,
		"xl/sharedStrings.bin", bin(19, byte(0), binText("item")),
		"xl/styles.bin", bin(47, uint16(0), uint16(14))+bin(617)+bin(47, uint16(0), uint16(0))+bin(47, uint16(0), uint16(9))+bin(618),
		"xl/worksheets/sheet1.bin", bin(0, uint32(3))+bin(7, cell(0, 0), uint32(0))+bin(6, cell(1, 0), binText("größe"))+
			bin(0, uint32(4))+bin(5, cell(0, 1), .25)+bin(10, cell(1, 0), byte(1))+bin(11, cell(2, 0), byte(0x2A)),
		"xl/worksheets/_rels/sheet1.bin.rels", `<Relationships><Relationship Id="c" Type="`+relType+`comments" Target="../comments1.bin"/></Relationships>`,
		"xl/comments1.bin", bin(632, binText("Jane"))+bin(635, uint32(0), uint32(3), uint32(3), uint32(1), uint32(1))+bin(637, byte(0), binText("Too large")),
	)
}

func TestXLSB(t *testing.T) {
	parsetest.Run(t, office.XLSB(parse.Limits{}), parsetest.Sample{
		Name: "a.xlsb", Data: sampleXLSB(t), Contains: []string{"# Prices", "| item | größe |", "| 25% | TRUE | #N/A |", "Comment on B4 [author: Jane]: Too large"},
		Sections: []parse.Kind{parse.Sheet, parse.Table, parse.Paragraph},
	})
}

// FuzzXLS reads any bytes as a workbook of 1995 to 2003.
func FuzzXLS(f *testing.F) {
	f.Add(sampleXLS(f))
	fuzzBook(f, "a.xls", office.XLS(parse.Limits{Text: 1 << 20, Cells: 10_000}))
}

// FuzzXLSB reads any bytes as a binary workbook.
func FuzzXLSB(f *testing.F) {
	f.Add(sampleXLSB(f))
	fuzzBook(f, "a.xlsb", office.XLSB(parse.Limits{Text: 1 << 20, Cells: 10_000}))
}

func fuzzBook(f *testing.F, name string, p parse.Parser) {
	f.Helper()
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := p.Parse(t.Context(), parse.File{Name: name, Data: data}, nil)
		if err != nil {
			require.NotEmpty(t, fault.CodeOf(err))
			return
		}
		for _, s := range d.Sections {
			require.True(t, s.Start >= 0 && s.Start <= s.End && s.End <= len(d.Text))
		}
	})
}
