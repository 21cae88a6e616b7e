package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// What is at the upper or lower edge of page after page is the pages' head or
// foot and no heading.
const (
	edgeLines   = 2   // at each edge that may be a head or a foot
	contentsOf  = .5  // share of lines that end in a page's number: a page of contents
	leastEdges  = 3   // pages with the same head
	leastListed = 4   // lines of contents
	maxEdge     = 160 // bytes of a head
)

// edges returns the lines at the upper and lower edge of a page, by index.
func edgesOf(lines []placed) []int {
	order := make([]int, 0, len(lines))
	for i, l := range lines {
		if !l.table && len(l.text) <= maxEdge {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lines[b].across(), lines[a].across()) })
	if len(order) <= 2*edgeLines {
		return order
	}
	return slices.Concat(order[:edgeLines], order[len(order)-edgeLines:])
}

// edgeKey is a head without what changes from page to page: its numbers.
func edgeKey(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.IsSpace(r) || unicode.IsPunct(r)
	}), " ")
}

// runningHeads counts on how many pages each text is at an edge: by its edgeKey,
// and one with numbers also by the text itself, which no key is.
func runningHeads(pages []pageText) map[string]int {
	seen := map[string]int{}
	for _, p := range pages {
		once := map[string]bool{}
		for _, i := range edgesOf(p.lines) {
			text := p.lines[i].text
			for _, key := range []string{edgeKey(text), text} {
				if key != "" && !once[key] {
					once[key] = true
					seen[key]++
				}
			}
		}
	}
	return seen
}

// isContentsPage reports whether a page is a table of contents: half of its lines
// have a leader or end in a number that is not part of the text.
func isContentsPage(lines []placed) bool {
	listed, before, rising := 0, 0, true
	for _, l := range lines {
		text := strings.TrimRight(l.text, " ")
		digits := text[len(strings.TrimRight(text, "0123456789")):]
		switch {
		case l.table:
		case hasLeader(text):
			listed++
		case digits != "" && len(digits) < 5 && len(digits) < len(text) && strings.HasSuffix(text[:len(text)-len(digits)], " "):
			listed++
			n := 0
			for _, r := range digits {
				n = 10*n + int(r-'0')
			}
			rising = rising && n >= before
			before = n
		}
	}
	return listed >= leastListed && rising && float64(listed) >= contentsOf*float64(len(lines))
}
