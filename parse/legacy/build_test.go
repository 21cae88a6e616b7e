package legacy_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"inlay/parse/parsetest"
)

var le = binary.LittleEndian

// wordParagraph is a paragraph of a document that a test writes, with its mark.
type wordParagraph struct {
	text  string // "\r" or "\x07" at its end
	style uint16
	props []byte
}

const (
	textAt  = 0x400 // where the text begins in the main stream
	propsAt = 0x600 // where the formats of paragraphs are
)

// wordDocument writes a Word 97 document of one 8-bit piece: main text, then footnotes.
func wordDocument(tb testing.TB, flags uint16, paragraphs []wordParagraph, footnotes string) []byte {
	tb.Helper()
	main := make([]byte, propsAt+512)
	le.PutUint16(main[0:], 0xA5EC)
	le.PutUint16(main[2:], 0xC1)
	le.PutUint16(main[0x0A:], 0x0200|flags)
	page := main[propsAt:]
	at, room := textAt, 510
	for i, p := range paragraphs {
		le.PutUint32(page[4*i:], uint32(at))
		at += copy(main[at:], p.text)
		papx := append(le.AppendUint16(nil, p.style), p.props...)
		if len(papx)%2 == 0 {
			papx = append(papx, 0)
		}
		room = (room - len(papx) - 1) &^ 1
		page[room] = byte((len(papx) + 1) / 2)
		copy(page[room+1:], papx)
		page[4*(len(paragraphs)+1)+13*i] = byte(room / 2)
	}
	le.PutUint32(page[4*len(paragraphs):], uint32(at))
	page[511] = byte(len(paragraphs))
	length := at - textAt
	copy(main[at:], footnotes)
	le.PutUint32(main[0x4C:], uint32(length))
	le.PutUint32(main[0x50:], uint32(len(footnotes)))
	var table []byte
	put := func(pair int, data []byte) {
		le.PutUint32(main[0x9A+8*pair:], uint32(len(table)))
		le.PutUint32(main[0x9A+8*pair+4:], uint32(len(data)))
		table = append(table, data...)
	}
	clx := append([]byte{2}, le.AppendUint32(nil, 16)...)
	clx = le.AppendUint32(clx, 0)
	clx = le.AppendUint32(clx, uint32(length+len(footnotes)))
	clx = append(clx, 0, 0)
	clx = le.AppendUint32(clx, 1<<30|2*textAt)
	clx = append(clx, 0, 0)
	put(33, clx)
	bins := le.AppendUint32(nil, textAt)
	bins = le.AppendUint32(bins, uint32(at))
	put(13, le.AppendUint32(bins, propsAt/512))
	return parsetest.OLE(tb, "WordDocument", string(main), "1Table", string(table), "ObjectPool/_1/Workbook", "embedded")
}

// inTable and rowEnd are the modifiers of paragraphs in cells and of a row's end.
func inTable() []byte { return []byte{0x16, 0x24, 1} }
func rowEnd() []byte  { return []byte{0x16, 0x24, 1, 0x17, 0x24, 1} }

func sampleDoc(tb testing.TB) []byte {
	tb.Helper()
	return wordDocument(tb, 0, []wordParagraph{
		{"Plans for \x93spring\x94\r", 1, nil},
		{"See \x13 HYPERLINK \"http://x.y\" \x14our page\x15 for caf\xe9\x02 prices.\r", 0, nil},
		{"item\x07", 0, inTable()},
		{"price\x07", 0, inTable()},
		{"\x07", 0, rowEnd()},
		{"pen\x07", 0, inTable()},
		{"\x07", 0, inTable()},
		{"\x07", 0, rowEnd()},
		{"After\x0Bthe table\r", 0, nil},
	}, "\x02 A note.\r")
}

// word6 writes a document of Word 95: its text in one place, in a code page.
func word6(tb testing.TB, text string) []byte {
	tb.Helper()
	main := make([]byte, textAt+len(text))
	le.PutUint16(main[0:], 0xA5DC)
	le.PutUint16(main[2:], 0x68)
	le.PutUint32(main[0x18:], textAt)
	le.PutUint32(main[0x34:], uint32(len(text)))
	copy(main[textAt:], text)
	return parsetest.OLE(tb, "WordDocument", string(main))
}

// pptRecord writes a record; containers are marked so.
func pptRecord(kind, instance uint16, container bool, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	head := instance << 4
	if container {
		head |= 0xF
	}
	out := le.AppendUint16(nil, head)
	out = le.AppendUint16(out, kind)
	out = le.AppendUint32(out, uint32(len(body)))
	return append(out, body...)
}

func wide(text string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		out = le.AppendUint16(out, u)
	}
	return out
}

func dwords(values ...uint32) []byte {
	var out []byte
	for _, v := range values {
		out = le.AppendUint32(out, v)
	}
	return out
}

// samplePPT writes a presentation of one slide with a title in the outline, a body in
// UTF-16 in its shape, and notes.
func samplePPT(tb testing.TB, token uint32) []byte {
	tb.Helper()
	text := func(role uint32, s string) []byte {
		return append(pptRecord(0x0F9F, 0, false, dwords(role)), pptRecord(0x0FA0, 0, false, wide(s))...)
	}
	shape := func(content ...[]byte) []byte {
		return pptRecord(0xF004, 0, true, pptRecord(0xF00D, 0, false, content...))
	}
	drawing := func(shapes ...[]byte) []byte {
		return pptRecord(0x040C, 0, true, pptRecord(0xF002, 0, true, pptRecord(0xF003, 0, true, shapes...)))
	}
	slide := pptRecord(0x03EE, 0, true,
		pptRecord(0x03EF, 2, false, dwords(0, 0, 0, 1, 77, 0)),
		drawing(shape(text(1, "First point\rÜber 深圳")), shape(pptRecord(0x0F9E, 0, false, dwords(0)))))
	notes := pptRecord(0x03F0, 0, true, drawing(shape(text(2, "Say hello."))))
	list := func(instance uint16, place, id uint32, texts ...[]byte) []byte {
		return pptRecord(0x0FF0, instance, true, append([][]byte{pptRecord(0x03F3, 0, false, dwords(place, 0, 1, id, 0))}, texts...)...)
	}
	title := append(pptRecord(0x0F9F, 0, false, dwords(0)), pptRecord(0x0FA8, 0, false, []byte("Opening"))...)
	document := pptRecord(0x03E8, 0, true, list(0, 2, 256, title), list(2, 3, 77),
		pptRecord(0x0FD9, 3, true, pptRecord(0x0FBA, 2, false, wide("Footer line"))))
	at := []uint32{0, uint32(len(document)), uint32(len(document) + len(slide))}
	data := bytes.Join([][]byte{document, slide, notes}, nil)
	directory := len(data)
	data = append(data, pptRecord(0x1772, 0, false, dwords(3<<20|1, at[0], at[1], at[2]))...)
	edit := len(data)
	data = append(data, pptRecord(0x0FF5, 0, false, dwords(0, 0, 0, uint32(directory), 1, 4, 0))...)
	user := pptRecord(0x0FF6, 0, false, dwords(20, token, uint32(edit)))
	return parsetest.OLE(tb, "PowerPoint Document", string(data), "Current User", string(user))
}

// lines joins lines for Word 6.
func lines(s ...string) string { return strings.Join(s, "\r") + "\r" }
