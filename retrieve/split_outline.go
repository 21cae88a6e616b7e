package retrieve

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"inlay/parse"
)

// level says how good a place is to cut at.
type level uint8

// The levels, from the last resort to the best.
const (
	atGrapheme  level = iota
	atWord            // before a word, or after a mark of punctuation
	atLine            // before a line of running text
	atSentence        // before a sentence
	atItem            // before a list item, a table row, a line of code
	atParagraph       // after a blank line, before a paragraph or a page
	atBlock           // before or after a table, a list, a code block or a declaration
	atHeading         // before a heading, slide, sheet or part
)

// cut is a place in a text and how good it is to cut there.
type cut struct {
	pos   int
	level level
}

// span is a half-open range of bytes.
type span struct{ start, end int }

// outline is what the sections and lines of a document say about where to cut
// it. Sentences and words are looked up later, where they are needed.
type outline struct {
	cuts  []cut  // by position; every line that is not blank, every section
	code  []span // code blocks and declarations, by start
	parts []parse.Section
	files []int // where parts of the document begin, such as files of an archive
	text  string
}

func newOutline(d parse.Document) *outline {
	o := &outline{text: d.Text, parts: sections(d)}
	for _, s := range o.parts {
		if s.Kind == parse.Code {
			o.code = append(o.code, span{s.Start, s.End})
		}
		if s.Kind == parse.Part {
			o.files = append(o.files, s.Start)
		}
	}
	o.scanLines()
	return o
}

// sections are the document's sections in order, those that do not lie in its
// text left out.
func sections(d parse.Document) []parse.Section {
	parts := make([]parse.Section, 0, len(d.Sections))
	for _, s := range d.Sections {
		if 0 <= s.Start && s.Start < s.End && s.End <= len(d.Text) && runeEdge(d.Text, s.Start) && runeEdge(d.Text, s.End) {
			parts = append(parts, s)
		}
	}
	slices.SortStableFunc(parts, func(a, b parse.Section) int { return cmp.Compare(a.Start, b.Start) })
	return parts
}

func runeEdge(text string, pos int) bool { return pos == len(text) || utf8.RuneStart(text[pos]) }

// partEnd is where the part that start is in ends: no passage goes on in another.
func (o *outline) partEnd(start int) int {
	if i := sort.SearchInts(o.files, start+1); i < len(o.files) {
		return o.files[i]
	}
	return len(o.text)
}

// edges are the places where sections begin and end, by position.
func (o *outline) edges() []cut {
	var edges []cut
	for _, s := range o.parts {
		l := startLevel(s.Kind)
		edges = append(edges, cut{s.Start, l})
		if l == atBlock {
			edges = append(edges, cut{s.End, l})
		}
	}
	slices.SortStableFunc(edges, func(a, b cut) int { return cmp.Compare(a.pos, b.pos) })
	return edges
}

func startLevel(k parse.Kind) level {
	switch k {
	case parse.Heading, parse.Slide, parse.Sheet, parse.Part:
		return atHeading
	case parse.Table, parse.List, parse.Code, parse.Page: // a passage of one page can be cited by it
		return atBlock
	default:
		return atParagraph
	}
}

// scanLines fills cuts: one for each line that is not blank, raised by section
// edges that lie before its first letter, and one for each edge inside a line.
func (o *outline) scanLines() {
	edges, region := o.edges(), regions{parts: o.parts}
	blank := false
	for start := 0; start < len(o.text); {
		end := lineEnd(o.text, start)
		line := o.text[start:end]
		indent := len(line) - len(strings.TrimLeft(line, " \t\r\n\f\v"))
		if indent == len(line) {
			blank = true
			start = end
			continue
		}
		c := cut{start, lineLevel(region.at(start+indent), blank, line[indent:])}
		for len(edges) > 0 && edges[0].pos <= start+indent {
			c.level = max(c.level, edges[0].level)
			edges = edges[1:]
		}
		o.cuts = append(o.cuts, c)
		for len(edges) > 0 && edges[0].pos < end {
			if edges[0].pos > o.cuts[len(o.cuts)-1].pos && strings.TrimSpace(o.text[edges[0].pos:end]) != "" {
				o.cuts = append(o.cuts, edges[0])
			}
			edges = edges[1:]
		}
		blank = false
		start = end
	}
}

// lineEnd is the place after the line break of the line that begins at start.
func lineEnd(text string, start int) int {
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		return start + i + 1
	}
	return len(text)
}

// lineLevel is how good it is to cut before a line, given what it is in
// and whether a blank line is before it.
func lineLevel(in parse.Kind, blank bool, line string) level {
	switch {
	case blank:
		return atParagraph
	case in == parse.Table, in == parse.Code, isItem(line):
		return atItem
	}
	return atLine
}

// isItem reports whether a line begins as a list item does: with a bullet, or
// with a number and a full stop or parenthesis.
func isItem(line string) bool {
	for _, bullet := range []string{"- ", "* ", "+ ", "• ", "– "} {
		if strings.HasPrefix(line, bullet) {
			return true
		}
	}
	rest := strings.TrimLeft(line, "0123456789")
	n := len(line) - len(rest)
	return n > 0 && n <= 3 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

// regions tells the innermost table, list or code block at ascending places.
type regions struct {
	parts []parse.Section
	open  []parse.Section
}

func (r *regions) at(pos int) parse.Kind {
	for len(r.parts) > 0 && r.parts[0].Start <= pos {
		if startLevel(r.parts[0].Kind) == atBlock {
			r.open = append(r.open, r.parts[0])
		}
		r.parts = r.parts[1:]
	}
	for len(r.open) > 0 && r.open[len(r.open)-1].End <= pos {
		r.open = r.open[:len(r.open)-1]
	}
	if len(r.open) == 0 {
		return ""
	}
	return r.open[len(r.open)-1].Kind
}
