package office

import "strings"

// regions splits the rows of a sheet at blank rows into tables and drops the
// columns that are blank in all of a table.
func regions(s sheetRows) []sheetRows {
	var found []sheetRows
	begin := 0
	flush := func(end int) {
		if begin < end {
			found = append(found, sheetRows{dropBlankColumns(s.rows[begin:end]), s.numbers[begin:end]})
		}
		begin = end + 1
	}
	for i, row := range s.rows {
		if strings.TrimSpace(strings.Join(row, "")) == "" {
			flush(i)
		}
	}
	flush(len(s.rows))
	return found
}

func dropBlankColumns(rows [][]string) [][]string {
	var used []bool
	for _, row := range rows {
		for i, cell := range row {
			for len(used) <= i {
				used = append(used, false)
			}
			used[i] = used[i] || strings.TrimSpace(cell) != ""
		}
	}
	out := make([][]string, len(rows))
	for r, row := range rows {
		for i, cell := range row {
			if used[i] {
				out[r] = append(out[r], cell)
			}
		}
	}
	return out
}
