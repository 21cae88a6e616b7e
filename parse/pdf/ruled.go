package pdf

import (
	"cmp"
	"slices"
)

// ruled makes a table of the words that stand inside a grid.
func (t *tabulator) ruled(g *grid) {
	rows, columns := len(g.ys)-1, len(g.xs)-1
	edges := rows * columns * (len(g.over) + len(g.down))
	if rows*columns > maxCells || edges > maxEdges {
		return
	}
	t.doc.charge((t.words + edges) / 64)
	cells := make([][][]at, rows)
	for i := range cells {
		cells[i] = make([][]at, columns)
	}
	for i, l := range t.lines {
		if !t.runs(l) {
			continue
		}
		y := l.across() + .3*l.size
		for w, word := range l.words {
			row, column, inside := g.cell((word.x0+word.x1)/2, y)
			if inside && !t.gone[at{i, w}] {
				cells[row][column] = append(cells[row][column], at{i, w})
			}
		}
	}
	merged := g.merge(cells)
	if merged == nil {
		return
	}
	split := make([][][]at, 0, rows)
	var bare, full [][]string
	for i, row := range cells {
		parts := t.splitRow(row)
		split = append(split, parts...)
		once := t.texts(parts)
		bare = append(bare, once...)
		if len(parts) == 1 {
			once = [][]string{t.repeated(cells, merged, i)}
		}
		full = append(full, once...)
	}
	if textBytes(full) > 3*textBytes(bare)/2 {
		full = bare // more repeated than said
	}
	t.take(split, full)
}

// textBytes is how much text cells hold.
func textBytes(rows [][]string) (n int) {
	for _, row := range rows {
		for _, s := range row {
			n += len(s)
		}
	}
	return n
}

// maxRepeated is the longest text, in bytes, that is repeated in merged cells:
// labels are, paragraphs are not.
const maxRepeated = 80

// place is a cell of a grid.
type place struct{ row, column int }

// merge moves the words of cells without a rule between them into the first of
// them, and returns that first cell for each; nil if one cell is most of the
// grid.
func (g *grid) merge(cells [][][]at) [][]place {
	rows, columns := len(cells), len(cells[0])
	sets := g.open(rows, columns)
	firsts, sizes := map[int]place{}, map[int]int{}
	out := make([][]place, rows)
	for r := range rows {
		for c := range columns {
			root := sets.root(r*columns + c)
			first, known := firsts[root]
			if !known {
				first = place{r, c}
				firsts[root] = first
			} else {
				cells[first.row][first.column] = append(cells[first.row][first.column], cells[r][c]...)
				cells[r][c] = nil
			}
			if sizes[root]++; sizes[root] > max(rows, columns) && 2*sizes[root] > rows*columns {
				return nil
			}
			out[r] = append(out[r], first)
		}
	}
	for _, first := range firsts {
		slices.SortFunc(cells[first.row][first.column], func(a, b at) int {
			return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.word, b.word))
		})
	}
	return out
}

// open groups the cells, counted row by row, that no rule parts.
func (g *grid) open(rows, columns int) *groups {
	sets := newGroups(rows * columns)
	for r := range rows {
		for c := range columns {
			if c+1 < columns && !g.wall(r, c) {
				sets.join(r*columns+c+1, r*columns+c)
			}
			if r+1 < rows && !g.floor(r, c) {
				sets.join((r+1)*columns+c, r*columns+c)
			}
		}
	}
	return sets
}

// repeated returns the texts of a row; a merged cell's text stands in each of
// its cells, but a title that is alone in its row stands once.
func (t *tabulator) repeated(cells [][][]at, merged [][]place, row int) []string {
	out := make([]string, len(merged[row]))
	alone := !slices.ContainsFunc(merged[row], func(p place) bool { return p != merged[row][0] })
	for column, from := range merged[row] {
		text := t.text(cells[from.row][from.column])
		if (place{row, column}) == from || !alone && len(text) <= maxRepeated {
			out[column] = text
		}
	}
	return out
}

// splitRow parts a row of a grid whose cells all have the same number of lines
// at the same heights: a table with rules below its header and at its end only.
func (t *tabulator) splitRow(row [][]at) [][][]at {
	var heights []float64
	filled := 0
	for _, cell := range row {
		if len(cell) == 0 {
			continue
		}
		own := t.heights(cell)
		if filled++; filled > 1 && !t.level(heights, own) {
			return [][][]at{row}
		}
		heights = own
	}
	if filled < 2 || len(heights) < 2 || len(heights) > maxTabRows {
		return [][][]at{row}
	}
	out := make([][][]at, len(heights))
	for i := range out {
		out[i] = make([][]at, len(row))
	}
	for column, cell := range row {
		for _, w := range cell {
			y := t.lines[w.line].across()
			i := slices.IndexFunc(heights, func(h float64) bool { return near(h, y, t.lines[w.line].size) })
			out[max(i, 0)][column] = append(out[max(i, 0)][column], w)
		}
	}
	return out
}

// heights lists where the lines of a cell stand, from the top.
func (t *tabulator) heights(cell []at) []float64 {
	var out []float64
	for _, w := range cell {
		l := t.lines[w.line]
		if len(out) > maxTabRows {
			break
		}
		if y := l.across(); !slices.ContainsFunc(out, func(h float64) bool { return near(h, y, l.size) }) {
			out = append(out, y)
		}
	}
	slices.SortFunc(out, func(a, b float64) int { return cmp.Compare(b, a) })
	return out
}

// level reports whether two cells have their lines at the same heights.
func (t *tabulator) level(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return near(x, y, 8) })
}

// near reports whether two heights are those of one line of the given size.
func near(a, b, size float64) bool { return a-b < .4*size && b-a < .4*size }
