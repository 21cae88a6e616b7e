package pdf

import (
	"math"
	"strings"

	lib "github.com/ledongthuc/pdf"
)

const (
	maxFontProgram = 1 << 20 // bytes read of a font program: its clear part is short
	maxCMap        = 4 << 20 // bytes of one character map
	maxWidths      = 1 << 16 // widths of one font
)

// glyph is one character as a font shows it.
type glyph struct {
	text  string  // "" when the font does not say
	width float64 // in text space: 1 is the font size
}

// font decodes the strings shown with it.
type font struct {
	bold   bool
	name   string
	fixed  bool        // all glyphs have one advance, as those of code
	square float64     // of fonts of type 3: their em, in units of the font size; else 0
	simple *[256]glyph // nil for composite fonts
	wide   *composite
}

// next decodes the character at the front of s and returns how many bytes it
// has. blank is true for the single byte 32, which word spacing applies to.
func (f *font) next(s []byte) (g glyph, size int, blank bool) {
	if f.simple != nil {
		return f.simple[s[0]], 1, s[0] == ' '
	}
	g, size = f.wide.next(s)
	return g, size, size == 1 && s[0] == ' '
}

// em is the side of the font's em square, in units of the font size.
func (f *font) em() float64 {
	if f.square > 0 {
		return f.square
	}
	return 1
}

// emOf3 estimates the em of a font of type 3, whose glyphs have units of their own:
// the height of its box, if that is far from the font size.
func emOf3(v lib.Value) float64 {
	b, m := readBox(v.Key("FontBBox")), v.Key("FontMatrix")
	em := math.Abs((b.y1 - b.y0) * m.Index(3).Float64())
	if em == 0 || em < maxPlainEm && em > 1.0/maxPlainEm || math.IsNaN(em) || math.IsInf(em, 0) {
		return 0
	}
	return em
}

// maxPlainEm: a box that is less than so many font sizes high says nothing.
const maxPlainEm = 2

// vertical reports whether the font writes downwards.
func (f *font) vertical() bool { return f.wide != nil && f.wide.vertical }

// loadFont reads a font dictionary.
func (d *document) loadFont(v lib.Value) *font {
	f := &font{bold: isBold(v), fixed: isFixed(v), name: faceName(v)}
	var unicode *cmap
	if tu := v.Key("ToUnicode"); tu.Kind() == lib.Stream {
		if src, err := d.stream(tu, maxCMap); err == nil {
			unicode = parseCMap(src)
		}
	}
	if v.Key("Subtype").Name() == "Type0" {
		f.wide = d.loadComposite(v, unicode)
		return f
	}
	if enc := national(v); enc != nil && unicode == nil {
		widths, _ := simpleWidths(v)
		f.wide = inNational(enc, widths)
		return f
	}
	if v.Key("Subtype").Name() == "Type3" {
		f.square = emOf3(v)
	}
	f.simple = d.loadSimple(v, unicode)
	return f
}

// faceName is a font's name without the prefix of a subset.
func faceName(v lib.Value) string {
	return unprefixed(v.Key("BaseFont").Name())
}

func unprefixed(name string) string {
	if len(name) > 7 && name[6] == '+' {
		return name[7:]
	}
	return name
}

// isFixed goes by the font's name and the flag of its descriptor.
func isFixed(v lib.Value) bool {
	name := strings.ToLower(v.Key("BaseFont").Name())
	for _, part := range []string{"courier", "mono", "consol", "typewriter", "cmtt", "sftt", "menlo", "fixed"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return v.Key("FontDescriptor").Key("Flags").Int64()&1 != 0
}

// isBold goes by the font's name and its descriptor's weight.
func isBold(v lib.Value) bool {
	return saysBold(v.Key("BaseFont").Name()) || v.Key("FontDescriptor").Key("FontWeight").Float64() >= boldWeight
}

// saysBold reports whether the name of a font is that of a bold one.
func saysBold(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"bold", "black", "heavy", "demi", "cmbx", "sfbx", "cmssbx", "ecbx"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return strings.HasSuffix(name, "-medi") || strings.HasSuffix(name, "-mediital") || strings.HasSuffix(name, "-bd")
}

// loadSimple reads a font of single-byte codes.
func (d *document) loadSimple(v lib.Value, unicode *cmap) *[256]glyph {
	widths, given := simpleWidths(v)
	table := d.simpleTable(v, &widths)
	if !given {
		widths = standardWidths(v.Key("BaseFont").Name(), &table)
	}
	var out [256]glyph
	for code := range out {
		out[code] = glyph{table[code], widths[code]}
		if unicode == nil {
			continue
		}
		if s, ok := unicode.lookup(uint32(code)); ok && isText(s) {
			out[code].text = s
		}
	}
	return &out
}

// isText reports whether a mapping says anything.
func isText(s string) bool { return s != "" && s != "\x00" && s != "\uFFFD" }

// simpleWidths returns the advance of each code in units of the font size, if the
// font gives any.
func simpleWidths(v lib.Value) (out [256]float64, given bool) {
	scale := 1.0 / 1000
	if v.Key("Subtype").Name() == "Type3" {
		if m := v.Key("FontMatrix"); m.Len() == 6 {
			scale = math.Abs(m.Index(0).Float64())
		}
	}
	missing := v.Key("FontDescriptor").Key("MissingWidth").Float64()
	widths := v.Key("Widths")
	if widths.Len() == 0 {
		return out, false
	}
	for code := range out {
		out[code] = missing * scale
	}
	first := int(v.Key("FirstChar").Int64())
	for i := range min(widths.Len(), 256) {
		if code := first + i; code >= 0 && code < 256 {
			out[code] = widths.Index(i).Float64() * scale
		}
	}
	return out, true
}
