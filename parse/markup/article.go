package markup

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"codeberg.org/readeck/go-readability"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"inlay/internal/lazy"
)

// numberKey is the attribute by which an element is found again in the tree that
// readability makes.
const numberKey = "data-inlay-number"

// leastArticle is the number of words below which a page is read whole.
const leastArticle = 40

// toArticle reduces a page to its article, in place, and returns the number of words
// the page has and those that are left. A page without a clear article, such as an
// index, stays whole: then both are equal.
//
// Readability says where the article is, by paragraphs; what is kept is the smallest
// element of the page around them, less the menus, forms and links to other pages
// inside. So tables, code and captions that readability drops are kept.
func toArticle(root *html.Node) (words, left int) {
	words = countWords(root)
	elements, levels := number(root)
	if levels > maxLevels {
		return words, words
	}
	p := readability.NewParser()
	found, err := p.ParseDocument(root, &url.URL{Scheme: "http", Host: "localhost"})
	if err != nil || found.Node == nil {
		return words, words
	}
	kept := survivors(found.Node, elements)
	main := around(kept)
	if main == nil || main.DataAtom == atom.Html {
		return words, words
	}
	within := map[*html.Node]bool{}
	for _, n := range kept {
		for up := n; up != nil && up != main.Parent; up = up.Parent {
			within[up] = true
		}
	}
	drop := clutter(main, within)
	left = countWords(main)
	linked := linkedWords(main)
	for _, n := range drop {
		left -= countWords(n)
		linked -= linkedWords(n)
	}
	if left < leastArticle || linked*2 > left || proseOutside(root, main) > 2*left {
		return words, words
	}
	for _, n := range drop {
		n.Parent.RemoveChild(n)
	}
	isolate(main)
	return words, left
}

// maxLevels bounds the levels of all elements together: readability looks at each
// element once more for those around it. Large pages have a hundred thousand.
const maxLevels = 1_000_000

// number marks every element and returns them by their number, and the sum of how
// deep each of them is.
func number(root *html.Node) (all []*html.Node, levels int) {
	depth := 0
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		depth++
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode {
				c.Attr = append(c.Attr, html.Attribute{Key: numberKey, Val: strconv.Itoa(len(all))})
				all = append(all, c)
				levels += depth
				walk(c)
			}
		}
		depth--
	}
	walk(root)
	return all, levels
}

// isBlock recognises elements that hold a piece of running text.
func isBlock(tag atom.Atom) bool {
	return slices.Contains([]atom.Atom{
		atom.P, atom.Li, atom.Pre, atom.Blockquote, atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5,
		atom.H6, atom.Dd, atom.Dt, atom.Figure, atom.Figcaption, atom.Div, atom.Section,
	}, tag)
}

// survivors are the blocks of the page that readability kept and that hold text of
// their own.
func survivors(article *html.Node, elements []*html.Node) []*html.Node {
	var found []*html.Node
	for n := range article.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		i, err := strconv.Atoi(attribute(n, numberKey))
		if err != nil || i < 0 || i >= len(elements) || !isBlock(elements[i].DataAtom) || !hasOwnText(n) {
			continue
		}
		found = append(found, elements[i])
	}
	return found
}

// hasOwnText reports whether an element holds text outside of further blocks.
func hasOwnText(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" || c.Type == html.ElementNode && !isBlock(c.DataAtom) && strings.TrimSpace(textOf(c)) != "" {
			return true
		}
	}
	return false
}

// around is the smallest element that holds all of the given ones.
func around(nodes []*html.Node) *html.Node {
	if len(nodes) == 0 {
		return nil
	}
	path := ancestors(nodes[0])
	for _, n := range nodes[1:] {
		other := ancestors(n)
		same := 0
		for same < len(path) && same < len(other) && path[same] == other[same] {
			same++
		}
		path = path[:same]
	}
	if len(path) == 0 {
		return nil
	}
	return path[len(path)-1]
}

// ancestors is the way from the root down to an element, itself included.
func ancestors(n *html.Node) []*html.Node {
	var path []*html.Node
	for ; n != nil; n = n.Parent {
		if n.Type == html.ElementNode {
			path = append(path, n)
		}
	}
	slices.Reverse(path)
	return path
}

// named are classes and ids of what is around an article.
var named = lazy.Regexp(`(?i)(^|[-_ ])(nav|navbar|menu|breadcrumbs?|sidebar|side-bar|share|sharing|social|related|recommend(ed|ations)?|newsletter|subscribe|subscription|comments?|commentlist|disqus|footer|masthead|promo|advert(isement)?|ads?|cookie|consent|popup|modal|pagination|pager|toolbar|tags?|outbrain|taboola|byline-follow|more-stories|most-read|trending|popular|widget|signup|sign-up|skip-link|editsection|toc|print-only|hidden)([-_ ]|$)`)

// clutter lists the elements within an article that are none of it. Those that hold
// what readability kept stay.
func clutter(main *html.Node, within map[*html.Node]bool) []*html.Node {
	var found []*html.Node
	var look func(n *html.Node)
	look = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type != html.ElementNode:
			case !within[c] && isClutter(c):
				found = append(found, c)
			default:
				look(c)
			}
		}
	}
	look(main)
	return found
}

// isClutter judges an element by what it is, how it is called, and whether it is
// mostly links.
func isClutter(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Form, atom.Aside, atom.Button, atom.Select, atom.Dialog:
		return true
	case atom.Table, atom.Pre, atom.Figure, atom.Code, atom.H1, atom.H2, atom.H3, atom.P, atom.Body:
		return false
	default:
	}
	switch attribute(n, "role") {
	case "navigation", "complementary", "contentinfo", "banner", "search", "dialog", "menu":
		return true
	}
	if named().MatchString(attribute(n, "class")) || named().MatchString(attribute(n, "id")) {
		return true
	}
	switch n.DataAtom {
	case atom.Div, atom.Section, atom.Ul, atom.Ol, atom.Header:
		all := countWords(n)
		return all > 3 && linkedWords(n)*2 > all
	default:
		return false
	}
}

// proseOutside counts the words outside of the article that are in no link: those of
// paragraphs of some length.
func proseOutside(root, main *html.Node) int {
	total := 0
	var look func(n *html.Node)
	look = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c == main, c.Type != html.ElementNode, unread(c):
			case c.DataAtom == atom.P || c.DataAtom == atom.Pre || c.DataAtom == atom.Td:
				if n := countWords(c) - linkedWords(c); n >= 15 {
					total += n
				}
			default:
				look(c)
			}
		}
	}
	look(root)
	return total
}

// isolate removes everything of a page that is not in the element, but for its head.
func isolate(main *html.Node) {
	for n := main; n.Parent != nil && n.Parent.Type == html.ElementNode; n = n.Parent {
		for c := n.Parent.FirstChild; c != nil; {
			next := c.NextSibling
			if c != n && c.DataAtom != atom.Head {
				n.Parent.RemoveChild(c)
			}
			c = next
		}
	}
}

// countWords counts the words that a reader sees in an element.
func countWords(n *html.Node) int {
	return count(n, false)
}

// linkedWords counts those of them that are in links.
func linkedWords(n *html.Node) int {
	return count(n, true)
}

func count(n *html.Node, links bool) int {
	if n.Type == html.TextNode {
		if links {
			return 0
		}
		return wordsIn(n.Data)
	}
	if n.Type == html.ElementNode && unread(n) {
		return 0
	}
	if links && n.DataAtom == atom.A {
		links = false
	}
	total := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		total += count(c, links)
	}
	return total
}

// wordsIn counts words between blanks; of scripts that put none, each sign is one.
func wordsIn(text string) int {
	n, inWord := 0, false
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			n++
			inWord = false
		case unicode.IsSpace(r):
			inWord = false
		case !inWord:
			n++
			inWord = true
		}
	}
	return n
}
