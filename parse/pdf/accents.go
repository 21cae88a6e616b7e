package pdf

import (
	"bytes"
	"math"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// covered is the share of the narrower of two glyphs that has to lie over the
// other one for the two to be one character.
const covered = .5

// held is a glyph that may be part of the character after it: an accent, or a
// stroke through a sign.
type held struct {
	text  string
	place matrix
	width float64
	font  *font
}

// add takes one glyph. m maps its unit square to the page. Accents that are
// drawn over their letters, before or after them, make one character with them.
func (f *flow) add(text string, m matrix, width float64, font *font) {
	if text == "" {
		return
	}
	if before := f.accent; before.text != "" {
		f.accent = held{}
		if s := compose(text, before.text); s != "" && overlap(m, width, before.place, before.width) {
			text = s
		} else {
			f.put(before.text, before.place, before.width, before.font)
		}
	}
	if !isAccent(text) || font.vertical() {
		f.put(text, m, width, font)
		return
	}
	before, shown := bytes.CutSuffix(f.buf, []byte(f.lastText))
	if s := compose(f.lastText, text); s != "" && shown && overlap(f.lastPlace, f.lastWidth, m, width) {
		f.buf = append(before, s...)
		f.size += max(len(s)-len(f.lastText), 0)
		f.lastText = s
		return
	}
	f.accent = held{text, m, width, font}
}

// isAccent reports whether a glyph's text may be part of another character.
func isAccent(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n == len(text) && (combining(r) != 0 || r == '/' || r == '↦')
}

// combining returns the combining character that a spacing accent stands for, 0
// for what is not an accent.
func combining(r rune) rune {
	if r < 0xA8 {
		switch r {
		case '`':
			return '\u0300'
		case '^':
			return '\u0302'
		case '~':
			return '\u0303'
		}
		return 0
	}
	if r >= '\u0300' && r <= '\u036F' {
		return r
	}
	switch r {
	case '´', 'ˊ':
		return '\u0301'
	case 'ˋ':
		return '\u0300'
	case 'ˆ':
		return '\u0302'
	case '˜':
		return '\u0303'
	case '¯', 'ˉ':
		return '\u0304'
	case '˘':
		return '\u0306'
	case '˙':
		return '\u0307'
	case '¨':
		return '\u0308'
	case '˚':
		return '\u030A'
	case '˝':
		return '\u030B'
	case 'ˇ':
		return '\u030C'
	case '¸':
		return '\u0327'
	case '˛':
		return '\u0328'
	}
	return 0
}

// compose returns the character that base and mark make together, "" where they
// make none.
func compose(base, mark string) string {
	letter, n := utf8.DecodeRuneInString(base)
	accent, _ := utf8.DecodeRuneInString(mark)
	if n == 0 || n != len(base) || accent == utf8.RuneError {
		return ""
	}
	if accent == '↦' && letter == '→' {
		return mark
	}
	accent = slashed(accent)
	switch {
	case accent == '\u0338' && !unicode.IsLetter(letter):
		if s := norm.NFC.String(base + "\u0338"); utf8.RuneCountInString(s) == 1 {
			return s
		}
		return ""
	case accent == 0, accent == '\u0338', !unicode.IsLetter(letter):
		return ""
	}
	return norm.NFC.String(string(dotted(letter)) + string(accent))
}

// slashed is combining, with the slash as the stroke that it is over a sign.
func slashed(r rune) rune {
	if r == '/' {
		return '\u0338'
	}
	return combining(r)
}

// dotted returns the letter that a dotless one stands for below an accent.
func dotted(r rune) rune {
	switch r {
	case 'ı':
		return 'i'
	case 'ȷ':
		return 'j'
	}
	return r
}

// overlap reports whether a mark is drawn over a glyph: along the line by half
// of the narrower one, or from within it where the mark has no width.
func overlap(glyph matrix, width float64, mark matrix, markWidth float64) bool {
	em := math.Hypot(glyph[0], glyph[1])
	size := math.Hypot(glyph[2], glyph[3])
	if em == 0 || size == 0 {
		return false
	}
	ux, uy := glyph[0]/em, glyph[1]/em
	dx, dy := mark[4]-glyph[4], mark[5]-glyph[5]
	from, across := dx*ux+dy*uy, math.Abs(dy*ux-dx*uy)
	to := from + markWidth*(mark[0]*ux+mark[1]*uy)
	end := width * em
	if across > lineStep*size {
		return false
	}
	if to <= from {
		return from >= -overlay*size && from <= end+overlay*size
	}
	return min(to, end)-max(from, 0) >= covered*min(to-from, end) && end > 0
}
