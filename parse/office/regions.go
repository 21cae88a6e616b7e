package office

import "strings"

// regions splits the rows of a sheet at blank rows into tables and drops the
// columns that are blank in all of a table.
func regions(rows [][]string) [][][]string {
	var found [][][]string
	var current [][]string
	flush := func() {
		if len(current) > 0 {
			found = append(found, dropBlankColumns(current))
		}
		current = nil
	}
	for _, row := range rows {
		if strings.TrimSpace(strings.Join(row, "")) == "" {
			flush()
			continue
		}
		current = append(current, row)
	}
	flush()
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
