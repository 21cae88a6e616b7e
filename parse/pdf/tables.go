package pdf

import (
	"math"
	"slices"
	"strings"

	"inlay/internal/mdtable"
)

// A table is taken for one if it has at least two rows and two columns with
// text, if its cells are neither mostly blank nor as long as running text.
const (
	minFilled    = .3  // share of cells with text
	maxCellWords = 150 // in one cell
	maxMeanWords = 40  // over all cells with text
	maxCells     = 10_000
	maxGrids     = 64      // of one page, and as many frames
	maxEdges     = 4 << 20 // comparisons of cells with rules
	partShare    = .4      // of the lines of a table that go on beside it: the rules underline a part of it
)

// at is one word: the line it is in and its place there.
type at struct{ line, word int }

// tabulator turns the lines of a page that are in tables into those tables.
type tabulator struct {
	directed
	doc   *document
	lines []line
	words int         // of all lines, or more
	gone  map[at]bool // words that are in a table
	found []found
}

// found is a table, ready to be before a line.
type found struct {
	line  int // its first
	text  string
	box   box // where it is, turned into the page's direction
	words []boxed
}

// tabulate replaces the lines that form tables by one line for each table.
func (p *page) tabulate(lines []line) []line {
	if len(lines) < 2 || p.flow.words > maxWords {
		return lines
	}
	t := tabulator{directed: mainDirection(lines), doc: p.doc, lines: lines, words: p.flow.words, gone: map[at]bool{}}
	over, down := []span(nil), []span(nil)
	if p.drawn <= maxRules {
		over, down = t.split(p.rules)
	}
	p.doc.charge(len(over) * len(down) / 64)
	found := grids(over, down)
	found = found[:min(len(found), maxGrids)]
	over = t.grids(found, over, false)
	t.framedTables(over)
	t.statements()
	t.grids(found, over, true)
	t.aligned()
	return t.ordered(t.rebuilt())
}

// grids makes tables of grids and returns the rules that are left over.
func (t *tabulator) grids(found []grid, over []span, again bool) []span {
	for i := range found {
		if t.ruled(&found[i], again) {
			over = without(over, found[i].over)
		}
	}
	return over
}

// without drops the rules of a table from those of the page.
func without(all, used []span) []span {
	return slices.DeleteFunc(slices.Clone(all), func(s span) bool { return slices.Contains(used, s) })
}

// mainDirection is the direction in which most words of a page run.
func mainDirection(lines []line) directed {
	words := map[directed]int{}
	best := directed{1, 0}
	for _, l := range lines {
		d := directed{math.Round(l.ux*100) / 100, math.Round(l.uy*100) / 100}
		if words[d] += len(l.words); words[d] > words[best] {
			best = d
		}
	}
	return best
}

// runs reports whether a line runs in the tabulator's direction.
func (t *tabulator) runs(l line) bool { return l.ux*t.ux+l.uy*t.uy > .999 }

// left is what remains of a line beside the tables.
func (t *tabulator) left(i int) string {
	l := t.lines[i]
	if len(t.gone) == 0 {
		return l.text
	}
	var kept []string
	for w := range l.words {
		if !t.gone[at{i, w}] {
			kept = append(kept, l.word(w))
		}
	}
	if len(kept) == len(l.words) {
		return l.text
	}
	return strings.Join(kept, " ")
}

// take makes a table of rows of words, if it looks like one.
func (t *tabulator) take(rows [][][]at, text [][]string) bool {
	text = withoutBlank(text)
	if !looksLikeTable(text) || !marksATable(text) {
		return false
	}
	first, b := len(t.lines), emptyBox()
	for _, row := range rows {
		for _, cell := range row {
			for _, w := range cell {
				t.gone[w] = true
				first = min(first, w.line)
				b = b.with(t.boxOf(w))
			}
		}
	}
	t.found = append(t.found, found{first, mdtable.Render(text), b, t.boxesOf(rows)})
	return true
}

// isPart reports whether words are only a part of their rows: most of the lines
// they are in go on outside of them.
func (t *tabulator) isPart(rows [][][]at) bool {
	inside := map[int]int{}
	for _, row := range rows {
		for _, cell := range row {
			for _, w := range cell {
				inside[w.line]++
			}
		}
	}
	parts := 0
	for i, n := range inside {
		left := len(t.lines[i].words) - n
		for w := range t.lines[i].words {
			left -= btoi(left > 0 && t.gone[at{i, w}])
		}
		parts += btoi(left > 0)
	}
	return partShare*float64(len(inside)) < float64(parts)
}

// text joins the words of a cell; a word split at a line's end is whole again.
func (t *tabulator) text(words []at) string {
	var b []byte
	for i, w := range words {
		s := t.lines[w.line].word(w.word)
		if i == 0 {
			b = append(b, s...)
			continue
		}
		if last := words[i-1]; last.line != w.line && splitsWord(t.lines[last.line].word(last.word), s) {
			b, _ = rejoin(b, t.lines[last.line].word(last.word), s)
			continue
		}
		b = append(append(b, ' '), s...)
	}
	return string(b)
}

// texts joins the words of every cell.
func (t *tabulator) texts(rows [][][]at) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		out[i] = make([]string, len(row))
		for j, cell := range row {
			out[i][j] = t.text(cell)
		}
	}
	return out
}

// withoutBlank drops rows and columns without text.
func withoutBlank(rows [][]string) [][]string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row []string) bool {
		return !slices.ContainsFunc(row, func(s string) bool { return s != "" })
	})
	if len(rows) == 0 {
		return nil
	}
	out := make([][]string, len(rows))
	for column := range rows[0] {
		if !slices.ContainsFunc(rows, func(row []string) bool { return row[column] != "" }) {
			continue
		}
		for i, row := range rows {
			out[i] = append(out[i], row[column])
		}
	}
	return out
}

// looksLikeTable judges rows of the same length.
func looksLikeTable(rows [][]string) bool {
	if len(rows) < 2 || len(rows[0]) < 2 {
		return false
	}
	filled, words, broad := 0, 0, 0
	for _, row := range rows {
		cells := 0
		for _, s := range row {
			n := len(strings.Fields(s))
			if n > maxCellWords {
				return false
			}
			words += n
			cells += min(n, 1)
		}
		filled += cells
		broad += min(cells/2, 1)
	}
	return broad >= 2 && float64(filled) >= minFilled*float64(len(rows)*len(rows[0])) && words <= maxMeanWords*filled
}
