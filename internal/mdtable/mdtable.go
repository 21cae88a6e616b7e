// Package mdtable renders tables as Markdown.
package mdtable

import (
	"slices"
	"strings"
)

// maxFilled is the number of cells up to which short rows are filled up.
const maxFilled = 2_000_000

// Render renders rows as a Markdown table whose first row is the header.
// Line breaks inside a cell become <br>, bars are escaped, short rows are
// filled up and columns that are blank everywhere at the right are dropped. A
// table of more than [maxFilled] cells keeps its short rows short.
func Render(rows [][]string) string {
	columns := 0
	for _, row := range rows {
		columns = max(columns, width(row))
	}
	if columns == 0 {
		return ""
	}
	full := columns*len(rows) <= maxFilled // else one wide row would widen all
	var b strings.Builder
	for i, row := range rows {
		if full || i == 0 {
			WriteRow(&b, row, columns)
		} else {
			WriteRow(&b, row, width(row))
		}
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", columns) + "\n")
		}
	}
	return b.String()
}

// width counts a row's cells up to its last one that is not blank.
func width(row []string) int {
	for n := len(row); n > 0; n-- {
		if strings.TrimSpace(row[n-1]) != "" {
			return n
		}
	}
	return 0
}

// WriteRow writes one line of a Markdown table with the given number of columns.
func WriteRow(b *strings.Builder, row []string, columns int) {
	b.WriteByte('|')
	for i := range columns {
		b.WriteByte(' ')
		if i < len(row) {
			writeCell(b, strings.TrimSpace(row[i]))
		}
		b.WriteString(" |")
	}
	b.WriteByte('\n')
}

func writeCell(b *strings.Builder, cell string) {
	if !strings.ContainsAny(cell, "|\r\n") {
		b.WriteString(cell)
		return
	}
	cell = strings.ReplaceAll(cell, "\r\n", "\n")
	lines := strings.FieldsFunc(cell, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = slices.DeleteFunc(lines, func(s string) bool { return strings.TrimSpace(s) == "" })
	b.WriteString(strings.ReplaceAll(strings.Join(lines, "<br>"), "|", `\|`))
}
