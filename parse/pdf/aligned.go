package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Tables without rules between their cells are rows of words with gaps that lie
// below each other. Distances are in font sizes.
const (
	columnGap   = 1.1 // between the columns of a table that no rule marks
	bookGap     = .5  // between the columns of a table that rules begin and end
	rowPitch    = 3.2 // greatest distance of two rows
	minRows     = 3
	maxAligned  = 8 // mean words of a cell
	maxTabRows  = 500
	maxStrips   = 200 // of one row
	minOccupied = .6
	sameExtent  = 4 // points by which rules of one table may differ in length
)

// strip is a stretch of words without a column's gap between them.
type strip struct {
	x0, x1 float64
	words  []at
}

// tableRow is what is at one height.
type tableRow struct {
	strips []strip
	y      float64
	size   float64
}

// framedTables makes tables of rows that no grid holds but horizontal rules
// enclose.
func (t *tabulator) framedTables(over []span) {
	found := frames(over)
	t.doc.charge(min(len(found), maxGrids) * t.words / 64)
	for _, frame := range found[:min(len(found), maxGrids)] {
		t.framed(frame)
	}
}

// aligned makes tables of rows whose gaps alone lie below each other.
func (t *tabulator) aligned() {
	rows := t.rows(columnGap, nil)
	for i := 0; i < len(rows); {
		columns, n := t.run(rows[i:])
		t.alignedTable(rows[i:i+n], columns)
		i += max(n, 1)
	}
}

// rows gathers the words outside of tables, and inside of the frame where there
// is one, into rows as they stand on the page, in the order in which they are
// shown.
func (t *tabulator) rows(gap float64, in *frame) []tableRow {
	var rows []tableRow
	for i, l := range t.lines {
		if !t.runs(l) {
			rows = append(rows, tableRow{}) // a row of nothing ends a run
			continue
		}
		y := l.across()
		for w, word := range l.words {
			a := at{i, w}
			if t.gone[a] || in != nil && !in.holds(word, y+.3*l.size) {
				continue
			}
			n := len(rows)
			if n == 0 || !near(rows[n-1].y, y, max(l.size, rows[n-1].size)) {
				rows = append(rows, tableRow{y: y, size: l.size})
				n++
			}
			rows[n-1].add(word, a, gap*l.size)
		}
	}
	return rows
}

// add puts a word into the row, to the strip it is near to.
func (r *tableRow) add(w word, a at, gap float64) {
	for i := range slices.Backward(r.strips) {
		s := &r.strips[i]
		if len(r.strips) > maxStrips || w.x0-s.x1 < gap && s.x0-w.x1 < gap { // a row of too many is none of a table
			s.x0, s.x1 = min(s.x0, w.x0), max(s.x1, w.x1)
			s.words = append(s.words, a)
			return
		}
	}
	r.strips = append(r.strips, strip{w.x0, w.x1, []at{a}})
}

// run takes rows from the front as long as their strips fall into columns that
// do not run together. It returns the columns, from left to right.
func (t *tabulator) run(rows []tableRow) (columns []strip, n int) {
	for n < len(rows) && n < maxTabRows {
		r := rows[n]
		if len(r.strips) == 0 || n == 0 && len(r.strips) < 2 || n > 0 && !follows(rows[n-1], r) {
			break
		}
		next := overlay2(columns, r.strips)
		if len(next) < max(len(columns), 2) || n < minRows && len(next) < len(r.strips) && !t.fits(rows[:n], r) {
			break // it has gaps where the columns have none, or the other way round
		}
		columns = next
		n++
	}
	return columns, n
}

// fits reports whether the gaps of a row are gaps between words in all rows
// above it too.
func (t *tabulator) fits(above []tableRow, below tableRow) bool {
	all := strip{x0: math.Inf(-1), x1: math.Inf(1)}
	words := t.wordsOf(append(slices.Clone(above), below), all)
	strips := overlay2(below.strips, nil)
	for i := 1; i < len(strips); i++ {
		left, right := strips[i-1].x1, strips[i].x0
		if !slices.ContainsFunc(words, func(w strip) bool { return w.x1 >= left && w.x1 < right }) {
			return false
		}
	}
	return true
}

// follows reports whether below is the next row under above.
func follows(above, below tableRow) bool {
	d := above.y - below.y
	return d > 0 && d < rowPitch*max(above.size, below.size)
}

// overlay2 lays the strips of a row over the columns so far; what overlaps
// becomes one.
func overlay2(columns, row []strip) []strip {
	all := make([]strip, 0, len(columns)+len(row))
	for _, s := range columns {
		all = append(all, strip{x0: s.x0, x1: s.x1})
	}
	for _, s := range row {
		all = append(all, strip{x0: s.x0, x1: s.x1})
	}
	slices.SortFunc(all, func(a, b strip) int { return cmp.Compare(a.x0, b.x0) })
	out := all[:0]
	for _, s := range all {
		if n := len(out); n > 0 && s.x0 < out[n-1].x1 {
			out[n-1].x1 = max(out[n-1].x1, s.x1)
			continue
		}
		out = append(out, s)
	}
	return out
}

// alignedTable makes a table of rows that no rule marks, if they read like one.
func (t *tabulator) alignedTable(rows []tableRow, columns []strip) {
	if len(rows) < minRows || len(columns) < 2 {
		return
	}
	columns = t.refine(rows, columns)
	cells := cellsIn(rows, columns)
	first, end := trimmed(cells)
	cells = cells[first:end]
	if text := withoutBlank(t.texts(cells)); len(text) > 0 && readsLikeTable(text) {
		t.take(cells, text)
	}
}

// cellsIn puts the words of rows into columns.
func cellsIn(rows []tableRow, columns []strip) [][][]at {
	out := make([][][]at, len(rows))
	for i, r := range rows {
		out[i] = make([][]at, len(columns))
		for _, s := range r.strips {
			c := slices.IndexFunc(columns, func(c strip) bool { return s.x0 < c.x1 && s.x1 > c.x0 || s.x0 == c.x0 })
			out[i][max(c, 0)] = append(out[i][max(c, 0)], s.words...)
		}
	}
	return out
}

// frame is a region between two horizontal rules of the same extent.
type frame struct {
	x0, x1, top, bottom float64
	within              []float64 // heights of rules of that extent between them
}

func (f *frame) holds(w word, y float64) bool {
	return w.x0 >= f.x0-sameExtent && w.x1 <= f.x1+sameExtent && y < f.top && y > f.bottom
}

// frames pairs the outermost of rules that begin and end at the same places.
func frames(over []span) []frame {
	slices.SortFunc(over, func(a, b span) int { return cmp.Compare(b.at, a.at) })
	var out []frame
	used := make([]bool, len(over))
	if len(over) > maxTabRows {
		return nil
	}
	for i, s := range over {
		if used[i] {
			continue
		}
		f := frame{x0: s.from, x1: s.to, top: s.at, bottom: s.at}
		for j := i + 1; j < len(over); j++ {
			o := over[j]
			if !used[j] && math.Abs(o.from-s.from) < sameExtent && math.Abs(o.to-s.to) < sameExtent {
				used[j] = true
				f.within = append(f.within, f.bottom)
				f.bottom = o.at
			}
		}
		if len(f.within) > 1 {
			out = append(out, f)
		}
	}
	return out
}

// framed makes a table of what is between the rules of a frame.
func (t *tabulator) framed(f frame) {
	rows := t.rows(bookGap, &f)
	rows = slices.DeleteFunc(rows, func(r tableRow) bool { return len(r.strips) == 0 })
	slices.SortStableFunc(rows, func(a, b tableRow) int { return cmp.Compare(b.y, a.y) })
	if len(rows) < 2 || len(rows) > maxTabRows {
		return
	}
	for i := 1; i < len(rows); i++ {
		if !follows(rows[i-1], rows[i]) {
			return
		}
	}
	columns := t.gutters(rows)
	if e := t.entryOf(rows[0]); len(columns) < 2 || len(e.label) > 0 && len(e.amounts) > 0 && !e.years {
		return // the second: its header is above the frame
	}
	cells := cellsIn(rows, columns)
	if t.isPart(cells) {
		return
	}
	text := t.texts(cells)
	filled, words := 0, 0
	for _, row := range text {
		for _, s := range row {
			filled += min(len(s), 1)
			words += len(strings.Fields(s))
		}
	}
	if 2*filled >= len(rows)*len(columns) && words <= 2*maxAligned*filled {
		t.take(cells, text)
	}
}
