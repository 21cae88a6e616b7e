package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// A statement is a table of labels and of amounts to their right, as annual
// reports and price lists have them. Rules, where it has any, underline sums and
// part nothing; what marks it is that amounts lie below each other. Distances are
// in font sizes.
const (
	amountGap     = .55 // between the label and an amount, and between amounts
	statementStep = 4.6 // greatest distance of two rows with amounts
	sameRow       = .9  // a label and its amounts, set on different lines, are this near
	wrapStep      = 1.4 // between the lines of a wrapped label
	minStatement  = 3   // rows with amounts
	maxBetween    = 4   // rows without amounts between two that have some
	maxHeads      = 6   // rows of a header
	headWords     = 9   // words over one column
	maxLabel      = 40  // words of a label
	besideWords   = 4   // words of a text to the right of an amount
	offMiddle     = .2  // share of the width of its columns by which a head may be off their middle
	shownLast     = 24  // rows in which one that is shown later may have its place
)

// entry is a row of a page as a statement sees it: a label and amounts.
type entry struct {
	row     tableRow
	label   []strip
	amounts []strip
	mixed   bool // a text is to the right of an amount
	prose   bool // it is too long for a cell
	years   bool // all amounts are years: a header
}

// statements makes tables of the statements among the words that are in none.
func (t *tabulator) statements() {
	entries := t.entries()
	t.doc.charge(len(entries))
	floor := 0
	for i := 0; i < len(entries); {
		if end := t.statement(entries, floor, i); end > 0 {
			floor, i = end, end
		} else {
			i++
		}
	}
}

// entries reads the rows of a page as entries. Cells may be shown one after the
// other: what is at the height of one of the rows shown last belongs to it, and a
// row between two of them goes there.
func (t *tabulator) entries() []entry {
	var rows []tableRow
	first := 0 // the rows before it are closed
	for _, r := range t.rows(amountGap, nil) {
		if len(r.strips) == 0 {
			rows = append(rows, r)
			first = len(rows)
			continue
		}
		rows = withRow(rows, max(first, len(rows)-shownLast), r)
	}
	var out []entry
	for _, r := range rows {
		e := t.entryOf(r)
		if n := len(out); n > 0 && out[n-1].joins(e) {
			e = out[n-1].with(e)
			out = out[:n-1]
		}
		out = append(out, e)
	}
	return out
}

// withRow puts a row among the rows from first on, which lie below each other.
func withRow(rows []tableRow, first int, r tableRow) []tableRow {
	for i := len(rows) - 1; i >= first; i-- {
		o := &rows[i]
		switch {
		case near(o.y, r.y, max(o.size, r.size)):
			if !meetsAny(o.strips, r.strips) {
				o.strips = append(o.strips, r.strips...)
				return rows
			}
			return append(rows, r)
		case o.y > r.y:
			return slices.Insert(rows, i+1, r)
		}
	}
	return append(rows, r)
}

// meetsAny reports whether a strip of one row overlaps one of another.
func meetsAny(a, b []strip) bool {
	return slices.ContainsFunc(a, func(s strip) bool {
		return slices.ContainsFunc(b, func(o strip) bool { return s.x0 < o.x1 && o.x0 < s.x1 })
	})
}

// entryOf parts the strips of a row into the label and the amounts.
func (t *tabulator) entryOf(r tableRow) entry {
	e := entry{row: r}
	strips := slices.Clone(r.strips)
	slices.SortFunc(strips, func(a, b strip) int { return cmp.Compare(a.x0, b.x0) })
	e.row.strips = strips
	var sign *strip
	for i, s := range strips {
		words := strings.Fields(t.text(s.words))
		n := len(e.amounts)
		switch {
		case len(words) == 1 && beforeAmount(words[0]) && i+1 < len(strips):
			sign = &strips[i]
			continue
		case len(words) == 1 && afterAmount(words[0]) && n > 0:
			e.amounts[n-1] = joinStrips(e.amounts[n-1], s)
		case areAmounts(words) && (sign != nil || i > 0 || len(strips) == 1 || t.amountsOnly(strips)):
			if sign != nil {
				s = joinStrips(*sign, s)
			}
			e.years = (e.years || n == 0) && isYear(strings.Join(words, ""))
			e.amounts = append(e.amounts, s)
		default:
			if sign != nil {
				s = joinStrips(*sign, s)
			}
			takeText(&e, s, len(words))
		}
		sign = nil
	}
	return e
}

// takeText takes a strip that is not an amount: a part of the label, or text among
// the amounts.
func takeText(e *entry, s strip, words int) {
	if len(e.amounts) == 0 {
		e.label = append(e.label, s)
		return
	}
	e.mixed = true
	e.prose = e.prose || words > besideWords
	e.amounts = append(e.amounts, s)
}

// amountsOnly reports whether a row has no label: all of it are amounts.
func (t *tabulator) amountsOnly(strips []strip) bool {
	return !slices.ContainsFunc(strips, func(s strip) bool {
		words := strings.Fields(t.text(s.words))
		return !areAmounts(words) && (len(words) != 1 || !beforeAmount(words[0]) && !afterAmount(words[0]))
	})
}

// areAmounts reports whether words are amounts and the signs that go with them.
func areAmounts(words []string) bool {
	some := false
	for _, w := range words {
		if isAmount(w) {
			some = true
		} else if !beforeAmount(w) && !afterAmount(w) {
			return false
		}
	}
	return some
}

func joinStrips(a, b strip) strip {
	return strip{min(a.x0, b.x0), max(a.x1, b.x1), slices.Concat(a.words, b.words)}
}

// joins reports whether e is the other half of an entry: amounts without a label
// beside a label without amounts, on nearly the same line.
func (e entry) joins(o entry) bool {
	if len(e.row.strips) == 0 || len(o.row.strips) == 0 || e.mixed || o.mixed {
		return false
	}
	d := e.row.y - o.row.y
	if size := max(e.row.size, o.row.size); math.Abs(d) >= sameRow*size {
		return false
	}
	if len(e.label) == 0 {
		return len(o.amounts) == 0 && o.right() < e.left()
	}
	return len(o.label) == 0 && len(e.amounts) == 0 && e.right() < o.left() || len(o.amounts) == 0 && len(e.amounts) > 0 && o.right() < e.amounts[0].x0
}

func (e entry) left() float64 {
	x := math.Inf(1)
	for _, s := range e.row.strips {
		x = min(x, s.x0)
	}
	return x
}

func (e entry) right() float64 {
	x := math.Inf(-1)
	for _, s := range e.row.strips {
		x = max(x, s.x1)
	}
	return x
}

// with is the entry with the other half of it.
func (e entry) with(o entry) entry {
	e.row.strips = slices.Concat(e.row.strips, o.row.strips)
	if len(e.amounts) == 0 {
		e.row.y = o.row.y
	}
	e.label = slices.Concat(e.label, o.label)
	e.amounts = slices.Concat(e.amounts, o.amounts)
	return e
}

// labelEnd is where the label ends on the page.
func (e entry) labelEnd() float64 {
	x := math.Inf(-1)
	for _, s := range e.label {
		x = max(x, s.x1)
	}
	return x
}

// statement makes a table of the statement whose first amounts are those of
// entry i, and of the header above it down from the entry floor. It returns where
// the statement ends, 0 where there is none.
func (t *tabulator) statement(entries []entry, floor, i int) int {
	if len(entries[i].amounts) == 0 || entries[i].years {
		return 0
	}
	end, columns := grow(entries, i)
	if !t.isStatement(entries[i:end], columns) {
		return 0
	}
	st := t.newStatement(entries[i:end], columns)
	end = st.tail(entries, end)
	begin := st.heads(entries, floor, i)
	rows := st.rows(entries[begin:end], i-begin)
	if !t.take(rows, st.spread(entries[begin:i], rows)) {
		return 0
	}
	return end
}

// grow takes entries from i on as long as their amounts fall into columns that
// stay apart. It returns the end and the columns, from left to right.
func grow(entries []entry, i int) (end int, columns []strip) {
	end = i
	for n := i; n < len(entries) && n-i < maxTabRows; n++ {
		e := entries[n]
		if len(e.row.strips) == 0 || e.prose || e.years {
			break
		}
		if n > i && !e.follows(entries[n-1]) {
			break
		}
		if len(e.amounts) == 0 {
			if n-end >= maxBetween || len(columns) > 0 && e.right() > columns[0].x0 {
				break
			}
			continue
		}
		next := overlay2(columns, e.amounts)
		if n > i && (len(next) < len(columns) || e.labelEnd() > next[0].x1 || collapses(columns, e.amounts)) {
			break
		}
		columns, end = next, n+1
	}
	return end, columns
}

// follows reports whether a row is near enough below another one to go on with it.
func (e entry) follows(last entry) bool {
	step, pitch := last.row.y-e.row.y, statementStep
	if len(e.label) == 0 {
		pitch = rowPitch
	}
	return step > 0 && step <= pitch*max(e.row.size, last.row.size)
}

// collapses reports whether two strips of a row fall into one column.
func collapses(columns, row []strip) bool {
	for _, c := range columns {
		n := 0
		for _, s := range row {
			if s.x0 < c.x1 && c.x0 < s.x1 {
				n++
			}
		}
		if n > 1 {
			return true
		}
	}
	return false
}

// isStatement judges entries that have amounts below each other.
func (t *tabulator) isStatement(core []entry, columns []strip) bool {
	rows, labelled, mixed, words, wide, ends := 0, 0, 0, 0, 0, 0
	plain := true // nothing marks the amounts of a single column as such
	for _, e := range core {
		var label strings.Builder
		for _, s := range e.label {
			label.WriteString(t.text(s.words) + " ")
		}
		fields := strings.Fields(label.String())
		n := len(fields)
		if n > maxLabel || hasLeader(label.String()) {
			return false
		}
		if len(e.amounts) == 0 {
			continue
		}
		rows++
		words += n
		wide += btoi(len(e.amounts) > 1)
		ends += btoi(n > 1 && isAmount(fields[n-1]) && !isYear(fields[n-1]))
		mixed += btoi(e.mixed)
		labelled += btoi(wordy(label.String()))
		for _, s := range e.amounts {
			plain = plain && !pricey(t.text(s.words))
		}
	}
	switch {
	case rows < minStatement, 2*labelled < rows, 3*mixed > rows, 2*ends > rows, words > 2*maxAligned*rows:
		return false
	case len(columns) == 1:
		return !plain
	}
	return 2*wide >= rows
}

// pricey reports whether an amount has what numbers of pages, lines and formulas
// do not have.
func pricey(s string) bool {
	digits := strings.Count(s, ",") > 0 && !strings.HasSuffix(s, ",")
	return digits || strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Sc, r) || r == '%' })
}
