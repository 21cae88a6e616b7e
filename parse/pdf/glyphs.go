package pdf

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	lib "github.com/ledongthuc/pdf"
)

// glyphNames turns glyph names into text. The list of names is the object
// reader's own, reached through its font encoder; what is not on the list
// follows the rules of the Adobe Glyph List specification: "uni0041", "u1F600",
// "a.alt", "f_i".
type glyphNames struct {
	known map[string]string
}

// glyphBatch is how many names are asked for at once: each is put at two codes,
// because the encoder answers the code itself for a name it does not know.
const glyphBatch = 32

// maxGlyphNames bounds what one document may add to the list.
const maxGlyphNames = 1 << 16

// learn makes sure that every name has been looked up.
func (g *glyphNames) learn(names []string) {
	if g.known == nil {
		g.known = map[string]string{}
	}
	var ask []string
	want := func(n string) {
		if n == "" {
			return
		}
		if _, done := g.known[n]; !done && len(g.known) < maxGlyphNames {
			g.known[n] = ""
			if len(n) == 1 {
				g.known[n] = letter(n[0])
				return
			}
			ask = append(ask, n)
		}
	}
	for _, n := range names {
		want(n)
		for part := range strings.SplitSeq(stem(n), "_") {
			want(part)
		}
	}
	for len(ask) > 0 {
		n := min(len(ask), glyphBatch)
		g.ask(ask[:n])
		ask = ask[n:]
	}
}

// ask looks up at most glyphBatch names in the object reader's list.
func (g *glyphNames) ask(names []string) {
	var differences bytes.Buffer
	for range 2 {
		for _, n := range names {
			differences.WriteString("/#" + strings.ToUpper(hexName(n)) + " ")
		}
		differences.WriteString(strconv.Itoa(glyphBatch) + " ")
	}
	_ = guard(func() error { // names the reader cannot take stay unknown
		font, err := fontOf("0 " + differences.String())
		if err == nil {
			g.decode(names, font.Encoder())
		}
		return err
	})
}

// decode notes what encoder says of names, which are in it twice.
func (g *glyphNames) decode(names []string, encoder lib.TextEncoding) {
	for i, n := range names {
		low := []rune(encoder.Decode(string([]byte{byte(i)})))
		high := []rune(encoder.Decode(string([]byte{byte(i + glyphBatch)})))
		if len(low) == 1 && len(high) == 1 && low[0] == high[0] {
			g.known[n] = string(low)
		}
	}
}

// hexName writes a name as escapes, without the first #.
func hexName(n string) string {
	var parts []string
	for _, c := range []byte(n) {
		parts = append(parts, hex.EncodeToString([]byte{c}))
	}
	return strings.Join(parts, "#")
}

// fontOf opens a file that holds one font with the given differences.
func fontOf(differences string) (font lib.Font, err error) {
	s := &scan{objects: map[int]object{}}
	s.pack(1, []byte("<</Type/Catalog/Font<</Encoding<</Differences["+differences+"]>>>>>>"))
	file, err := s.rebuilt()
	if err != nil {
		return font, fmt.Errorf("build a glyph table: %w", err)
	}
	r, err := openReader(file, false)
	if err != nil {
		return font, fmt.Errorf("open a glyph table: %w", err)
	}
	return lib.Font{V: r.Trailer().Key("Root").Key("Font")}, nil
}

// text returns what the glyph named n stands for, or "".
func (g *glyphNames) text(n string) string {
	if s := g.known[n]; s != "" && !isPiece(s) {
		return s
	}
	base := stem(n)
	if s := g.known[base]; s != "" && !isPiece(s) {
		return s
	}
	if s := unicodeName(base); s != "" {
		return s
	}
	if !strings.Contains(base, "_") {
		return texName(base)
	}
	var b strings.Builder
	for part := range strings.SplitSeq(base, "_") {
		s := g.known[part]
		if s == "" {
			s = unicodeName(part)
		}
		b.WriteString(s)
	}
	return b.String()
}

// isPiece reports whether s is one of the private-use characters that Adobe's
// list has for the pieces of tall brackets; texName knows what they are part of.
func isPiece(s string) bool { return s >= "\uF8E5" && s <= "\uF8FE" }

// letter returns the letter that is its own glyph name, "" for anything else.
func letter(c byte) string {
	if c|0x20 >= 'a' && c|0x20 <= 'z' {
		return string(rune(c))
	}
	return ""
}

// stem drops the suffix of a variant: "a.alt" is an a.
func stem(n string) string {
	if i := strings.IndexByte(n, '.'); i > 0 {
		return n[:i]
	}
	return n
}

// unicodeName reads "uniXXXX", "uniXXXXYYYY" and "uXXXXXX".
func unicodeName(n string) string {
	if digits, ok := strings.CutPrefix(n, "uni"); ok && len(digits) >= 4 && len(digits)%4 == 0 {
		raw, err := hex.DecodeString(digits)
		if err == nil {
			return decodeUTF16(string(raw))
		}
	}
	if digits, ok := strings.CutPrefix(n, "u"); ok && len(digits) >= 4 && len(digits) <= 6 {
		if v, err := strconv.ParseUint(digits, 16, 32); err == nil && v <= 0x10FFFF {
			return string(rune(v))
		}
	}
	return ""
}
