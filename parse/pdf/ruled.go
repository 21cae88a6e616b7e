package pdf

import (
	"cmp"
	"slices"
)

// ruled makes a table of the words that are inside a grid, if they look like
// one, and reports whether they did. Of a grid whose cells hold columns of their
// own that is left to what reads tables without rules, and asked again later.
func (t *tabulator) ruled(g *grid, again bool) bool {
	rows, columns := len(g.ys)-1, len(g.xs)-1
	edges := rows * columns * (len(g.over) + len(g.down))
	if rows*columns > maxCells || edges > maxEdges {
		return false
	}
	t.doc.charge((t.words + edges) / 64)
	cells := make([][][]at, rows)
	for i := range cells {
		cells[i] = make([][]at, columns)
	}
	for i, l := range t.lines {
		for w, word := range l.words {
			m := t.middle(l, word)
			row, column, inside := g.cell(m.x, m.y)
			if inside && !t.gone[at{i, w}] {
				cells[row][column] = append(cells[row][column], at{i, w})
			}
		}
	}
	if t.isPart(cells) || !again && t.hides(cells) {
		return false
	}
	merged := g.merge(cells)
	if merged == nil {
		return false
	}
	split := make([][][]at, 0, rows)
	var bare, full [][]string
	for i, row := range cells {
		parts := t.splitRow(row, g.xs)
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
	return t.take(split, full)
}

// hides reports whether a cell holds columns that no rule parts: at least half of
// its lines have wide gaps.
func (t *tabulator) hides(cells [][][]at) bool {
	return slices.ContainsFunc(cells, func(row [][]at) bool { return slices.ContainsFunc(row, t.hidesColumns) })
}

func (t *tabulator) hidesColumns(cell []at) bool {
	lines, wide := 1, 0
	counted := false
	for i := 1; i < len(cell); i++ {
		w, before := cell[i], cell[i-1]
		switch {
		case w.line != before.line:
			lines, counted = lines+1, false
		case !counted && t.word(w).x0-t.word(before).x1 > hiddenGap*t.lines[w.line].size:
			wide, counted = wide+1, true
		}
	}
	return wide > 1 && 2*wide >= lines
}

// middle tells where a word of a line is: by its own middle, or by that of
// the line where that is turned against the page, as a narrow column's head is.
func (t *tabulator) middle(l line, w word) point {
	y := l.across() + .3*l.size
	if t.runs(l) {
		return point{(w.x0 + w.x1) / 2, y}
	}
	x := (l.words[0].x0 + l.words[len(l.words)-1].x1) / 2
	onPage := point{x*l.ux - y*l.uy, x*l.uy + y*l.ux}
	return point{t.along(onPage), t.across(onPage)}
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

// hiddenGap is the width, in font sizes, of a gap that parts columns inside of a
// cell.
const hiddenGap = 3

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

// repeated returns the texts of a row; a merged cell's words are in each of
// its cells, since they are labels, but its numbers and a title that is alone in
// its row are once.
func (t *tabulator) repeated(cells [][][]at, merged [][]place, row int) []string {
	out := make([]string, len(merged[row]))
	alone := !slices.ContainsFunc(merged[row], func(p place) bool { return p != merged[row][0] })
	for column, from := range merged[row] {
		text := t.text(cells[from.row][from.column])
		if (place{row, column}) == from || !alone && len(text) <= maxRepeated && wordy(text) {
			out[column] = text
		}
	}
	return out
}

// splitRow parts a row of a grid that holds several rows of the table: one
// with rules below its header and at its end only, or whose first columns stand
// for several rows of the others. The lines of its cells are at the same
// heights, and they are no running text that was broken to the cell's width.
func (t *tabulator) splitRow(row [][]at, xs []float64) [][][]at {
	heights, whole := t.shared(row)
	if len(heights) < 2 || len(heights) > maxTabRows || !t.apart(row, whole, xs) {
		return [][][]at{row}
	}
	out := make([][][]at, len(heights))
	for i := range out {
		out[i] = make([][]at, len(row))
	}
	for column, cell := range row {
		if whole[column] {
			for i := range out {
				out[i][column] = cell
			}
			continue
		}
		for _, w := range cell {
			y := t.lines[w.line].across()
			i := slices.IndexFunc(heights, func(h float64) bool { return near(h, y, t.lines[w.line].size) })
			out[max(i, 0)][column] = append(out[max(i, 0)][column], w)
		}
	}
	return out
}

// shared returns the heights at which the cells of a row have their lines. A
// cell of one short line at none of them stands for the whole row. Without such
// heights there are none.
func (t *tabulator) shared(row [][]at) (heights []float64, whole []bool) {
	all := make([][]float64, len(row))
	whole = make([]bool, len(row))
	for i, cell := range row {
		if all[i] = t.heights(cell); len(all[i]) > len(heights) {
			heights = all[i]
		}
	}
	level, single := 0, 0
	for i, own := range all {
		switch {
		case len(own) == 0:
		case t.level(heights, own):
			level++
		case len(own) == 1 && own[0] < heights[0] && own[0] > heights[len(heights)-1] && len(t.text(row[i])) <= maxRepeated:
			whole[i] = true
			single++
		default:
			return nil, nil
		}
	}
	if level < 2 || single > level {
		return nil, nil
	}
	return heights, whole
}

// apart reports whether the lines of a row's cells are rows of their own: in
// most of them a line ends although there was room for the next word, or a number
// is below a number. The items of a list are no rows.
func (t *tabulator) apart(row [][]at, whole []bool, xs []float64) bool {
	judged, own := 0, 0
	for column, cell := range row {
		if whole[column] || len(cell) == 0 {
			continue
		}
		width := xs[column+1] - xs[column]
		for i := 1; i < len(cell); i++ {
			if cell[i].line == cell[i-1].line {
				continue
			}
			judged++
			if isBullet(t.text(cell[i : i+1])) {
				continue
			}
			from := t.word(cell[i-t.inLine(cell[:i])])
			before, after := t.word(cell[i-1]), t.word(cell[i])
			if before.x1-from.x0+after.x1-after.x0+t.lines[cell[i].line].size < width || isNumber(t.text(cell[i-1:i])) && isNumber(t.text(cell[i:i+1])) {
				own++
			}
		}
	}
	return judged > 0 && 3*own >= 2*judged
}

// inLine counts the words at the end of a cell that are in one line.
func (t *tabulator) inLine(cell []at) (n int) {
	last := cell[len(cell)-1].line
	for n < len(cell) && cell[len(cell)-1-n].line == last {
		n++
	}
	return n
}

func (t *tabulator) word(w at) word { return t.lines[w.line].words[w.word] }

// heights lists where the lines of a cell are, from the top.
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
