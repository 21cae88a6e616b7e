package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// flatten drops the tags of elements nested deeper than depth and keeps their
// text: the work of building and rendering a tree grows with its depth. It counts
// the tags that open an element.
func flatten(page string, depth int) (flat string, tags int) {
	z := html.NewTokenizer(strings.NewReader(page))
	var b strings.Builder
	var open, dropped []atom.Atom
	used := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := z.Raw()
		if kind != html.StartTagToken && kind != html.EndTagToken {
			b.Write(raw)
			continue
		}
		if kind == html.StartTagToken {
			tags++
		}
		name, _ := z.TagName()
		tag := atom.Lookup(name)
		if unnested(tag) {
			b.Write(frameless(z, tag, kind, raw))
			continue
		}
		if kind == html.StartTagToken {
			if used+levels(tag) > depth {
				dropped = append(dropped, tag)
				b.WriteByte(' ')
				continue
			}
			open = append(open, tag)
			used += levels(tag)
			b.Write(raw)
			continue
		}
		if n := len(dropped); n > 0 && dropped[n-1] == tag {
			dropped = dropped[:n-1]
			b.WriteByte(' ')
			continue
		}
		kept := closeTag(open, tag)
		for _, closed := range open[len(kept):] {
			used -= levels(closed)
			dropped = nil
		}
		open = kept
		b.Write(raw)
	}
	return b.String(), tags
}

// levels is how deep an element goes with the ones that are in it unseen:
// body, row and cell in a table, the item in a list.
func levels(tag atom.Atom) int {
	switch tag {
	case atom.Table:
		return 4
	case atom.Ul, atom.Ol, atom.Dl, atom.Select:
		return 2
	default:
		return 1
	}
}

// closeTag removes the innermost open element of that name and those in it.
func closeTag(open []atom.Atom, tag atom.Atom) []atom.Atom {
	for i, name := range slices.Backward(open) {
		if name == tag {
			return open[:i]
		}
	}
	return open
}

// closesItself names elements without an end tag, and those whose end tag may
// be left out: they nest only inside others.
func closesItself(tag atom.Atom) bool {
	switch tag {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Param, atom.Source, atom.Track, atom.Wbr, atom.P, atom.Li, atom.Dt, atom.Dd, atom.Tr, atom.Td, atom.Th,
		atom.Thead, atom.Tbody, atom.Tfoot, atom.Option, atom.Optgroup, atom.Colgroup, atom.Html, atom.Head, atom.Body:
		return true
	default:
		return false
	}
}
