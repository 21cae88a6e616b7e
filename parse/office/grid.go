package office

import (
	"strings"

	"inlay/parse"
)

// grid is a table being read. A cell that spans others is repeated in each of
// them, so that every row and column can be read on its own.
type grid struct {
	rows [][]cell
	text strings.Builder // of the open cell
	next cell            // span of the open cell
	open bool
}

// cell is one field of a table.
type cell struct {
	text  string
	right int // columns it spans from here on, itself included; 0 is 1
	down  int // rows
}

func (g *grid) row() { g.rows = append(g.rows, nil) }

// cell opens a cell.
func (g *grid) cell() {
	g.open, g.next = true, cell{}
	g.text.Reset()
}

// write adds a paragraph to the open cell.
func (g *grid) write(text string) {
	if g.text.Len() > 0 && text != "" {
		g.text.WriteByte('\n')
	}
	g.text.WriteString(text)
}

// endCell closes the open cell.
func (g *grid) endCell() {
	if !g.open {
		return
	}
	g.open = false
	g.next.text = g.text.String()
	g.add(g.next)
}

// add appends a cell to the last row.
func (g *grid) add(c cell) {
	if len(g.rows) == 0 {
		g.row()
	}
	last := &g.rows[len(g.rows)-1]
	*last = append(*last, c)
}

// widen appends the columns that a cell spans, for formats that leave them out.
func (g *grid) widen() {
	if len(g.rows) == 0 || len(g.rows[len(g.rows)-1]) == 0 {
		return
	}
	row := g.rows[len(g.rows)-1]
	for c := row[len(row)-1]; c.right > 1; {
		c.right--
		g.add(c)
	}
}

// covered appends a cell that another one to its left or above it spans.
func (g *grid) covered() {
	r := len(g.rows) - 1
	if r < 0 {
		return
	}
	c := len(g.rows[r])
	if c > 0 && g.rows[r][c-1].right > 1 {
		left := g.rows[r][c-1]
		left.right--
		g.add(left)
		return
	}
	if r > 0 && c < len(g.rows[r-1]) && g.rows[r-1][c].down > 1 {
		above := g.rows[r-1][c]
		above.down--
		g.add(above)
		return
	}
	g.add(cell{})
}

// texts is the table without its spans.
func (g *grid) texts() [][]string {
	rows := make([][]string, len(g.rows))
	for i, row := range g.rows {
		for _, c := range row {
			rows[i] = append(rows[i], c.text)
		}
	}
	return rows
}

// flat is the table as lines, for a cell that holds one: Markdown cannot nest
// tables. Repeated cells are left out.
func (g *grid) flat() string {
	var b strings.Builder
	for _, row := range g.rows {
		var cells []string
		for i, c := range row {
			text := strings.TrimSpace(c.text)
			if text != "" && (i == 0 || row[i-1].text != c.text || row[i-1].right < 2) {
				cells = append(cells, text)
			}
		}
		if len(cells) > 0 {
			b.WriteString(strings.Join(cells, "; ") + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// emit adds the table to a document.
func (g *grid) emit(b *parse.Builder) { emitTable(b, "", g.texts()) }

// emitTable adds rows as a table; a single cell is a frame, not a table.
func emitTable(b *parse.Builder, label string, rows [][]string) {
	var full [][]string
	for _, row := range rows {
		if strings.TrimSpace(strings.Join(row, "")) != "" {
			full = append(full, row)
		}
	}
	if len(full) == 1 && len(full[0]) == 1 {
		b.Block(parse.Paragraph, label, full[0][0])
		return
	}
	b.Table(label, full)
}
