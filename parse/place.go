package parse

import (
	"slices"
	"sort"
	"strings"
)

// Place is where a range of a document's text is, in its reader's terms.
// Absent numbers are 0, absent names empty.
type Place struct {
	Page        int      // number of the page it begins on
	Slide       int      // number of the slide
	Sheet       string   // name of the sheet
	Part        string   // name of the attachment or chapter
	Heading     string   // the nearest heading above
	HeadingPath []string // headings from the outermost to the nearest
	LineStart   int      // first line of the text, or of the file in an archive, from 1
	LineEnd     int      // last line
	RowStart    int      // of tables out of a spreadsheet: first row as the spreadsheet numbers it
	RowEnd      int      // last row
	TimeStart   string   // of subtitles: when the first cue begins
	TimeEnd     string   // when the last one ends
}

// Map answers where offsets of one document are. It is built once and safe
// for concurrent use.
type Map struct {
	lines    Lines
	sections []Section
	trees    map[Kind]tree
	numbered []int // sections with rows of a spreadsheet
}

// tree holds the sections of one kind in order, each with the one around it.
type tree struct{ sections, parents []int }

// NewMap indexes a document's sections and lines.
func NewMap(d Document) *Map {
	m := &Map{lines: NewLines(d.Text), sections: d.Sections, trees: map[Kind]tree{}}
	for _, kind := range []Kind{Page, Slide, Sheet, Part, Heading, Cue} {
		m.trees[kind] = m.grow(kind)
	}
	for i := range m.sections {
		if len(m.sections[i].Rows) > 0 {
			m.numbered = append(m.numbered, i)
		}
	}
	return m
}

// Lines returns the document's line index.
func (m *Map) Lines() Lines { return m.lines }

// LinesOf returns the first and last line of the range [start, end): of the
// whole text, or of the file in an archive that the range begins in.
func (m *Map) LinesOf(start, end int) (first, last int) {
	first, last = m.lines.Range(start, end)
	for _, s := range m.around(Part, start) {
		if s.Own > 0 {
			above := m.lines.LineAt(s.Own) - 1
			return max(first-above, 1), max(last-above, 1)
		}
	}
	return first, last
}

// SamePart reports whether two places are in the same part, or in none.
func (m *Map) SamePart(a, b int) bool {
	here, there := m.around(Part, a), m.around(Part, b)
	if len(here) == 0 || len(there) == 0 {
		return len(here) == len(there)
	}
	return here[0].Start == there[0].Start
}

// grow links each section of a kind to the one that encloses it.
func (m *Map) grow(kind Kind) tree {
	var t tree
	var open []int // positions in t.sections
	for i, s := range m.sections {
		if s.Kind != kind {
			continue
		}
		for len(open) > 0 && m.sections[t.sections[open[len(open)-1]]].End <= s.Start {
			open = open[:len(open)-1]
		}
		parent := -1
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		open = append(open, len(t.sections))
		t.sections = append(t.sections, i)
		t.parents = append(t.parents, parent)
	}
	return t
}

// around returns the sections of a kind that hold offset, the innermost first.
func (m *Map) around(kind Kind, offset int) []Section {
	t := m.trees[kind]
	at := sort.Search(len(t.sections), func(i int) bool { return m.sections[t.sections[i]].Start > offset }) - 1
	var found []Section
	for ; at >= 0; at = t.parents[at] {
		if s := m.sections[t.sections[at]]; offset < s.End {
			found = append(found, s)
		}
	}
	return found
}

// At returns the place of the half-open byte range [start, end).
func (m *Map) At(start, end int) Place {
	var p Place
	p.LineStart, p.LineEnd = m.LinesOf(start, end)
	if s := m.around(Page, start); len(s) > 0 {
		p.Page = s[0].Number
	}
	if s := m.around(Slide, start); len(s) > 0 {
		p.Slide = s[0].Number
	}
	if s := m.around(Sheet, start); len(s) > 0 {
		p.Sheet = s[0].Label
	}
	if s := m.around(Part, start); len(s) > 0 {
		p.Part = s[0].Label
	}
	headings := m.around(Heading, start)
	for _, s := range slices.Backward(headings) {
		p.HeadingPath = append(p.HeadingPath, s.Label)
	}
	if len(headings) > 0 {
		p.Heading = headings[0].Label
	}
	p.RowStart, p.RowEnd = m.rows(start, end)
	p.TimeStart, p.TimeEnd = m.times(start, end)
	return p
}

// Edges returns the places inside (start, end) where sections of the kinds, of
// those that [NewMap] knows by kind, begin or end.
func (m *Map) Edges(start, end int, kinds ...Kind) []int {
	var at []int
	add := func(pos int) {
		if start < pos && pos < end {
			at = append(at, pos)
		}
	}
	for _, kind := range kinds {
		for _, s := range m.around(kind, start) {
			add(s.End)
		}
		all := m.trees[kind].sections
		next := sort.Search(len(all), func(i int) bool { return m.sections[all[i]].Start > start })
		for _, i := range all[next:] {
			if m.sections[i].Start >= end {
				break
			}
			add(m.sections[i].Start)
			add(m.sections[i].End)
		}
	}
	return at
}

// rows returns the first and last row of a spreadsheet in a range, 0 if it holds none.
func (m *Map) rows(start, end int) (first, last int) {
	at := sort.Search(len(m.numbered), func(i int) bool { return m.sections[m.numbered[i]].End > start })
	for _, i := range m.numbered[at:] {
		s := &m.sections[i]
		if s.Start >= end {
			break
		}
		top := m.lines.LineAt(s.Start)
		from, to := m.lines.Range(max(start, s.Start), min(end, s.End))
		if first == 0 {
			first = s.RowOf(from - top)
		}
		last = s.RowOf(to - top)
	}
	return first, last
}

// times returns when the first cue of a range begins and the last one ends.
func (m *Map) times(start, end int) (first, last string) {
	if len(m.trees[Cue].sections) == 0 {
		return "", ""
	}
	all := m.trees[Cue].sections
	at := sort.Search(len(all), func(i int) bool { return m.sections[all[i]].End > start })
	for _, i := range all[at:] {
		s := &m.sections[i]
		if s.Start >= end {
			break
		}
		from, to, _ := strings.Cut(s.Label, "-")
		if first == "" {
			first = from
		}
		last = to
	}
	return first, last
}
