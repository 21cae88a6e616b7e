package markup

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"inlay/parse"
)

// How much text the longest cell of a table may hold beside lists, rules,
// headings or tables, in bytes: one that says what its columns are may hold
// more than one that may be there for the layout alone.
const (
	namedCell   = 2000
	unnamedCell = 300
)

// settleTable makes a table whose children are tidy one that Markdown can hold:
// blocks in the cells of data become lines in them, and a table that lays out
// the page, is too wide, or is in a link becomes the blocks of its cells.
func settleTable(table *html.Node, limits parse.Limits) {
	switch {
	case layout(table) > limits.Cells, shows(table), within(table):
		unroll(table)
	case !holds(table, blocky):
		captionFirst(table)
	case tells(table):
		for cell := range cells(table) {
			inline(cell)
		}
		captionFirst(table)
	default:
		unroll(table)
	}
}

// captionFirst puts a table's caption before it, where its readers look.
func captionFirst(table *html.Node) {
	for c := range table.ChildNodes() {
		if c.DataAtom == atom.Caption {
			table.RemoveChild(c)
			rename(c, atom.P)
			table.Parent.InsertBefore(c, table)
			return
		}
	}
}

// shows reports whether a table says that it is there for the layout.
func shows(table *html.Node) bool {
	role := attribute(table, "role")
	return role == "presentation" || role == "none"
}

// within reports whether a table is in an element that is one line of Markdown.
func within(table *html.Node) bool {
	for n := table.Parent; n != nil; n = n.Parent {
		switch n.DataAtom {
		case atom.A, atom.B, atom.Strong, atom.I, atom.Em, atom.S, atom.Del, atom.Strike:
			return true
		default:
		}
	}
	return false
}

// blocky recognises elements that a cell of Markdown cannot hold.
func blocky(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Hr, atom.Blockquote, atom.Table:
		return true
	default:
		return heading(n)
	}
}

func heading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	default:
		return false
	}
}

// tells reports whether a table holds data and not the layout of a page: rows
// and columns of short cells, without headings or tables unless it names its
// columns.
func tells(table *html.Node) bool {
	named, rows, most := false, 0, unnamedCell
	for n := range own(table) {
		switch n.DataAtom {
		case atom.Th, atom.Thead, atom.Caption:
			named, most = true, namedCell
		case atom.Tr:
			rows++
		default:
		}
	}
	if rows < 2 || layout(table) < 2*rows {
		return false
	}
	for cell := range cells(table) {
		if len(strings.TrimSpace(textOf(cell))) > most || !named && holds(cell, func(n *html.Node) bool { return heading(n) || n.DataAtom == atom.Table }) {
			return false
		}
	}
	return true
}

// holds reports whether an element has one of a kind in it.
func holds(n *html.Node, kind func(*html.Node) bool) bool {
	for c := range n.Descendants() {
		if kind(c) {
			return true
		}
	}
	return false
}

// own yields the parts a table is made of: sections, rows, cells, caption.
func own(table *html.Node) func(func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		var walk func(n *html.Node) bool
		walk = func(n *html.Node) bool {
			for c := n.FirstChild; c != nil; {
				next := c.NextSibling
				switch c.DataAtom {
				case atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr:
					if !yield(c) || !walk(c) {
						return false
					}
				case atom.Td, atom.Th, atom.Caption:
					if !yield(c) {
						return false
					}
				default:
				}
				c = next
			}
			return true
		}
		walk(table)
	}
}

// cells yields the cells of a table, not those of tables in it.
func cells(table *html.Node) func(func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for n := range own(table) {
			if (n.DataAtom == atom.Td || n.DataAtom == atom.Th) && !yield(n) {
				return
			}
		}
	}
}

// rename makes an element another one without attributes.
func rename(n *html.Node, tag atom.Atom) { n.Data, n.DataAtom, n.Attr = tag.String(), tag, nil }

// unroll makes a table blocks: one for each caption and cell.
func unroll(table *html.Node) {
	var parts []*html.Node
	for n := range own(table) {
		parts = append(parts, n)
	}
	for _, n := range append(parts, table) {
		rename(n, atom.Div)
	}
}

// inline makes the blocks in a cell lines of it: items keep their marks,
// headings become bold, the cells of a table in it are set off by commas.
func inline(cell *html.Node) { (&inliner{}).walk(cell) }

// inliner walks a cell and remembers whether what comes next needs a new line.
type inliner struct {
	text  bool // the line has text
	ended bool // and a block ended after it
}

func (w *inliner) walk(n *html.Node) {
	item := itemMarks(n)
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "", strings.TrimSpace(textOf(c)) != "":
			w.visit(c, item)
		case c.DataAtom == atom.Hr, c.DataAtom == atom.Br:
			rename(c, atom.Span)
			w.ended = w.text
		case n.DataAtom == atom.Tr:
			n.RemoveChild(c)
		}
		c = next
	}
}

// visit settles a child that has text.
func (w *inliner) visit(c *html.Node, item func() string) {
	block := blocky(c)
	mark := ""
	switch c.DataAtom {
	case atom.Li:
		block, mark = true, item()
	case atom.Td, atom.Th:
		if w.text && !w.ended {
			mark = ", "
		}
	case atom.Tr, atom.P, atom.Div, atom.Dt, atom.Dd, atom.Pre, atom.Caption:
		block = true
	default:
	}
	if w.text && (block || w.ended) {
		c.Parent.InsertBefore(&html.Node{Type: html.ElementNode, Data: "br", DataAtom: atom.Br}, c)
		w.text = false
	}
	w.ended = false
	if mark != "" {
		c.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: mark}, c)
	}
	w.text = w.text || c.Type == html.TextNode
	w.walk(c)
	w.ended = block || w.ended
	settleInline(c)
}

// settleInline makes a block an inline element.
func settleInline(c *html.Node) {
	switch {
	case heading(c):
		rename(c, atom.Strong)
	case blocky(c):
		rename(c, atom.Span)
	default:
		switch c.DataAtom {
		case atom.Li, atom.Td, atom.Th, atom.Tr, atom.Thead, atom.Tbody, atom.Tfoot, atom.Caption, atom.P, atom.Div, atom.Dt, atom.Dd:
			rename(c, atom.Span)
		default:
		}
	}
}

// plainRows takes from the rows of tables what Markdown needs elsewhere only: two
// spaces before a break, the backslash in front of an item's mark.
func plainRows(text string) string {
	lines, mark := strings.Split(text, "\n"), regexp.MustCompile(`(\| |<br />)(\d*)\\([-+.]) `)
	code := false
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if strings.HasPrefix(line, "|") && !code {
			lines[i] = mark.ReplaceAllString(strings.ReplaceAll(line, "  <br />", "<br />"), "$1$2$3 ")
		}
	}
	return strings.Join(lines, "\n")
}

// itemMarks gives the marks of a list's items, one after the other.
func itemMarks(list *html.Node) func() string {
	number := 0
	if list.DataAtom == atom.Ol {
		number, _ = strconv.Atoi(attribute(list, "start"))
		number = max(number, 1) - 1
	}
	return func() string {
		if list.DataAtom != atom.Ol {
			return "- "
		}
		number++
		return strconv.Itoa(number) + ". "
	}
}
