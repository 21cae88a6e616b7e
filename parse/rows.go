package parse

import (
	"sort"
	"strings"
)

// RowMark says which row of a spreadsheet a line of a section is; the lines after
// it are the rows after that one, up to the next mark.
type RowMark struct {
	Line int `json:"line"` // of the section, from 0
	Row  int `json:"row"`  // as the spreadsheet numbers it, from 1
}

// MarkRow notes that a line of the section is a row of the file. Lines are marked
// in ascending order; those that follow from the mark before take no room.
func (s *Section) MarkRow(line, row int) {
	if n := len(s.Rows); n == 0 || row-s.Rows[n-1].Row != line-s.Rows[n-1].Line {
		s.Rows = append(s.Rows, RowMark{Line: line, Row: row})
	}
}

// RowOf returns the row of the file that a line of the section is, counted from 0;
// 0 if the section is not out of a spreadsheet. The rule under a table's header
// counts as the header.
func (s *Section) RowOf(line int) int {
	if s.Kind == Table && line == 1 {
		line = 0
	}
	i := sort.Search(len(s.Rows), func(i int) bool { return s.Rows[i].Line > line }) - 1
	if i < 0 {
		return 0
	}
	return s.Rows[i].Row + line - s.Rows[i].Line
}

// NumberedTable is [Builder.Table] for rows of a spreadsheet, with their numbers
// there. A single cell is a paragraph.
func (b *Builder) NumberedTable(rows [][]string, numbers []int) {
	before := len(b.sections)
	if len(rows) == 1 && len(rows[0]) == 1 {
		b.Block(Paragraph, "", strings.Join(strings.Fields(rows[0][0]), " "))
	} else {
		b.Table("", rows)
	}
	if len(b.sections) == before {
		return
	}
	s := &b.sections[before]
	for i, number := range numbers {
		line := i
		if i > 0 && s.Kind == Table { // the rule under the header
			line++
		}
		s.MarkRow(line, number)
	}
}
