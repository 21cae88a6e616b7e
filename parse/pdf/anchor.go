package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// rebuilt returns the lines with each table in its place, and what is left of
// the others.
func (t *tabulator) rebuilt() []piece {
	rest := make([]line, 0, len(t.lines)) // in their old order, those without text too
	for i, l := range t.lines {
		l.text, l.boxed = t.left(i), t.boxesLeft(i)
		rest = append(rest, l)
	}
	t.doc.charge(len(t.found) * len(rest) / 16)
	for i := range t.found {
		t.found[i].line = t.anchor(t.found[i], rest)
	}
	slices.SortStableFunc(t.found, func(a, b found) int { return cmp.Compare(a.line, b.line) })
	var out []piece
	next := 0
	for i, l := range rest {
		for ; next < len(t.found) && t.found[next].line == i; next++ {
			table := line{text: strings.TrimRight(t.found[next].text, "\n"), table: true, ux: t.ux, uy: t.uy, boxed: t.found[next].words, size: usualSize(t.found[next].words)}
			out = append(out, piece{line: table, box: t.found[next].box})
		}
		if l.text != "" {
			out = append(out, t.pieceOf(l))
		}
	}
	return out
}

// anchor returns the index of the line before which a table is to be. That
// is its own first line, unless the lines right above and below it on the page
// follow each other elsewhere: then it was drawn apart from the text around it.
func (t *tabulator) anchor(f found, rest []line) int {
	above, below := -1, -1
	high, low := math.Inf(1), math.Inf(-1)
	for i, l := range rest {
		if l.text == "" || !t.runs(l) || len(l.words) == 0 {
			continue
		}
		y := l.across()
		switch {
		case l.words[0].x0 > f.box.x1 || l.words[len(l.words)-1].x1 < f.box.x0:
		case y >= f.box.y1 && y < high:
			above, high = i, y
		case y <= f.box.y0 && y > low:
			below, low = i, y
		}
	}
	if above < 0 || below <= above || above < f.line && f.line < below {
		return f.line
	}
	for i := above + 1; i < below; i++ {
		if rest[i].text != "" {
			return f.line
		}
	}
	return below
}

// boxOf returns where a word is.
func (t *tabulator) boxOf(w at) box {
	l, word := t.lines[w.line], t.word(w)
	if t.runs(l) {
		return box{word.x0, l.across(), word.x1, l.across()}
	}
	m := t.middle(l, word)
	return box{m.x, m.y, m.x, m.y}
}

// emptyBox holds nothing.
func emptyBox() box { return box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)} }

// with returns the box around both.
func (b box) with(o box) box {
	return box{min(b.x0, o.x0), min(b.y0, o.y0), max(b.x1, o.x1), max(b.y1, o.y1)}
}
