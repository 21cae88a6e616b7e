package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// paragraphGap is how much farther apart than usual two lines lie, in multiples
// of the usual distance, when a paragraph ends between them.
const paragraphGap = 1.35

// placed is a line and where its text begins in the page's text.
type placed struct {
	line
	start int
}

// layOut writes lines as the text of a page: one per line, a blank line between
// paragraphs, and words that were hyphenated at a line's end whole again.
func layOut(lines []line) (string, []placed) {
	var b []byte
	var out []placed
	pitch := usualPitch(lines)
	for i, l := range lines {
		if i > 0 {
			if !l.table && !lines[i-1].table {
				b, l.text = rejoin(b, lines[i-1].text, l.text)
			}
			if l.text == "" {
				continue
			}
			b = append(b, between(lines[i-1], l, pitch)...)
		}
		l.words, l.boxed = nil, nil // they were for tables and boxes
		out = append(out, placed{l, len(b)})
		b = append(b, l.text...)
	}
	return string(b), out
}

// cellGap is the gap, in font sizes, that parts what does not belong together.
const cellGap = 2

// hasGap reports whether words of a line lie as far apart as cells of a table. The
// gap after the number that a line begins with is none.
func (l line) hasGap() bool {
	for i := 1; i < len(l.words); i++ {
		if l.words[i].x0-l.words[i-1].x1 > cellGap*l.size && (i > 1 || numbering(l.word(0)) == "") {
			return true
		}
	}
	return false
}

// rejoin takes back the hyphen that the text so far ends in, if its last line's
// word goes on in below, and writes the rest of the word after it. It returns
// what is left of below.
func rejoin(b []byte, above, below string) ([]byte, string) {
	if !splitsWord(above, below) {
		return b, below
	}
	_, hyphen := utf8.DecodeLastRune(b)
	rest, after, _ := strings.Cut(below, " ")
	return append(b[:len(b)-hyphen], rest...), after
}

// splitsWord reports whether a line ends in a hyphen between two small letters,
// so that the next one goes on with the same word.
func splitsWord(above, below string) bool {
	last, n := utf8.DecodeLastRuneInString(above)
	if last != '-' && last != '\u00AD' && last != '\u2010' {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(above[:len(above)-n])
	first, _ := utf8.DecodeRuneInString(below)
	return unicode.IsLower(before) && unicode.IsLower(first)
}

// between returns what is between two lines.
func between(above, below line, pitch float64) string {
	if above.table || below.table {
		return "\n\n"
	}
	d := distanceDown(above, below)
	if d < 0 || pitch > 0 && d > paragraphGap*pitch*max(above.size, below.size) {
		return "\n\n"
	}
	return "\n"
}

// distanceDown is how far below lies under above, across their direction;
// negative where it lies above it or the direction turns.
func distanceDown(above, below line) float64 {
	if above.ux*below.ux+above.uy*below.uy < turned {
		return -1
	}
	dx, dy := below.x-above.x, below.y-above.y
	return dx*below.uy - dy*below.ux
}

// usualPitch is the median distance of consecutive lines, in font sizes.
func usualPitch(lines []line) float64 {
	var all []float64
	for i := 1; i < len(lines); i++ {
		size := max(lines[i-1].size, lines[i].size)
		if lines[i-1].table || lines[i].table {
			continue
		}
		if d := distanceDown(lines[i-1], lines[i]); d > 0 && size > 0 && d < 3*size {
			all = append(all, d/size)
		}
	}
	if len(all) == 0 {
		return 1.3
	}
	slices.SortFunc(all, cmp.Compare[float64])
	return all[len(all)/2]
}
