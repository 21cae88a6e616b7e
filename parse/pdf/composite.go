package pdf

import (
	"strings"

	lib "github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"inlay/parse/pdf/cid"
)

// composite is a Type 0 font: codes of one to four bytes.
type composite struct {
	vertical bool
	unicode  *cmap             // ToUnicode, may be nil
	codes    *cmap             // an embedded encoding, nil for a predefined one
	utf16    bool              // the codes are UTF-16
	charset  encoding.Encoding // the codes are text in a national charset
	bytes    *[256]float64     // advances of the bytes of a code, where they have their own
	jis      bool              // of seven bits: JIS X 0208
	glyphs   []rune            // the characters of the collection's glyphs
	widths   map[uint32]float64
	standard float64 // width of what widths does not name
	seen     map[uint32]glyph
}

// charset is a predefined character map whose codes are a known charset.
type charset struct {
	prefix string
	enc    encoding.Encoding
}

// charsets lists the predefined maps of PDF 32000-1, table 118, that
// golang.org/x/text can decode.
func charsets() []charset {
	return []charset{
		{"GBK2K", simplifiedchinese.GB18030},
		{"GB", simplifiedchinese.GBK},
		{"90ms-RKSJ", japanese.ShiftJIS},
		{"90msp-RKSJ", japanese.ShiftJIS},
		{"90pv-RKSJ", japanese.ShiftJIS},
		{"83pv-RKSJ", japanese.ShiftJIS},
		{"Add-RKSJ", japanese.ShiftJIS},
		{"Ext-RKSJ", japanese.ShiftJIS},
		{"EUC-", japanese.EUCJP},
		{"B5pc", traditionalchinese.Big5},
		{"ETen", traditionalchinese.Big5},
		{"HKscs-B5", traditionalchinese.Big5},
		{"KSC", korean.EUCKR},
	}
}

// loadComposite reads a Type 0 font.
func (d *document) loadComposite(v lib.Value, unicode *cmap) *composite {
	c := &composite{unicode: unicode, standard: 1, seen: map[uint32]glyph{}}
	switch enc := v.Key("Encoding"); enc.Kind() {
	case lib.Stream:
		if src, err := d.stream(enc, maxCMap); err == nil {
			c.codes = parseCMap(src)
		}
		c.vertical = enc.Key("WMode").Int64() == 1
	case lib.Name:
		c.predefined(enc.Name())
	default:
	}
	descendant := v.Key("DescendantFonts").Index(0)
	if unicode == nil && c.charset == nil && !c.utf16 {
		c.glyphs = d.collection(descendant.Key("CIDSystemInfo").Key("Ordering").Text())
	}
	if dw := descendant.Key("DW"); !dw.IsNull() {
		c.standard = dw.Float64() / 1000
	}
	c.widths = compositeWidths(descendant.Key("W"))
	return c
}

// collection returns the characters of a collection of glyphs, nil if it is none
// of Adobe's.
func (d *document) collection(ordering string) []rune {
	glyphs, ok := d.collections[ordering]
	if !ok && len(d.collections) < maxCollections {
		glyphs = cid.Characters(ordering)
		d.collections[ordering] = glyphs
	}
	return glyphs
}

// maxCollections bounds the names of collections that one document may use.
const maxCollections = 16

// predefined takes over what a predefined map's name says.
func (c *composite) predefined(name string) {
	c.vertical = strings.HasSuffix(name, "-V")
	if strings.Contains(name, "UCS2") || strings.Contains(name, "UTF16") {
		c.utf16 = true
		return
	}
	if name == "H" || name == "V" {
		c.charset, c.jis = japanese.EUCJP, true
		return
	}
	for _, cs := range charsets() {
		if strings.HasPrefix(name, cs.prefix) {
			c.charset = cs.enc
			return
		}
	}
}

// compositeWidths reads "c [w w ...]" and "first last w" entries.
func compositeWidths(w lib.Value) map[uint32]float64 {
	out := map[uint32]float64{}
	left := maxWidths
	set := func(code uint32, width float64) {
		out[code] = width / 1000
		left--
	}
	for i := 0; i+1 < w.Len() && left > 0; {
		first, second := uint32(w.Index(i).Int64()), w.Index(i+1)
		if second.Kind() == lib.Array {
			for j := range min(second.Len(), left) {
				set(first+uint32(j), second.Index(j).Float64())
			}
			i += 2
			continue
		}
		width := w.Index(i + 2).Float64()
		for code := first; code <= uint32(second.Int64()) && left > 0; code++ {
			set(code, width)
		}
		i += 3
	}
	return out
}

// next decodes the character at the front of s.
func (c *composite) next(s []byte) (glyph, int) {
	size := c.size(s)
	code := bigEndian(s[:size])
	key := code<<2 | uint32(size-1)
	if g, ok := c.seen[key]; ok && code < 1<<30 {
		return g, size
	}
	g := glyph{c.text(s[:size], code), c.width(code, size)}
	if c.bytes != nil {
		g.width = c.bytes[code&0xFF]
		if size == 2 {
			g.width += c.bytes[code>>8]
		}
	}
	c.seen[key] = g
	return g, size
}

// size returns how many bytes the first code of s has.
func (c *composite) size(s []byte) int {
	switch {
	case c.codes != nil:
		if n := c.codes.size(s); n > 0 {
			return n
		}
	case c.charset != nil && !c.jis:
		if s[0] < 0x81 || c.charset == japanese.ShiftJIS && s[0] >= 0xA0 && s[0] <= 0xDF {
			return 1
		}
	}
	return min(2, len(s))
}

// text returns what a code stands for, ToUnicode first.
func (c *composite) text(raw []byte, code uint32) string {
	if c.unicode != nil {
		if s, ok := c.unicode.lookup(code); ok && isText(s) {
			return s
		}
	}
	switch {
	case c.utf16:
		return decodeUTF16(string(raw))
	case c.jis && len(raw) == 2:
		raw = []byte{raw[0] | 0x80, raw[1] | 0x80}
		fallthrough
	case c.charset != nil:
		if out, err := c.charset.NewDecoder().Bytes(raw); err == nil && isText(string(out)) {
			return string(out)
		}
	default:
		return c.glyph(code)
	}
	return ""
}

// glyph returns the character of a code's glyph in the collection.
func (c *composite) glyph(code uint32) string {
	if c.codes != nil {
		number, known := c.codes.cid(code)
		if !known {
			return ""
		}
		code = number
	}
	if code < uint32(len(c.glyphs)) && c.glyphs[code] > 0 {
		return string(c.glyphs[code])
	}
	return ""
}

// width returns the advance of a code.
func (c *composite) width(code uint32, size int) float64 {
	cid, known := code, true
	if c.codes != nil {
		cid, known = c.codes.cid(code)
	}
	if c.charset != nil || c.utf16 {
		if size == 1 {
			return c.standard / 2
		}
		return c.standard
	}
	if w, ok := c.widths[cid]; ok && known {
		return w
	}
	return c.standard
}
