package builtin

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxHTMLDepth bounds how deep the tree of a page is followed.
const maxHTMLDepth = 512

// mainContent keeps the part of a page that its reader came for: its main
// element or its only article, else the body, without navigation, headers,
// footers, forms and what is aside. It is empty when nothing is left.
func mainContent(page string) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return page
	}
	part := first(root, atom.Main)
	if part == nil {
		if articles := all(root, atom.Article, nil, 0); len(articles) == 1 {
			part = articles[0]
		}
	}
	if part == nil {
		part = first(root, atom.Body)
	}
	if part == nil {
		return page
	}
	prune(part, 0)
	var b strings.Builder
	if err := html.Render(&b, part); err != nil {
		return page
	}
	return b.String()
}

// titleOf is the text of a page's title element.
func titleOf(page string) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return ""
	}
	t := first(root, atom.Title)
	if t == nil || t.FirstChild == nil {
		return ""
	}
	return strings.Join(strings.Fields(t.FirstChild.Data), " ")
}

func first(n *html.Node, kind atom.Atom) *html.Node {
	if found := all(n, kind, nil, 0); len(found) > 0 {
		return found[0]
	}
	return nil
}

func all(n *html.Node, kind atom.Atom, found []*html.Node, depth int) []*html.Node {
	if n.DataAtom == kind && n.Type == html.ElementNode {
		return append(found, n)
	}
	for c := n.FirstChild; c != nil && depth < maxHTMLDepth; c = c.NextSibling {
		found = all(c, kind, found, depth+1)
	}
	return found
}

// prune removes what surrounds the content.
func prune(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if depth >= maxHTMLDepth || surrounds(c) {
			n.RemoveChild(c)
		} else {
			prune(c, depth+1)
		}
		c = next
	}
}

func surrounds(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Aside, atom.Form, atom.Script, atom.Style, atom.Noscript, atom.Iframe, atom.Button, atom.Dialog:
		return true
	case atom.Header: // of the page; an article's own header is its beginning
		return n.Parent != nil && n.Parent.DataAtom == atom.Body
	default:
	}
	for _, a := range n.Attr {
		if a.Key == "role" && (a.Val == "navigation" || a.Val == "banner" || a.Val == "contentinfo" || a.Val == "complementary" || a.Val == "search") {
			return true
		}
	}
	return false
}
