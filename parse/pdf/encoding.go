package pdf

import (
	"bytes"
	"strings"

	lib "github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"
)

// codeTable gives the text of each code of a simple font; "" is unmapped.
type codeTable [256]string

// baseTable returns the table that an encoding name stands for.
func baseTable(encoding string) codeTable {
	switch encoding {
	case "MacRomanEncoding":
		return charmapTable(charmap.Macintosh)
	case "StandardEncoding":
		return standardTable()
	}
	t := charmapTable(charmap.Windows1252)
	t[0xA0], t[0xAD] = " ", "-" // PDF 32000-1, D.2, notes 5 and 6
	return t
}

// charmapTable renders a code page of golang.org/x/text as a table.
func charmapTable(m *charmap.Charmap) (t codeTable) {
	for c := ' '; c < 256; c++ {
		r := m.DecodeByte(byte(c))
		if r >= ' ' && r != '\uFFFD' && (r < 0x7F || r > 0x9F) {
			t[c] = string(r)
		}
	}
	return t
}

// standardTable is Adobe's StandardEncoding (PDF 32000-1, D.2).
func standardTable() (t codeTable) {
	for c := ' '; c < 0x7F; c++ {
		t[c] = string(c)
	}
	t['\''], t['`'] = "’", "‘"
	fill(&t, 0xA1, "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ")
	fill(&t, 0xB1, "–†‡·\x00¶•‚„”»…‰\x00¿\x00`´ˆ˜¯˘˙¨\x00˚¸\x00˝˛ˇ—")
	fill(&t, 0xE1, "Æ\x00ª\x00\x00\x00\x00ŁØŒº\x00\x00\x00\x00\x00æ\x00\x00\x00ı\x00\x00łøœß")
	return t
}

// symbolTable is the part of the Symbol font's encoding (D.5) that is text.
func symbolTable() (t codeTable) {
	for c := ' '; c < 0x40; c++ {
		t[c] = string(c)
	}
	fill(&t, 'A', "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_")
	fill(&t, 'a', "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼")
	fill(&t, 0xA1, "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…")
	return t
}

// fill writes consecutive entries; NUL leaves one out.
func fill(t *codeTable, from int, entries string) {
	for _, r := range entries {
		if r != 0 {
			t[from] = string(r)
		}
		from++
	}
}

// simpleTable builds the table of a simple font: its base encoding, the
// encoding built into its program, and the differences by glyph name.
func (d *document) simpleTable(v lib.Value, widths *[256]float64) codeTable {
	encoding := v.Key("Encoding")
	base := encoding.Name()
	if encoding.Kind() == lib.Dict {
		base = encoding.Key("BaseEncoding").Name()
	}
	subtype := v.Key("Subtype").Name()
	t := baseTable(base)
	switch {
	case base != "" && base != "StandardEncoding":
	case strings.HasSuffix(v.Key("BaseFont").Name(), "Symbol"):
		t = symbolTable()
	case subtype == "Type3":
		t = codeTable{}
	case subtype != "TrueType":
		t = standardTable()
		d.builtin(&t, v.Key("FontDescriptor"))
	}
	if encoding.Kind() != lib.Dict {
		return t
	}
	named := d.differences(&t, encoding.Key("Differences"))
	if subtype == "Type3" {
		for code, text := range codeNames(named, widths) {
			t[code] = text
		}
	}
	return t
}

// differences applies "code /name /name code /name ..." and returns the names.
func (d *document) differences(t *codeTable, v lib.Value) map[int]string {
	codes := map[int]string{}
	var names []string
	code := 0
	for i := range min(v.Len(), 1024) {
		switch e := v.Index(i); e.Kind() {
		case lib.Integer:
			code = int(e.Int64())
		case lib.Name:
			if code >= 0 && code < 256 {
				codes[code] = e.Name()
				names = append(names, e.Name())
			}
			code++
		default:
		}
	}
	d.glyphs.learn(names)
	for code, n := range codes {
		t[code] = d.glyphs.text(n)
	}
	return codes
}

// builtin applies the encoding inside a font program.
func (d *document) builtin(t *codeTable, descriptor lib.Value) {
	if file := descriptor.Key("FontFile"); file.Kind() == lib.Stream {
		if program, err := d.stream(file, maxFontProgram); err == nil {
			d.glyphs.type1Table(t, program)
		}
	}
	if file := descriptor.Key("FontFile3"); file.Kind() == lib.Stream {
		if program, err := d.stream(file, maxFontProgram); err == nil {
			d.glyphs.cffTable(t, program)
		}
	}
}

// type1Table applies the encoding inside a Type 1 font program, which is
// written in the clear: "dup 65 /A put".
func (g *glyphNames) type1Table(t *codeTable, program []byte) {
	if i := bytes.Index(program, []byte("eexec")); i >= 0 {
		program = program[:i]
	}
	i := bytes.Index(program, []byte("/Encoding"))
	if i < 0 {
		return
	}
	l := &lexer{src: program, pos: i}
	codes := map[int]string{}
	var names []string
	for {
		word := l.next()
		if word.kind == end || word.is("def") || word.is("readonly") {
			break
		}
		if !word.is("dup") {
			continue
		}
		code, glyph := l.next(), l.next()
		if code.kind == number && glyph.kind == name && code.num >= 0 && code.num < 256 {
			codes[int(code.num)] = string(glyph.data)
			names = append(names, string(glyph.data))
		}
	}
	g.learn(names)
	for code, n := range codes {
		t[code] = g.text(n)
	}
}
