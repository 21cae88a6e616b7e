package lexis

import (
	"unicode"
	"unicode/utf8"
)

// kind is what a stretch of text is to the analyzer.
type kind uint8

const (
	gap      kind = iota // white space and punctuation
	word                 // letters, digits, marks, underscores; points and commas inside numbers
	unspaced             // a script that writes no spaces between words
)

// next returns the end of the stretch that starts at i, and its kind.
func next(text string, i int) (int, kind) {
	k, size := classify(text, i)
	end := i + size
	for end < len(text) {
		c, size := classify(text, end)
		if c != k && (k != word || !inNumber(text, end)) {
			break
		}
		end += size
	}
	return end, k
}

// inNumber reports whether the byte at i is a point or comma between two digits.
func inNumber(text string, i int) bool {
	return (text[i] == '.' || text[i] == ',') && i > 0 && i+1 < len(text) && digit(text[i-1]) && digit(text[i+1])
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func classify(text string, i int) (kind, int) {
	c := text[i]
	if c < utf8.RuneSelf {
		if 'a' <= c|0x20 && c|0x20 <= 'z' || digit(c) || c == '_' {
			return word, 1
		}
		return gap, 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	switch {
	case r == '\u00ad':
		return word, size
	case r == 'ー', r >= 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return unspaced, size
	case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
		return word, size
	}
	return gap, size
}
