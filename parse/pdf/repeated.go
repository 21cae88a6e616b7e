package pdf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"inlay/internal/lazy"
	"inlay/internal/plural"
	"inlay/parse"
)

// A line at the edge of a page is a header or footer if pages near it have it in
// the same place or as near to the edge, one number aside that counts the pages. A line is looked at only
// if what is nearer to the edge is one too, so that running text is never reached.
const (
	repeatedLines = 4  // looked at, at each edge
	nearPages     = 4  // before and after a page: headers change with chapters and sides
	leastRepeats  = 3  // pages
	samePlace     = 3. // points
	pageNumbers   = 4  // numbers of a line that may be the page's
)

// edgeLine is a line at an edge of a page.
type edgeLine struct {
	placed
	index int // among the lines of its page
	kind  parse.Kind
	keys  []string
	rank  int     // from the edge
	at    float64 // across the direction of writing
}

// repeated finds the headers and footers of a document, as sections. What is
// already a heading is none; headings holds where these begin.
func repeated(pages []pageText, starts []int, headings map[int]bool) []parse.Section {
	letters := map[float64]int{}
	for _, p := range pages {
		for _, l := range p.lines {
			letters[rounded(l.size)] += countLetters(l.text)
		}
	}
	usual := most(letters)
	edges := make([][]edgeLine, len(pages))
	for i, p := range pages {
		edges[i] = edgesAt(p.lines, i, usual)
	}
	var out []parse.Section
	for i := range edges {
		for _, l := range runningAt(edges, i) {
			if start := starts[i] + l.start; !headings[start] {
				out = append(out, parse.Section{Kind: l.kind, Label: edgeKey(l.text), Start: start, End: start + len(l.text)})
			}
		}
	}
	return out
}

// edgesAt returns the lines at the edges of the page with index i: from the top
// down, from the bottom up, and those in its margins.
func edgesAt(lines []placed, i int, usual float64) (out []edgeLine) {
	dir := directionOf(lines)
	var upright []edgeLine
	for k, l := range lines {
		one := edgeLine{placed: l, index: k, at: l.across()}
		small := !l.table && len(l.text) <= maxEdge
		if small {
			one.keys = edgeKeys(l.text, i)
		}
		if l.ux*dir.ux+l.uy*dir.uy >= turned {
			upright = append(upright, one)
		} else if small {
			one.kind = pageMargin
			out = append(out, one)
		}
	}
	slices.SortStableFunc(upright, func(a, b edgeLine) int { return cmp.Compare(b.at, a.at) })
	for n, l := range upright[:min(repeatedLines, len(upright))] {
		l.kind, l.rank = parse.PageHeader, n
		if l.size >= clearlyLarger*usual {
			l.keys = nil // a title
		}
		out = append(out, l)
		last := upright[len(upright)-1-n]
		last.kind, last.rank = parse.PageFooter, n
		out = append(out, last)
	}
	return out
}

// pageMargin is the kind of lines in another direction than the page's, until
// they are sections: nothing is between them and the edge.
const pageMargin parse.Kind = "margin"

// directionOf is the direction of most of a page's text.
func directionOf(lines []placed) directed {
	letters := map[directed]int{}
	best := directed{1, 0}
	for _, l := range lines {
		d := directed{math.Round(l.ux*100) / 100, math.Round(l.uy*100) / 100}
		if letters[d] += len(l.text); letters[d] > letters[best] {
			best = d
		}
	}
	return best
}

// runningAt returns the headers and footers of the page with index i.
func runningAt(edges [][]edgeLine, i int) (out []edgeLine) {
	seen := map[int]bool{}
	ended := map[parse.Kind]float64{}
	for _, l := range edges[i] {
		y, over := ended[l.kind]
		switch {
		case over && l.kind != pageMargin && math.Abs(l.at-y) > samePlace:
		case !repeats(edges, i, l):
			if !over {
				ended[l.kind] = l.at
			}
		case !seen[l.index]:
			seen[l.index] = true
			if l.kind == pageMargin {
				l.kind = parse.PageFooter
			}
			out = append(out, l)
		}
	}
	return out
}

// repeats reports whether pages near the one with index i have a line in the same place.
func repeats(edges [][]edgeLine, i int, l edgeLine) bool {
	for _, key := range l.keys {
		n := 0
		for page := max(0, i-nearPages); page <= min(i+nearPages, len(edges)-1); page++ {
			n += btoi(slices.ContainsFunc(edges[page], func(o edgeLine) bool {
				return o.kind == l.kind && (o.rank == l.rank || math.Abs(o.at-l.at) <= samePlace) && slices.Contains(o.keys, key)
			}))
		}
		if n >= leastRepeats {
			return true
		}
	}
	return false
}

var (
	digits = lazy.Regexp(`\d+`)
	roman  = lazy.Regexp(`(?i)^m{0,3}(?:d?c{0,3}|c[dm])(?:l?x{0,3}|x[lc])(?:v?i{0,3}|i[vx])$`)
)

// edgeKeys are what a line of the page with index i has in common with the same
// one of another page: its text, and its text with one number less the page's.
func edgeKeys(text string, i int) []string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return nil
	}
	keys := []string{text}
	for _, at := range digits().FindAllStringIndex(text, pageNumbers) {
		if n, err := strconv.Atoi(text[at[0]:at[1]]); err == nil {
			keys = append(keys, fmt.Sprintf("%s\x00%d\x00%s", text[:at[0]], n-i, text[at[1]:]))
		}
	}
	if roman().MatchString(text) {
		keys = append(keys, fmt.Sprintf("\x00%d", romanNumber(text)-i))
	}
	return keys
}

// romanNumber is the value of a Roman number.
func romanNumber(s string) (n int) {
	worth := map[rune]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100, 'd': 500, 'm': 1000}
	before := 0
	for _, r := range strings.ToLower(s) {
		v := worth[r]
		if n += v; before < v {
			n -= 2 * before
		}
		before = v
	}
	return n
}

// markRepeated adds the headers and footers to a document, and says how many.
func markRepeated(doc *parse.Document, pages []pageText, starts []int) {
	headings := map[int]bool{}
	for _, s := range doc.Sections {
		if s.Kind == parse.Heading {
			headings[s.Start] = true
		}
	}
	found := repeated(pages, starts, headings)
	if len(found) == 0 {
		return
	}
	doc.Sections = append(doc.Sections, found...)
	doc.Coverage.Repeated = len(found)
	doc.Warnings = append(doc.Warnings, parse.Warning{
		Code:    parse.WarnRepeated,
		Message: plural.Of(len(found), "line") + " at the edges of its pages repeat as headers or footers; passages have each text of these once and no page numbers",
	})
}
