package retrieve

import (
	"math"
	"slices"
	"sort"
	"strings"

	"inlay/parse"
)

// surroundings tells what is above a place: headings and a table's header.
type surroundings struct {
	text   string
	paths  []path  // by position
	tables []table // by position
	named  []named // by position
}

// named is a declaration.
type named struct {
	span
	label string
}

// path is the headings in force from a place on.
type path struct {
	pos      int
	headings string
	begins   bool // a heading is here, rather than ends
}

type table struct {
	span
	header    string // the first row without its line break
	headerEnd int    // where the second row begins
	tokens    int    // of the header and a line break; 0 means not counted yet
}

// Headings deeper than maxDepth and labels longer than maxLabel bytes are
// shortened, so that a hostile document cannot multiply its text by its chunks.
const (
	maxDepth = 8
	maxLabel = 200
)

func newSurroundings(text string, parts []parse.Section) *surroundings {
	s := &surroundings{text: text}
	var open []parse.Section
	closeUntil := func(pos, level int) {
		for len(open) > 0 && (open[len(open)-1].End <= pos || open[len(open)-1].Level >= level) {
			end := min(open[len(open)-1].End, pos)
			open = open[:len(open)-1]
			s.paths = append(s.paths, path{end, headingPath(text, open), false})
		}
	}
	for _, p := range parts {
		switch p.Kind {
		case parse.Heading:
			closeUntil(p.Start, max(p.Level, 1))
			open = append(open, p)
			s.paths = append(s.paths, path{p.Start, headingPath(text, open), true})
		case parse.Table:
			end := lineEnd(text, p.Start)
			s.tables = append(s.tables, table{span: span{p.Start, p.End}, header: strings.TrimSpace(text[p.Start:end]), headerEnd: end})
		case parse.Code:
			if p.Label != "" && !fenced(text[p.Start:p.End]) {
				s.named = append(s.named, named{span{p.Start, p.End}, parse.ShortLabel(p.Label, maxLabel)})
			}
		default: // says nothing of what is inside it
		}
	}
	closeUntil(len(text), math.MaxInt)
	slices.SortStableFunc(s.paths, func(a, b path) int { return a.pos - b.pos })
	return s
}

// fenced reports whether code is a block of Markdown, whose label is a language.
func fenced(code string) bool {
	code = strings.TrimLeft(code, " \t>")
	return strings.HasPrefix(code, "```") || strings.HasPrefix(code, "~~~")
}

// headingPath joins the labels of nested headings.
func headingPath(text string, open []parse.Section) string {
	labels := make([]string, 0, maxDepth)
	for _, h := range open[max(0, len(open)-maxDepth):] {
		label := h.Label
		if label == "" {
			label = strings.TrimLeft(text[h.Start:min(h.End, lineEnd(text, h.Start))], "# \t")
		}
		labels = append(labels, parse.ShortLabel(strings.TrimSpace(label), maxLabel))
	}
	return strings.Join(labels, " > ")
}

// heading is the path of headings of the chunk [start, end): those in force
// where its body begins, after any headings that it begins with. A part of a
// declaration has its name at the end of the path.
func (s *surroundings) heading(start, end int) string {
	above := s.headingsAt(start, end)
	i := sort.Search(len(s.named), func(i int) bool { return s.named[i].start >= start }) - 1
	for last := max(0, i-maxDepth); i >= last; i-- {
		if s.named[i].end >= end {
			return strings.TrimPrefix(above+" > "+s.named[i].label, " > ")
		}
	}
	return above
}

// headingsAt is heading without declarations.
func (s *surroundings) headingsAt(start, end int) string {
	pos := start
	for {
		body := skipSpace(s.text, pos, end)
		i := s.pathAt(body)
		if i < 0 || !s.paths[i].begins || s.paths[i].pos < pos || lineEnd(s.text, body) >= end {
			break
		}
		pos = lineEnd(s.text, body)
	}
	if i := s.pathAt(skipSpace(s.text, pos, end)); i >= 0 {
		return s.paths[i].headings
	}
	return ""
}

// pathAt is the number of the path in force at pos, -1 for none.
func (s *surroundings) pathAt(pos int) int {
	return sort.Search(len(s.paths), func(i int) bool { return s.paths[i].pos > pos }) - 1
}

// skipSpace is the first place in [pos, end) that is not ASCII white space, or
// pos if there is none.
func skipSpace(text string, pos, end int) int {
	if i := strings.IndexFunc(text[pos:end], func(r rune) bool { return !strings.ContainsRune(" \t\r\n\f\v", r) }); i >= 0 {
		return pos + i
	}
	return pos
}

// tableAt is the innermost table with pos after its first row, nil if there is none.
func (s *surroundings) tableAt(pos int) *table {
	i := sort.Search(len(s.tables), func(i int) bool { return s.tables[i].start > pos }) - 1
	if i >= 0 && s.tables[i].headerEnd <= pos && pos < s.tables[i].end {
		return &s.tables[i]
	}
	return nil
}
