package pdf

import (
	"strings"
	"unicode/utf8"

	"inlay/parse"
)

// A word's box reaches from a little below its base line to the height of capital
// letters, in font sizes: half of it and of the box of its glyphs, with or without
// descenders, are the same.
const (
	boxBelow  = .1
	boxAbove  = .7
	boxAcross = .5 // to both sides of a line that runs down the page
)

// boxed is a word and its box on the page.
type boxed struct {
	text string
	box  box
	size float64 // of its font
	bold bool    // where the engine tells
	face string  // name of its font, where the engine tells
	real string  // what the text should have in its place; empty: the same
}

// ink is where the glyphs of some characters are: how far they reach below and above
// the base line and how wide one is, in font sizes. A width of 0 is the advance.
type ink struct {
	of           string
	below, above float64
	width        float64
}

// inks are the characters whose glyphs fill less than half of the box of a letter.
// The numbers are about those of Helvetica, Times and Computer Modern.
func inks() []ink {
	return []ink{
		{".", 0, .11, .12},
		{"…", 0, .11, 0},
		{",", .17, .11, .13},
		{";", .15, .45, .13},
		{":", 0, .45, .13},
		{".,_…", boxBelow, .15, 0},
		{"-\u00AD\u2010", -.225, .35, .3},
		{"–—−", -.2, .3, 0},
		{"-–—−•·=~", -.15, .4, 0},
		{":=<>+≤≥±×∼→∗", 0, .5, .5},
		{"'‘’", -.42, boxAbove, .13},
		{"'\"’‘“”*°", -.4, boxAbove, 0},
		{"()[]{}", .21, .72, .25},
		{"|", .22, .74, .055},
		{"1", 0, .69, .28},
		{"acemnorsuvwxzαενορστυω.,:;-–—", .05, .55, 0},
	}
}

// inkOf is where the glyphs of a word are whose characters are so wide on average.
func inkOf(text string, advance float64) ink {
	if text == "i" || text == "l" || text == "I" {
		return ink{above: boxAbove, width: narrowInk(text, advance)}
	}
	for _, k := range inks() {
		if strings.Trim(text, k.of) == "" {
			return k
		}
	}
	return ink{below: boxBelow, above: boxAbove}
}

// narrowInk is the width of a single stroke: as an upright line, with serifs, or, in
// fonts of one advance, with long ones.
func narrowInk(text string, advance float64) float64 {
	line := .25
	if text == "I" {
		line = .3
	}
	switch {
	case advance < line:
		return .12
	case advance < .45:
		return .85 * (advance - .06)
	}
	return .75 * advance
}

// boxOn returns the box of a word of a line on the page.
func (l line) boxOn(w word, text string) box {
	n := float64(max(utf8.RuneCountInString(text), 1))
	advance := (w.x1 - w.x0) / n / max(w.size, .01)
	k := inkOf(text, advance)
	low, high, inset := w.y-k.below*w.size, w.y+k.above*w.size, 0.0
	if k.width > 0 && k.width < advance {
		inset = (advance - k.width) / 2 * w.size
	}
	if w.down {
		low, high, inset = w.y-boxAcross*w.size, w.y+boxAcross*w.size, 0
	}
	out := emptyBox()
	for _, along := range []float64{w.x0 + inset, w.x1 - inset} {
		for _, across := range []float64{low, high} {
			x, y := along*l.ux-across*l.uy, along*l.uy+across*l.ux
			out = out.with(box{x, y, x, y})
		}
	}
	return out
}

// boxes returns the words of a line with their boxes.
func (l line) boxes() []boxed {
	out := make([]boxed, len(l.words))
	for i, w := range l.words {
		out[i] = boxed{text: l.word(i), box: l.boxOn(w, l.word(i)), size: w.size}
	}
	return out
}

// boxesLeft returns the words of a line that are in no table.
func (t *tabulator) boxesLeft(i int) []boxed {
	all := t.lines[i].boxes()
	if len(t.gone) == 0 {
		return all
	}
	out := all[:0]
	for w, b := range all {
		if !t.gone[at{i, w}] {
			out = append(out, b)
		}
	}
	return out
}

// boxesOf returns the words of cells, in their order.
func (t *tabulator) boxesOf(rows [][][]at) (out []boxed) {
	for _, row := range rows {
		for _, cell := range row {
			for _, w := range cell {
				l := t.lines[w.line]
				text := l.word(w.word)
				out = append(out, boxed{text: text, box: l.boxOn(t.word(w), text), size: l.words[w.word].size})
			}
		}
	}
	return out
}

// usualSize is the font size of most letters of words.
func usualSize(words []boxed) (usual float64) {
	letters := map[float64]int{}
	for _, w := range words {
		letters[rounded(w.size)] += countLetters(w.text)
	}
	for size, n := range letters {
		if n > letters[usual] || n == letters[usual] && size < usual {
			usual = size
		}
	}
	return usual
}

// searchAhead bounds, in bytes, how far from the word before it a word is looked
// for in a text.
const searchAhead = 400

// locate finds words in a text in which they are in the same order, and says
// where; of says which word each box is of. A word that is not there, since it was
// joined with another, has no place.
func locate(text string, words []boxed) (out []parse.Box, of []int) {
	out, of = make([]parse.Box, 0, len(words)), make([]int, 0, len(words))
	at, ahead := 0, searchAhead
	for n, w := range words {
		window := text[at:min(at+ahead+len(w.text), len(text))]
		s := w.text
		i := strings.Index(window, s)
		if i < 0 {
			if s = strings.TrimRight(s, "-\u00AD\u2010"); s != "" { // split at a line's end
				i = strings.Index(window, s)
			}
		}
		if i < 0 || s == "" {
			ahead += len(w.text) + 1
			continue
		}
		out = append(out, parse.Box{X0: w.box.x0, Y0: w.box.y0, X1: w.box.x1, Y1: w.box.y1, Start: at + i, End: at + i + len(s)})
		of = append(of, n)
		at, ahead = at+i+len(s), searchAhead
	}
	return out, of
}

// boxesIn adds to a page the boxes of its lines, for its text, and returns its record.
func boxesIn(page parse.BoxedPage, text string, lines []line) []byte {
	var words []boxed
	for _, l := range lines {
		if l.boxed == nil {
			l.boxed = l.boxes()
		}
		words = append(words, l.boxed...)
	}
	page.Boxes, _ = locate(text, words)
	return parse.AppendBoxes(nil, page)
}

// frame is the page with index i as a viewer shows it: its crop box, as far as it
// lies in the media box, and its rotation.
func (l leaf) frame(i int) parse.BoxedPage {
	shown := readBox(l.box)
	if crop := readBox(l.crop).within(shown); crop.area() > 0 {
		shown = crop
	}
	return framed(i, shown, int(l.rotate.Int64()/90))
}

// framed is the page with index i that shows a box, turned clockwise by quarters.
func framed(i int, shown box, quarters int) parse.BoxedPage {
	return parse.BoxedPage{Page: i + 1, X0: shown.x0, Y0: shown.y0, X1: shown.x1, Y1: shown.y1, Rotate: (quarters%4 + 4) % 4 * 90}
}
