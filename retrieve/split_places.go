package retrieve

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/sentences"
)

// sentence is the last place in [from, limit] where a sentence begins, or -1.
func (c *cutter) sentence(from, limit int) int {
	last := -1
	for _, near := range []int{limit - (limit-from)/3, from} { // mostly the end of the stretch has one
		for p := range c.sentenceStarts(max(near, from), limit) {
			last = p
		}
		if last >= 0 {
			break
		}
	}
	return last
}

// firstSentence is the first place in (from, limit) where a sentence begins, or -1.
func (c *cutter) firstSentence(from, limit int) int {
	for p := range c.sentenceStarts(from, limit) {
		if p < limit {
			return p
		}
	}
	return -1
}

// sentenceStarts yields the places in (from, limit] where sentences begin, by
// the rules of Unicode's annex 29.
func (c *cutter) sentenceStarts(from, limit int) iter.Seq[int] {
	return func(yield func(int) bool) {
		from = c.runeStart(from)
		if from >= limit {
			return
		}
		for it := sentences.FromString(c.ruler.text[from:limit]); it.Next(); {
			p := c.lineStart(from+it.End(), limit)
			if p <= limit && ends(it.Value()) && !yield(p) {
				return
			}
		}
	}
}

// lineStart is where the text after pos goes on: the first place that is not
// white space, or the beginning of its line; beyond limit if that is all white
// space.
func (c *cutter) lineStart(pos, limit int) int {
	rest := c.ruler.text[pos:limit]
	trimmed := strings.TrimLeft(rest, " \t\r\n\f\v")
	if trimmed == "" {
		return limit + 1
	}
	space := rest[:len(rest)-len(trimmed)]
	return pos + max(strings.LastIndexByte(space, '\n')+1, 0) + indentation(space)
}

// indentation is how much of the white space is skipped: all of it on the same
// line, none of it at a line's start.
func indentation(space string) int {
	if strings.IndexByte(space, '\n') >= 0 {
		return 0
	}
	return len(space)
}

// ends reports whether a stretch that Unicode's rules take for a sentence is
// one, and not only a line: it ends with a sentence's punctuation, or not at a
// line break.
func ends(sentence string) bool {
	text := strings.TrimRightFunc(sentence, unicode.IsSpace)
	if !strings.ContainsAny(sentence[len(text):], "\r\n\u0085\u2028\u2029") {
		return true
	}
	text = strings.TrimRight(text, `"')]}”’»›`)
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.Is(unicode.STerm, last) || last == '…'
}

// word is the last place in [from, limit] before a word, or after punctuation
// in scripts that put no spaces; -1 if there is none.
func (c *cutter) word(from, limit int) int {
	text := c.ruler.text
	for p := limit; p >= max(from, 1); p-- {
		if c.beforeWord(text, p) {
			return p
		}
	}
	return -1
}

// firstWord is the first place in [from, limit) before a word, or -1.
func (c *cutter) firstWord(from, limit int) int {
	for p := max(from, 1); p < limit; p++ {
		if c.beforeWord(c.ruler.text, p) {
			return p
		}
	}
	return -1
}

func (c *cutter) beforeWord(text string, p int) bool {
	if p >= len(text) || !utf8.RuneStart(text[p]) {
		return false
	}
	if text[p] < utf8.RuneSelf && text[p-1] < utf8.RuneSelf {
		return asciiSpace(text[p-1]) && !asciiSpace(text[p])
	}
	next, _ := utf8.DecodeRuneInString(text[p:])
	last, _ := utf8.DecodeLastRuneInString(text[:p])
	gap := unicode.IsSpace(last) || last >= utf8.RuneSelf && unicode.Is(unicode.Po, last)
	return gap && !unicode.IsSpace(next) && !unicode.Is(unicode.M, next) && !unicode.Is(unicode.Po, next)
}

func asciiSpace(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

// boundary reports whether pos is between two graphemes; start is known to be.
func (c *cutter) boundary(start, pos int) bool {
	text := c.ruler.text
	base := pos
	for base > start && !plain(text, base) {
		base--
	}
	if base == pos {
		return true
	}
	it := graphemes.FromString(text[base:])
	for it.Next() {
		if base+it.End() >= pos {
			return base+it.End() == pos
		}
	}
	return false
}

// plain reports whether a grapheme surely begins at p: the runes around it
// never join with each other.
func plain(text string, p int) bool {
	if p == len(text) {
		return true
	}
	if text[p] < utf8.RuneSelf && text[p-1] < utf8.RuneSelf {
		return text[p-1] != '\r' || text[p] != '\n'
	}
	if !utf8.RuneStart(text[p]) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[p:])
	last, _ := utf8.DecodeLastRuneInString(text[:p])
	return single(last) && single(next)
}

// single reports whether r is of a common range whose runes are graphemes by
// themselves when they are among their like: ASCII, Latin, Greek, Cyrillic,
// Arabic letters, general punctuation, kana, ideographs, full-width forms.
func single(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r != '\r'
	case r < 0x0300:
		return r >= 0x00C0
	case r < 0x0483:
		return r >= 0x0370
	case r < 0x2010:
		return 0x0620 <= r && r <= 0x064A
	case r < 0x3001:
		return r <= 0x2027
	case r <= 0x30FA:
		return r < 0x302A || 0x3041 <= r && r <= 0x3096 || r >= 0x30A1
	default:
		return 0x4E00 <= r && r <= 0x9FFF || 0xAC00 <= r && r <= 0xD7A3 || 0xFF01 <= r && r <= 0xFF60
	}
}

// grapheme is the last end of a grapheme in (start, limit], or the end of the
// first one if that is larger.
func (c *cutter) grapheme(start, limit int) int {
	text := c.ruler.text
	base := limit
	for base > start && !plain(text, base) {
		base--
	}
	if base == limit {
		return limit
	}
	last := base
	for it := graphemes.FromString(text[base:]); it.Next(); {
		if base+it.End() > limit && last > start {
			break
		}
		last = base + it.End()
		if last >= limit {
			break
		}
	}
	return last
}

// runeStart is the first rune's start at or after pos.
func (c *cutter) runeStart(pos int) int {
	for pos < len(c.ruler.text) && !utf8.RuneStart(c.ruler.text[pos]) {
		pos++
	}
	return pos
}
