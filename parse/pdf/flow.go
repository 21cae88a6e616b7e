package pdf

import (
	"math"
	"strings"
	"unicode/utf8"
)

// How far glyphs lie apart, in multiples of the font size, decides what is
// between them. The numbers are those at which order and words agree best with
// pdftotext -raw, see docs/parsing.md.
const (
	wordGap  = .15 // forward: a space
	backStep = .6  // backward: a space; less is kerning
	lineBack = 3   // backward: a new line
	lineStep = .5  // across the direction of writing: a new line
	turned   = .9  // cosine of the angle between directions: a new line
	overlay  = .1  // the same glyph this near to itself is bold by printing twice
)

// maxSeen bounds the places of one text that are remembered.
const maxSeen = 64

// maxWords bounds the characters of a page whose words are placed: beyond it, no
// table is looked for.
const maxWords = 1 << 19

// line is one line of text as it was shown.
type line struct {
	text   string
	size   float64 // font size of most of it, on the page
	bold   bool    // all of it
	fixed  bool    // all of it in a font of one advance
	face   string  // name of its font, if it has one for all of it
	parted bool    // it has a gap as between the cells of a table
	x, y   float64 // where it begins
	ux, uy float64 // direction of writing
	words  []word
	table  bool    // it is a whole Markdown table
	boxed  []boxed // its words with their boxes, once its text is final
}

// word is one word of a line: where its text begins and the stretch it covers
// along the direction of writing, from the page's origin.
type word struct {
	from   int
	x0, x1 float64
	y      float64 // across it
	size   float64 // of its font
	down   bool    // it is written downwards
}

// across is where the line is across its direction, upwards.
func (l line) across() float64 { return l.y*l.ux - l.x*l.uy }

// word returns the text of the word with index i.
func (l line) word(i int) string {
	end := len(l.text)
	if i+1 < len(l.words) {
		end = l.words[i+1].from
	}
	return strings.TrimRight(l.text[min(l.words[i].from, end):end], " ")
}

// flow puts glyphs together into lines, in the order in which they are shown.
type flow struct {
	lines []line
	size  int // bytes of all text so far
	words int // characters whose words are placed

	buf      []byte
	current  line
	light    bool // something in the line is not bold
	varied   bool // something in it is in a font of several advances
	mixed    bool // it is in several fonts
	weights  float64
	started  bool
	spaced   bool // the line ends in a space, or is empty
	endX     float64
	endY     float64
	fontSize float64
	accent   held               // a glyph that waits for the one after it
	seen     map[string][]point // where each line of text began

	lastText  string
	lastPlace matrix
	lastWidth float64
}

// put appends one glyph. m maps its unit square to the page.
func (f *flow) put(text string, m matrix, width float64, font *font) {
	size := math.Hypot(m[2], m[3]) * font.em()
	ux, uy, advance := m[0], m[1], width
	if font.vertical() {
		ux, uy, advance = -m[2], -m[3], 1
	}
	length := math.Hypot(ux, uy)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return
	}
	stepX, stepY := ux*advance, uy*advance
	ux, uy = ux/length, uy/length
	if size == 0 {
		size = length
	}
	x, y := m[4], m[5]
	if f.started && f.repeats(text, x, y, size) {
		return
	}
	f.part(x, y, size, ux, uy)
	f.write(text, x, y, size, ux, uy, font)
	if n := len(f.current.words); n > 0 && !f.spaced {
		f.current.words[n-1].x1 = (x+stepX)*ux + (y+stepY)*uy
	}
	f.endX, f.endY, f.fontSize = x+stepX, y+stepY, size
	f.lastText, f.lastPlace, f.lastWidth = text, m, width
}

// repeats reports whether the glyph is the last one, printed again in place.
func (f *flow) repeats(text string, x, y, size float64) bool {
	return text == f.lastText && text != " " &&
		math.Abs(x-f.lastPlace[4]) < overlay*size && math.Abs(y-f.lastPlace[5]) < overlay*size
}

// part decides what is between the last glyph and one at (x, y).
func (f *flow) part(x, y, size, ux, uy float64) {
	if !f.started {
		return
	}
	dx, dy := x-f.endX, y-f.endY
	along, across := dx*ux+dy*uy, math.Abs(dy*ux-dx*uy)
	small, large := max(min(size, f.fontSize), .01), max(size, f.fontSize)
	switch {
	case ux*f.current.ux+uy*f.current.uy < turned, across > lineStep*large, along < -lineBack*small:
		f.end()
	case along > wordGap*small, along < -backStep*small:
		f.space()
	}
}

// space ends a word.
func (f *flow) space() {
	if !f.spaced {
		f.buf = append(f.buf, ' ')
		f.size++
		f.spaced = true
	}
}

// write appends the glyph's text to the line.
func (f *flow) write(text string, x, y, size, ux, uy float64, font *font) {
	if !f.started {
		f.current = line{size: size, x: x, y: y, ux: ux, uy: uy}
		f.started, f.spaced, f.light, f.varied, f.mixed, f.weights = true, true, false, false, false, 0
	}
	for _, r := range text {
		switch {
		case isBlank(r):
			f.space()
		case r < ' ', r == 0x7F, r == '\uFEFF', r == '\u200B':
		default:
			if f.words++; f.spaced && f.words <= maxWords {
				at := x*ux + y*uy
				f.current.words = append(f.current.words, word{len(f.buf), at, at, y*ux - x*uy, size, font.vertical()})
			}
			f.rune(r)
		}
	}
	if f.spaced {
		return
	}
	f.light, f.varied = f.light || !font.bold, f.varied || !font.fixed
	if f.current.face == "" {
		f.current.face = font.name
	}
	f.mixed = f.mixed || f.current.face != font.name
	// Boyer-Moore majority vote: the size that most glyphs have.
	switch {
	case f.weights == 0:
		f.current.size, f.weights = size, 1
	case math.Abs(size-f.current.size) < .01*size:
		f.weights++
	default:
		f.weights--
	}
}

// rune appends one character, ligatures as their letters.
func (f *flow) rune(r rune) {
	before := len(f.buf)
	if r >= 'ﬀ' && r <= 'ﬆ' {
		f.buf = append(f.buf, ligature(r)...)
	} else {
		f.buf = utf8.AppendRune(f.buf, r)
	}
	f.size += len(f.buf) - before
	f.spaced = false
}

// ligature spells out the Latin ligatures of Unicode.
func ligature(r rune) string {
	return [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}[r-'ﬀ']
}

// isBlank reports whether r parts words.
func isBlank(r rune) bool {
	switch r {
	case ' ', '\u00A0', '\t', '\n', '\r', '\v', '\f', '\u2028', '\u2029', '\u3000', '\u202F', '\u205F', '\u1680':
		return true
	}
	return r >= '\u2000' && r <= '\u200A'
}

// finish ends the line after the last glyph.
func (f *flow) finish() {
	if last := f.accent; last.text != "" {
		f.accent = held{}
		f.put(last.text, last.place, last.width, last.font)
	}
	f.end()
}

// end ends the line.
func (f *flow) end() {
	if !f.started {
		return
	}
	f.started, f.lastText = false, ""
	text := strings.TrimRight(string(f.buf), " ")
	f.buf = f.buf[:0]
	if text == "" {
		return
	}
	if f.again(text) {
		return
	}
	f.size++
	f.current.text, f.current.bold, f.current.fixed = text, !f.light, !f.varied
	if f.mixed {
		f.current.face = ""
	}
	f.current.parted = f.current.hasGap()
	f.lines = append(f.lines, f.current)
}

// again reports whether the line was shown before in the same place: stamps and
// shadows are painted several times.
func (f *flow) again(text string) bool {
	l := f.current
	for _, p := range f.seen[text] {
		if math.Abs(p.x-l.x) < overlay*l.size && math.Abs(p.y-l.y) < overlay*l.size {
			return true
		}
	}
	if f.seen == nil {
		f.seen = map[string][]point{}
	}
	if len(f.seen[text]) < maxSeen {
		f.seen[text] = append(f.seen[text], point{l.x, l.y})
	}
	return false
}
