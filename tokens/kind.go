package tokens

import "unicode/utf8"

// Kind is what a text is made of, as far as it decides how well the tokens of
// an unknown vocabulary can be estimated.
type Kind uint8

// The kinds of text, distinguished by shares of characters.
const (
	Prose    Kind = iota // words in plain Latin letters
	Accented             // Latin letters, at least one in a hundred characters with an accent
	Code                 // many brackets and operators
	Table                // many digits and separators
	CJK                  // Chinese, Japanese, Korean
	Script               // letters of any other script
	kinds
)

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{"prose", "accented", "code", "table", "CJK", "other script"}[k]
}

const (
	sampleWindows = 16
	sampleBytes   = 4 << 10
)

// KindOf determines the kind of a text from at most sixteen windows of 4 KB, evenly
// spread over it, so that its cost does not grow with the text.
func KindOf(text string) Kind {
	var s shares
	if len(text) <= sampleWindows*sampleBytes {
		s.add(text)
		return s.kind()
	}
	for i := range sampleWindows {
		at := i * (len(text) - sampleBytes) / (sampleWindows - 1)
		s.add(text[at : at+sampleBytes])
	}
	return s.kind()
}

// shares counts the characters of a sample that are no white space.
type shares struct{ all, accented, cjk, script, cells, operators int }

func (s *shares) add(text string) {
	for _, r := range text {
		if r > ' ' {
			s.all++
		}
		switch {
		case r < utf8.RuneSelf:
			s.addASCII(byte(r))
		case r == utf8.RuneError:
		case r >= 0xC0 && r < 0x250, r >= 0x1E00 && r < 0x1F00:
			s.accented++
		case r >= 0x2E80 && r < 0xA000, r >= 0xAC00 && r < 0xD7B0, r >= 0xF900 && r < 0xFB00, r >= 0xFF00 && r < 0xFFF0, r >= 0x20000 && r < 0x32000:
			s.cjk++
		case r >= 0x370 && r < 0x2000, r >= 0xA000 && r < 0xAC00, r >= 0xFB00 && r < 0xFF00, r >= 0x10000 && r < 0x1D000:
			s.script++
		}
	}
}

func (s *shares) addASCII(b byte) {
	switch b {
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '|', ',', ';':
		s.cells++
	case '\t':
		s.cells++
		s.all++
	case '{', '}', '(', ')', '[', ']', '<', '>', '=', '+', '*', '/', '\\', '&', '_', '#', '$', '@', '~', '^', '%', '`', '"', ':':
		s.operators++
	}
}

func (s *shares) kind() Kind {
	switch {
	case 100*s.cjk > 15*s.all:
		return CJK
	case 100*s.script > 20*s.all:
		return Script
	case 100*s.cells > 20*s.all:
		return Table
	case 100*s.operators > 7*s.all:
		return Code
	case 100*s.accented > s.all:
		return Accented
	}
	return Prose
}
