package markup

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"inlay/parse"
)

// spanBudget is how many cells the spans of a page may add in all; rendering
// them takes much longer than rendering cells of their own.
const spanBudget = 100_000

// textPerCell is how many bytes of text cost as much as a cell, since spanned
// cells repeat their text.
const textPerCell = 64

// tidy prepares a page for rendering and returns its title: what is not text
// goes, images become their alternative text, table spans are clamped, and
// tables too wide to lay out become running text.
func tidy(root *html.Node, limits parse.Limits) (title string) {
	spare := spanBudget
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; {
			next := c.NextSibling
			switch {
			case c.Type == html.CommentNode, c.Type == html.ElementNode && unread(c):
				if c.DataAtom == atom.Title && title == "" {
					title = strings.Join(strings.Fields(textOf(c)), " ")
				}
				n.RemoveChild(c)
			case c.DataAtom == atom.Img:
				n.InsertBefore(&html.Node{Type: html.TextNode, Data: attribute(c, "alt")}, c)
				n.RemoveChild(c)
			default:
				clampSpans(c, limits.Span, &spare)
				walk(c)
				settle(c, limits)
			}
			c = next
		}
	}
	walk(root)
	return title
}

// settle mends an element whose children are tidy: a link that shows nothing
// goes, a table becomes one that Markdown can hold.
func settle(n *html.Node, limits parse.Limits) {
	switch {
	case n.DataAtom == atom.A && strings.TrimSpace(textOf(n)) == "":
		n.Parent.RemoveChild(n)
	case n.DataAtom == atom.Table:
		settleTable(n, limits)
	}
}

// unread recognises elements that hold no text for readers.
func unread(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Embed, atom.Svg,
		atom.Canvas, atom.Audio, atom.Video, atom.Link, atom.Meta, atom.Title, atom.Base, atom.Input:
		return true
	default:
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" && a.Val != "until-found" || a.Key == "style" && strings.Contains(strings.ReplaceAll(a.Val, " ", ""), "display:none") {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// clampSpans keeps colspan and rowspan within limit each, and drops them once
// all spans of the page together have added as many cells as a page may have.
func clampSpans(n *html.Node, limit int, spare *int) {
	if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
		return
	}
	cells := 1
	for i, a := range n.Attr {
		if a.Key != "colspan" && a.Key != "rowspan" {
			continue
		}
		span, err := strconv.Atoi(strings.TrimSpace(a.Val))
		if err != nil || span < 1 || *spare <= 0 {
			span = 1
		}
		span = min(span, limit)
		n.Attr[i].Val = strconv.Itoa(span)
		cells *= span
	}
	if cells > 1 {
		*spare -= (cells - 1) * (1 + len(textOf(n))/textPerCell)
	}
	if *spare < 0 { // too much to repeat
		n.Attr = nil
		*spare = 0
	}
}

// layout is how many cells a table takes when its rows are filled to equal width.
func layout(table *html.Node) int {
	rows, widest, width := 0, 0, 0
	for n := range table.Descendants() {
		switch n.DataAtom {
		case atom.Tr:
			rows++
			width = 0
		case atom.Td, atom.Th:
			span, err := strconv.Atoi(attribute(n, "colspan"))
			if err != nil {
				span = 1
			}
			width += span
			widest = max(widest, width)
		default:
		}
	}
	return rows * widest
}
