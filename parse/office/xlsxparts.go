package office

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"inlay/internal/xmlscan"
	"inlay/parse"
	"inlay/parse/zipfile"
)

// sheetParts finds the entry of each sheet of a workbook by its name.
func sheetParts(ctx context.Context, a *zipfile.Archive) (map[string]string, error) {
	main, links, err := mainPart(ctx, a, "xl/workbook.xml")
	if err != nil {
		return nil, err
	}
	data, err := optional(a, main)
	if err != nil {
		return nil, err
	}
	names := sheetNames{links: byID(links), entries: map[string]string{}}
	if err := xmlscan.Walk(ctx, data, &names); err != nil && ctx.Err() != nil {
		return nil, err
	}
	return names.entries, nil
}

// sheetNames gathers sheet elements.
type sheetNames struct {
	ignoreText
	links   map[string]relation
	entries map[string]string
}

// Start implements [xmlscan.Handler].
func (s *sheetNames) Start(e element) {
	if e.Name.Local == "sheet" {
		s.entries[xmlscan.Attr(e, "name")] = s.links[xmlscan.AttrNS(e, "r", "id")].target
	}
}

// merged is a range of cells that show one value; rows and columns from 1.
type merged struct{ left, top, right, bottom int }

// mergedRanges finds the merged cells of a sheet. They are in one element
// near its end, so that the cells need not be walked again.
func mergedRanges(data []byte) []merged {
	ref := regexp.MustCompile(`mergeCell\s+ref="([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})"`)
	var found []merged
	for _, m := range ref.FindAllSubmatch(data, 100_000) {
		r := merged{left: column(m[1]), right: column(m[3])}
		r.top, _ = strconv.Atoi(string(m[2]))
		r.bottom, _ = strconv.Atoi(string(m[4]))
		found = append(found, r)
	}
	return found
}

// column reads a column's letters: A is 1.
func column(letters []byte) int {
	n := 0
	for _, c := range letters {
		n = n*26 + int(c-'A') + 1
	}
	return n
}

// sheetRows are the rows of a sheet with their numbers; blank ones are left out
// but for one between others.
type sheetRows struct {
	rows    [][]string
	numbers []int
}

// at finds the position of a row number, or -1.
func (s *sheetRows) at(number int) int {
	for lo, hi := 0, len(s.numbers); lo < hi; {
		mid := (lo + hi) / 2
		switch {
		case s.numbers[mid] == number:
			return mid
		case s.numbers[mid] < number:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return -1
}

// spread repeats the value of merged cells in each of them, at most limit to a
// side. A title that stands alone in its row is not repeated beside itself.
func (s *sheetRows) spread(ranges []merged, limit int) {
	for _, m := range ranges {
		top := s.at(m.top)
		if top < 0 || m.left > len(s.rows[top]) {
			continue
		}
		value := s.rows[top][m.left-1]
		if strings.TrimSpace(value) == "" {
			continue
		}
		right := min(m.right, m.left+limit-1)
		if alone(s.rows[top]) {
			right = m.left
		}
		for number := m.top; number <= min(m.bottom, m.top+limit-1); number++ {
			if i := s.at(number); i >= 0 {
				s.rows[i] = fill(s.rows[i], m.left-1, right, value)
			}
		}
	}
}

// alone reports whether a row has a single cell with text.
func alone(row []string) bool {
	n := 0
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n == 1
}

// fill sets the blank cells from one column up to another.
func fill(row []string, from, to int, value string) []string {
	for len(row) < to {
		row = append(row, "")
	}
	for i := from; i < to; i++ {
		if strings.TrimSpace(row[i]) == "" {
			row[i] = value
		}
	}
	return row
}

// sheetCharts reads the charts that a sheet shows, in file order.
func sheetCharts(ctx context.Context, a *zipfile.Archive, entry string, limit int) ([]*chartScan, error) {
	links, err := relations(ctx, a, entry)
	if err != nil {
		return nil, err
	}
	var found []*chartScan
	for _, r := range links {
		if r.kind != "drawing" || r.external {
			continue
		}
		drawn, err := relations(ctx, a, r.target)
		if err != nil {
			return nil, err
		}
		charts, err := readCharts(ctx, a, drawn, limit)
		if err != nil {
			return nil, err
		}
		for _, d := range drawn {
			if c := charts[d.id]; c != nil {
				found = append(found, c)
			}
		}
	}
	return found, nil
}

// commentText joins the runs of a comment.
func commentText(c excelize.Comment) string {
	if c.Text != "" {
		return c.Text
	}
	var b strings.Builder
	for _, run := range c.Paragraph {
		b.WriteString(run.Text)
	}
	return b.String()
}

// emitRegions adds the tables of a sheet. Lines with a single cell above a
// table are its title, not its header.
func emitRegions(b *parse.Builder, s sheetRows) (anything bool) {
	for _, region := range regions(s) {
		titles := 0
		for titles < len(region.rows) && alone(region.rows[titles]) {
			titles++
		}
		if titles == len(region.rows) { // a list of one cell a row
			titles = 0
		}
		for i, row := range region.rows[:titles] {
			b.NumberedTable([][]string{{strings.TrimSpace(strings.Join(row, ""))}}, region.numbers[i:i+1])
		}
		b.NumberedTable(region.rows[titles:], region.numbers[titles:])
		anything = true
	}
	return anything
}
