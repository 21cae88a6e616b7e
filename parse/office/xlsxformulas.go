package office

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"inlay/parse"
)

// bareFormula is a formula of a sheet that has no result; row and column from 1.
type bareFormula struct {
	row, column int
	text        string
}

// bareFormulas finds the formulas of a sheet without results: programs that
// write workbooks but do not calculate leave them so.
func bareFormulas(data []byte, limit int) (found []bareFormula) {
	if !bytes.Contains(data, []byte("</f>")) {
		return nil
	}
	cell := regexp.MustCompile(`<c r="([A-Z]{1,3})([0-9]{1,7})"[^>]*>\s*<f[^>]*>([^<]{1,1000})</f>\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>`)
	for _, m := range cell.FindAllSubmatch(data, limit) {
		f := bareFormula{column: column(m[1]), text: "=" + html.UnescapeString(string(m[3]))}
		f.row, _ = strconv.Atoi(string(m[2]))
		if f.row > 0 && f.column <= maxColumns {
			found = append(found, f)
		}
	}
	return found
}

// showFormulas puts formulas without results where the results would be.
func (w *workbook) showFormulas(s *sheetRows, formulas []bareFormula) error {
	if len(formulas) == 0 {
		return nil
	}
	places := map[int]int{}
	for i, number := range s.numbers {
		places[number] = i
	}
	for _, f := range formulas {
		i, known := places[f.row]
		if !known {
			i = len(s.rows)
			places[f.row] = i
			s.rows, s.numbers = append(s.rows, nil), append(s.numbers, f.row)
		}
		if w.cells += max(f.column-len(s.rows[i]), 0); w.cells > w.limits.Cells {
			return tooManyCells(w.limits.Cells)
		}
		s.rows[i] = fill(s.rows[i], f.column-1, f.column, f.text)
	}
	s.settle()
	w.bare += len(formulas)
	return nil
}

// allWarnings are the warnings of the whole workbook.
func (w *workbook) allWarnings() []parse.Warning {
	if w.bare == 0 {
		return w.warnings
	}
	return append(w.warnings, parse.Warning{
		Code:    parse.WarnLeftOut,
		Message: fmt.Sprintf("%d formulas have no result in the file and are shown themselves: open and save it in a spreadsheet program", w.bare),
	})
}

// settle sorts rows by their numbers and puts a blank one where some are missing.
func (s *sheetRows) settle() {
	order := make([]int, len(s.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return s.numbers[a] - s.numbers[b] })
	sorted := sheetRows{}
	for _, i := range order {
		if n := len(sorted.numbers); n > 0 && s.numbers[i] > sorted.numbers[n-1]+1 && strings.Join(sorted.rows[n-1], "") != "" {
			sorted.rows, sorted.numbers = append(sorted.rows, nil), append(sorted.numbers, sorted.numbers[n-1]+1)
		}
		sorted.rows, sorted.numbers = append(sorted.rows, s.rows[i]), append(sorted.numbers, s.numbers[i])
	}
	*s = sorted
}
