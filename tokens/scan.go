package tokens

import (
	"math/bits"
	"unicode/utf8"
)

// family is a splitting pattern: how a text falls into pieces before bytes are
// merged inside each piece.
type family uint8

const (
	gpt2   family = iota // r50k_base, p50k_base
	cl100k               // cl100k_base
	o200k                // o200k_base
)

// scanner finds the pieces of a text by hand, as the pattern of its family
// would. invalid is raised when a byte that is not valid UTF-8 was met; such a byte
// stands for U+FFFD.
type scanner struct {
	*classTable
	family  family
	invalid bool
}

// next returns the end of the piece that starts at i < len(s).
func (c *scanner) next(s string, i int) int {
	switch c.family {
	case cl100k:
		return c.nextCL100K(s, i)
	case o200k:
		return c.nextO200K(s, i)
	default:
		return c.nextGPT2(s, i)
	}
}

// at returns class and length of the character at i.
func (c *scanner) at(s string, i int) (class, int) {
	if k := c.ascii[s[i]]; k != 0 {
		return k, 1
	}
	return c.wide(s, i)
}

func (c *scanner) wide(s string, i int) (class, int) {
	if b := s[i]; 0xE1 <= b && b <= 0xEC && i+2 < len(s) {
		b1, b2 := s[i+1], s[i+2]
		if b1&0xC0 == 0x80 && b2&0xC0 == 0x80 {
			return c.of(rune(b&0xF)<<12 | rune(b1&0x3F)<<6 | rune(b2&0x3F)), 3
		}
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if n == 1 {
		c.invalid = true
	}
	return c.of(r), n
}

// run returns the end of the run of characters in set that starts at or after
// i, with a short way over ASCII.
func (c *scanner) run(s string, i int, set class) int {
	for i < len(s) {
		k := c.ascii[s[i]]
		if k&set != 0 {
			i++
			continue
		}
		if k != 0 {
			break
		}
		k, n := c.wide(s, i)
		if k&set == 0 {
			break
		}
		i += n
	}
	return i
}

// letters is run for the set letter. It passes over eight ASCII letters at a
// time, so that a processor need not guess where a word ends.
func (c *scanner) letters(s string, i int) int {
	for i+8 <= len(s) {
		x := load64(s, i)
		if rest := notLower(x|0x20*bytes8) | x&(0x80*bytes8); rest != 0 {
			i += bits.TrailingZeros64(rest) / 8
			break
		}
		i += 8
	}
	return c.run(s, i, letter)
}

// bytes8 times a byte is that byte eight times.
const bytes8 = 0x0101010101010101

// notLower has the highest bit of each of the eight bytes of x set that is not
// a to z.
func notLower(x uint64) uint64 {
	low := x & (0x7F * bytes8)
	from, above := low+(0x80-'a')*bytes8, low+(0x80-'z'-1)*bytes8
	return ^(from &^ above &^ x) & (0x80 * bytes8)
}

// lowerRun returns the end of the run of a to z that starts at or after i.
func lowerRun(s string, i int) int {
	for i+8 <= len(s) {
		if rest := notLower(load64(s, i)); rest != 0 {
			return i + bits.TrailingZeros64(rest)/8
		}
		i += 8
	}
	for i < len(s) && 'a' <= s[i] && s[i] <= 'z' {
		i++
	}
	return i
}

// numbers3 is \p{N}{1,3}.
func (c *scanner) numbers3(s string, i int) int {
	for n := 0; n < 3 && i < len(s); n++ {
		k, size := c.at(s, i)
		if k != number {
			break
		}
		i += size
	}
	return i
}

// blanks is \s*[\r\n]+|\s+(?!\S)|\s+ at a blank; lines says whether the first
// alternative exists.
func (c *scanner) blanks(s string, i int, lines bool) int {
	lineEnd, last, j, n := -1, i, i, 0
	for j < len(s) {
		k, size := c.at(s, j)
		if k&blank == 0 {
			break
		}
		last = j
		j += size
		n++
		if k == newline {
			lineEnd = j
		}
	}
	switch {
	case lines && lineEnd >= 0:
		return lineEnd
	case j == len(s) || n == 1:
		return j
	}
	return last
}

// strangeRun is [^\s\p{L}\p{N}]+[\r\n]*, with slashes among the line breaks if
// the pattern has them there.
func (c *scanner) strangeRun(s string, i int, slashes bool) int {
	i = c.run(s, i, strange)
	for i < len(s) && (s[i] == '\n' || s[i] == '\r' || slashes && s[i] == '/') {
		i++
	}
	return i
}

// contraction returns the length of (?i:'s|'t|'re|'ve|'m|'ll|'d) at the
// apostrophe at i, or 0. U+017F folds to s.
func contraction(s string, i int) int {
	if i+1 >= len(s) {
		return 0
	}
	second := byte(0)
	if i+2 < len(s) {
		second = s[i+2]
	}
	switch a, b := s[i+1]|0x20, second|0x20; {
	case a == 's', a == 't', a == 'm', a == 'd':
		return 2
	case (a == 'r' || a == 'v') && b == 'e', a == 'l' && b == 'l':
		return 3
	case s[i+1] == 0xC5 && second == 0xBF:
		return 3
	}
	return 0
}

// contractionGPT2 is contraction in lower case only.
func contractionGPT2(s string, i int) int {
	n := contraction(s, i)
	for _, b := range []byte(s[i+1 : i+max(n, 1)]) {
		if b < 'a' || b > 'z' {
			return 0
		}
	}
	return n
}
