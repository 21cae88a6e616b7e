package pdf

import "math"

// gutters finds the columns of a frame. Rows that run through most of the others'
// gaps are headers over several columns and have no say; where there are many of
// them, or where there are two columns only, they are text and there is no table.
func (t *tabulator) gutters(rows []tableRow) []strip {
	most := 0
	for _, r := range rows {
		most = max(most, len(r.strips))
	}
	var columns []strip
	for _, r := range rows {
		if 2*len(r.strips) > most {
			columns = overlay2(columns, r.strips)
		}
	}
	across := 0
	for _, r := range rows {
		if len(overlay2(columns, r.strips)) < len(columns) {
			across++
		}
	}
	if across*acrossShare > len(rows) || across > 0 && len(columns) < minColumns {
		return nil
	}
	return columns
}

// acrossShare: a frame in which more than one row in this many runs through the
// gaps of the others holds text.
const acrossShare = 4

// maxGaps bounds the gaps that are looked at in one column.
const maxGaps = 16

// refine parts columns where no row has a word across: a wide number may reach
// so near to the label before it that both looked like one strip. The strips of
// rows are parted there too.
func (t *tabulator) refine(rows []tableRow, columns []strip) []strip {
	var out []strip
	for _, column := range columns {
		parts := t.wordsOf(rows, column)
		for i := 1; i < min(len(parts), maxGaps); i++ {
			if t.isGutter(rows, parts[i-1].x1, parts[i].x0, column) {
				left := column
				left.x1, column.x0 = parts[i-1].x1, parts[i].x0
				out = append(out, left)
				t.part(rows, left.x1, column.x0)
			}
		}
		out = append(out, column)
	}
	return out
}

// wordsOf lays the words of a column over each other.
func (t *tabulator) wordsOf(rows []tableRow, column strip) []strip {
	var words []strip
	for _, r := range rows {
		for _, s := range r.strips {
			if s.x0 > column.x1 || s.x1 < column.x0 {
				continue
			}
			for _, a := range s.words {
				w := t.word(a)
				words = append(words, strip{x0: w.x0, x1: w.x1})
			}
		}
	}
	return overlay2(words, nil)
}

// isGutter reports whether the gap from x0 to x1 parts most rows of a column,
// and parts most of these widely.
func (t *tabulator) isGutter(rows []tableRow, x0, x1 float64, column strip) bool {
	both, wide := 0, 0
	for _, r := range rows {
		left, right := math.Inf(-1), math.Inf(1)
		for _, s := range r.strips {
			if s.x0 > column.x1 || s.x1 < column.x0 {
				continue
			}
			for _, a := range s.words {
				switch w := t.word(a); {
				case w.x1 <= x0:
					left = max(left, w.x1)
				case w.x0 >= x1:
					right = min(right, w.x0)
				}
			}
		}
		if gap := right - left; !math.IsInf(gap, 0) {
			both++
			if gap > columnGap*r.size {
				wide++
			}
		}
	}
	return 2*both > len(rows) && 2*wide >= both
}

// part splits the strips that reach over the gap from x0 to x1.
func (t *tabulator) part(rows []tableRow, x0, x1 float64) {
	for i := range rows {
		r := &rows[i]
		for j := range r.strips {
			s := r.strips[j]
			if s.x0 >= x1 || s.x1 <= x0 {
				continue
			}
			left, right := strip{x0: s.x0, x1: x0}, strip{x0: x1, x1: s.x1}
			for _, a := range s.words {
				if t.word(a).x1 <= x0 {
					left.words = append(left.words, a)
				} else {
					right.words = append(right.words, a)
				}
			}
			r.strips[j] = left
			r.strips = append(r.strips, right)
		}
	}
}
