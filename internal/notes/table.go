package notes

import (
	"fmt"
	"slices"
	"strings"

	"inlay/internal/asks"
	"inlay/parse"
)

// table is a Markdown table of a document.
type table struct {
	name    string // "The table", `The sheet "Orders"`
	columns []string
	body    string
	rows    int
	found   map[cell]string // values that the request names, as one row has them
}

// cell is a value in lower case, and the place of its column.
type cell struct {
	column int
	value  string
}

// tablesOf are the tables of a document that have a header.
func tablesOf(d parse.Document) []*table {
	var all []*table
	places := parse.NewMap(d)
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Kind != parse.Table {
			continue
		}
		header, rest, ok := strings.Cut(d.Text[s.Start:s.End], "\n")
		rule, body, ok2 := strings.Cut(rest, "\n")
		if !ok || !ok2 || strings.Trim(rule, "|-: \t\r") != "" {
			continue
		}
		t := &table{columns: unlike(cellsOf(header)), body: body}
		at := places.At(s.Start, s.End)
		switch {
		case at.Sheet != "":
			t.name = fmt.Sprintf("The sheet %q", at.Sheet)
		case at.Heading != "":
			t.name = fmt.Sprintf("The table under %q", at.Heading)
		default:
			t.name = "The table"
		}
		all = append(all, t)
	}
	return all
}

// unlike are the names of columns without those that several have.
func unlike(columns []string) []string {
	times := map[string]int{}
	for _, c := range columns {
		times[c]++
	}
	for i, c := range columns {
		if times[c] > 1 {
			columns[i] = ""
		}
	}
	return columns
}

// cellsOf are the cells of a line of a Markdown table.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if !strings.HasSuffix(line, `\|`) {
		line = strings.TrimSuffix(line, "|")
	}
	var cells []string
	for start, at := 0, 0; ; at++ {
		switch {
		case at >= len(line):
			return append(cells, unescaped(line[start:]))
		case line[at] == '\\':
			at++
		case line[at] == '|':
			cells = append(cells, unescaped(line[start:at]))
			start = at + 1
		}
	}
}

// unescaped is a cell's text, without the marks of emphasis around it.
func unescaped(cell string) string {
	cell = strings.ReplaceAll(strings.ReplaceAll(cell, `\|`, "|"), "<br>", " ")
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(cell), "*_`"))
}

// maxKnown is how many values are remembered as not asked for.
const maxKnown = 1 << 16

// count counts the rows and, by column, the values that the request names.
func (t *table) count(wanted *phrases) {
	t.found = map[cell]string{}
	named := wanted.remembering()
	for line := range strings.Lines(t.body) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		t.rows++
		for i, value := range cellsOf(line) {
			if value == "" || i >= len(t.columns) || t.columns[i] == "" {
				continue
			}
			if named(value) {
				t.keep(cell{i, strings.ToLower(value)}, value)
			}
		}
	}
}

// headless reports whether a value that the request names is the header of its
// own column, too: then the first row is one like the others.
func (t *table) headless() bool {
	for key := range t.found {
		if strings.ToLower(t.columns[key.column]) == key.value {
			return true
		}
	}
	return false
}

// keep takes a value as it is written in the table; of several spellings the
// first in order.
func (t *table) keep(key cell, value string) {
	if was, ok := t.found[key]; !ok || value < was {
		t.found[key] = value
	}
}

// remembering is names, asked once for each of a bounded number of values.
func (p *phrases) remembering() func(value string) bool {
	known := map[string]bool{}
	return func(value string) bool {
		named, ok := known[value]
		if !ok {
			named = asks.Words(value) != "" && p.names(value)
			if len(known) < maxKnown {
				known[value] = named
			}
		}
		return named
	}
}

// where counts the rows that pass all filters.
func (t *table) where(filters []filter) int {
	n := 0
	for line := range strings.Lines(t.body) {
		if cells := cellsOf(line); strings.TrimSpace(line) != "" && !slices.ContainsFunc(filters, func(f filter) bool {
			i := slices.Index(t.columns, f.column)
			return i >= len(cells) || strings.ToLower(cells[i]) != f.value
		}) {
			n++
		}
	}
	return n
}
