package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// statement is a statement whose columns are known.
type statement struct {
	*tabulator
	labels []strip // the columns of labels, most often one
	own    []strip // the columns of amounts
	lands  []strip // the stretches that belong to them
	left   float64 // where it begins
}

// newStatement measures the columns of a statement by its core, the entries from
// the first to the last with amounts.
func (t *tabulator) newStatement(core []entry, columns []strip) *statement {
	st := &statement{tabulator: t, own: columns, lands: territories(columns), labels: labelColumns(core), left: math.Inf(1)}
	for _, e := range core {
		st.left = min(st.left, e.left())
	}
	return st
}

// labelColumns are the columns into which labels fall: one, unless most entries
// have a text in each of several.
func labelColumns(core []entry) []strip {
	var columns []strip
	rows := 0
	for _, e := range core {
		if len(e.amounts) > 0 {
			columns = overlay2(columns, e.label)
			rows++
		}
	}
	for _, c := range columns {
		filled := 0
		for _, e := range core {
			filled += btoi(len(e.amounts) > 0 && meetsAny([]strip{c}, e.label))
		}
		if 3*filled < 2*rows {
			columns = nil
			break
		}
	}
	if len(columns) < 2 {
		return []strip{{x0: math.Inf(-1), x1: math.Inf(1)}}
	}
	return columns
}

// territories are the stretches in which what is belongs to each column of
// amounts: from the end of the one before to its own. Amounts end below each
// other, heads are anywhere over them.
func territories(columns []strip) []strip {
	out := make([]strip, len(columns))
	for i, c := range columns {
		from := c.x0 - 2*(c.x1-c.x0)
		switch {
		case i > 0:
			from = columns[i-1].x1
		case len(columns) > 1:
			from = min(c.x0, c.x1-(columns[1].x1-c.x1))
		}
		out[i] = strip{x0: min(from, c.x0), x1: c.x1}
	}
	return out
}

// under lists for each strip of a head the columns of amounts that it is over.
func (st *statement) under(strips []strip) [][]int {
	if shared := st.shared(strips); shared != nil {
		return shared
	}
	out := make([][]int, len(strips))
	for n, s := range strips {
		for i, l := range st.lands {
			shared := min(s.x1, l.x1) - max(s.x0, l.x0)
			if 2*shared >= min(s.x1-s.x0, l.x1-l.x0) && shared > 0 {
				out[n] = append(out[n], i)
			}
		}
	}
	return out
}

// shared deals the columns out to the strips that are nearest to them, if each
// strip then is in the middle over its columns; else it returns nil.
func (st *statement) shared(strips []strip) [][]int {
	out := make([][]int, len(strips))
	for c, own := range st.own {
		near := -1
		for n, s := range strips {
			if s.x1 > st.lands[0].x0 && (near < 0 || math.Abs(middleOf(s)-middleOf(own)) < math.Abs(middleOf(strips[near])-middleOf(own))) {
				near = n
			}
		}
		if near < 0 {
			return nil
		}
		out[near] = append(out[near], c)
	}
	for n, on := range out {
		if len(on) < 2 {
			continue
		}
		all := strip{x0: st.own[on[0]].x0, x1: st.own[on[len(on)-1]].x1}
		if math.Abs(middleOf(strips[n])-middleOf(all)) > offMiddle*(all.x1-all.x0) {
			return nil
		}
	}
	return out
}

func middleOf(s strip) float64 { return (s.x0 + s.x1) / 2 }

// tail adds the lines of a label that goes on below its amounts.
func (st *statement) tail(entries []entry, end int) int {
	for end < len(entries) {
		e, last := entries[end], entries[end-1]
		if len(e.amounts) > 0 || len(e.row.strips) == 0 || e.right() > st.lands[0].x0 || !st.wraps(last, e) {
			break
		}
		end++
	}
	return end
}

// wraps reports whether below goes on with the label of above.
func (t *tabulator) wraps(above, below entry) bool {
	if len(above.label) == 0 || len(below.label) == 0 {
		return false
	}
	step := above.row.y - below.row.y
	last, first := t.text(above.label[len(above.label)-1].words), t.text(below.label[0].words)
	return step > 0 && step < wrapStep*max(above.row.size, below.row.size) && !strings.HasSuffix(last, ":") && startsSmall(first)
}

// startsSmall reports whether a text begins with a small letter.
func startsSmall(s string) bool {
	for _, r := range s {
		return unicode.IsLower(r)
	}
	return false
}

// heads returns the entry at which the header begins of the statement whose first
// amounts are those of entry i. Titles of groups may be between them.
func (st *statement) heads(entries []entry, floor, i int) int {
	begin := i
	for n := i - 1; n >= floor && i-n <= maxHeads; n-- {
		e, below := entries[n], entries[n+1]
		step := e.row.y - below.row.y
		if len(e.row.strips) == 0 || step <= 0 || step > rowPitch*max(e.row.size, below.row.size) {
			break
		}
		switch {
		case st.isHead(e):
			begin = n
		case begin < i || e.right() > st.lands[0].x1:
			return begin
		}
	}
	return begin
}

// isHead reports whether an entry is over the columns of the statement as a
// row of its header does.
func (st *statement) isHead(e entry) bool {
	first, right := st.lands[0], st.lands[len(st.lands)-1].x1
	heads := 0
	under := st.under(e.row.strips)
	for i, s := range e.row.strips {
		on := under[i]
		switch n := len(strings.Fields(st.text(s.words))); {
		case n > headWords, s.x0 > right:
			return false
		case len(on) == 0 && s.x1 <= first.x1:
		case len(on) == 0, s.x0 < first.x0-(first.x1-first.x0):
			return false
		default:
			heads++
		}
	}
	if len(e.row.strips) == 1 && len(st.lands) > 1 && len(under[0]) == 1 {
		return math.Abs(e.left()+e.right()-st.left-right) > 8*e.row.size // else it is the title
	}
	return heads > 0
}

// rows puts the words of entries, of which the first are heads, into the columns
// of labels and of amounts. The lines of a wrapped label are one row.
func (st *statement) rows(entries []entry, heads int) [][][]at {
	var out [][][]at
	for i, e := range entries {
		row := make([][]at, len(st.labels)+len(st.lands))
		strips := e.row.strips
		if i >= heads {
			st.label(row, e)
			strips = e.amounts
		}
		for _, s := range strips {
			c := st.column(s)
			row[c] = append(row[c], s.words...)
		}
		if n := len(out); i > 0 && len(e.label) > 0 && st.goesOn(entries[i-1], e) {
			for c := range row {
				out[n-1][c] = slices.Concat(out[n-1][c], row[c])
			}
			continue
		}
		out = append(out, row)
	}
	return out
}

// label puts the label of an entry into a row. An amount at its end that is in
// the first column of amounts goes there: a wide one may reach near to the label.
func (st *statement) label(row [][]at, e entry) {
	for i, s := range e.label {
		c := st.labelColumn(s)
		n := len(s.words) - 1
		if i == len(e.label)-1 && n > 0 && math.Abs(s.x1-st.lands[0].x1) <= e.row.size && isAmount(st.text(s.words[n:])) {
			row[len(st.labels)] = s.words[n:]
			s.words = s.words[:n]
		}
		row[c] = append(row[c], s.words...)
	}
}

// goesOn reports whether two entries are one row: one of them is a line of the
// other's label.
func (t *tabulator) goesOn(above, below entry) bool {
	return (len(above.amounts) == 0 || len(below.amounts) == 0) && t.wraps(above, below)
}

// column returns the column of a strip, those of labels first.
func (st *statement) column(s strip) int {
	best, most := -1, 0.0
	for i, l := range st.lands {
		if shared := min(s.x1, l.x1) - max(s.x0, l.x0); shared > most {
			best, most = i, shared
		}
	}
	switch {
	case best >= 0:
		return len(st.labels) + best
	case s.x1 > st.lands[len(st.lands)-1].x1:
		return len(st.labels) + len(st.lands) - 1
	}
	return st.labelColumn(s)
}

// labelColumn returns the column of labels that a strip belongs to.
func (st *statement) labelColumn(s strip) int {
	c := 0
	for i, l := range st.labels {
		if s.x1 > l.x0 {
			c = i
		}
		if s.x0 < l.x1 {
			break
		}
	}
	return c
}

// spread returns the texts of rows; a head that is over several columns
// is in each of them.
func (st *statement) spread(heads []entry, rows [][][]at) [][]string {
	text := st.texts(rows)
	for i, e := range heads[:min(len(heads), len(text))] {
		for n, on := range st.under(e.row.strips) {
			for _, c := range on {
				if cell := &text[i][len(st.labels)+c]; *cell == "" {
					*cell = st.text(e.row.strips[n].words)
				}
			}
		}
	}
	return text
}
