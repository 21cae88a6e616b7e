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

// Unspaced reports whether a text begins in a script without spaces.
func Unspaced(text string) bool {
	if text == "" {
		return false
	}
	k, _ := classify(text, 0)
	return k == unspaced
}

// Characters parts a run of a script without spaces into what a reader takes
// for one character: a letter with the vowels and marks written around it.
func Characters(run string) []string {
	all := make([]string, 0, len(run)/3)
	for len(run) > 0 {
		n := cluster(run)
		all = append(all, run[:n])
		run = run[n:]
	}
	return all
}

// cluster is the length in bytes of the character that a run begins with.
func cluster(run string) int {
	r, end := utf8.DecodeRuneInString(run)
	if r >= 0x2E80 || r < 0xE00 { // Han, kana and Hangul write one rune for each
		return end
	}
	joins := leadingVowel(r)
	for end < len(run) {
		r, size := utf8.DecodeRuneInString(run[end:])
		switch {
		case joins:
			joins = false
		case r == 0x17D2 || r == 0x1039: // the next consonant is written below
			joins = true
		case !unicode.IsMark(r) && !trailingVowel(r):
			return end
		}
		end += size
	}
	return end
}

// leadingVowel reports whether a Thai or Lao vowel is written before its consonant.
func leadingVowel(r rune) bool { return 0xE40 <= r && r <= 0xE44 || 0xEC0 <= r && r <= 0xEC4 }

// trailingVowel reports whether a Thai or Lao vowel is a letter after its consonant.
func trailingVowel(r rune) bool {
	switch r {
	case 0xE30, 0xE32, 0xE33, 0xE45, 0xEB0, 0xEB2, 0xEB3:
		return true
	}
	return false
}
