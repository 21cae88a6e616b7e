// Package notes makes notes from complete documents that passages cannot give:
// their outline, and how many rows of their tables have a value.
package notes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"inlay/internal/lazy"
	"inlay/internal/plural"
	"inlay/parse"
)

// entry is a line of an outline.
type entry struct {
	level int // from 0
	label string
	where string // "page 3"; may be empty
}

// maxLabel is the length in bytes from which a heading is cut.
const maxLabel = 120

// Outline lists the sheets, slides, parts and headings of a document with the
// pages that they begin on, in at most the given number of bytes: the deepest
// headings are left out first, but for some of them where the rest takes less
// than half, and what is left out is said. Where the document
// has a table of contents of its own, its entries follow. It is empty for a
// document with none of these.
func Outline(d parse.Document, limit int) string {
	all := entriesOf(d)
	printed := printedContents(d.Text)
	if len(all) == 0 && len(printed) == 0 {
		return ""
	}
	room := limit
	if len(printed) > 0 {
		room = limit / 2
	}
	var b strings.Builder
	b.WriteString(totals(d))
	if len(all) > 0 {
		b.WriteString("\n" + list(all, room))
	}
	if len(printed) > 0 {
		b.WriteString("\nThe table of contents that the document has itself, with its page numbers:\n" + list(printed, limit-b.Len()))
	}
	return b.String()
}

// totals counts what an outline has: "18 pages; 3 sheets; 34 headings: 5 of level 1, 29 of level 2".
func totals(d parse.Document) string {
	n, levels := map[parse.Kind]int{}, map[int]int{}
	for i := range d.Sections {
		s := &d.Sections[i]
		n[s.Kind]++
		if s.Kind == parse.Heading {
			levels[s.Level]++
		}
	}
	var parts []string
	for _, kind := range []parse.Kind{parse.Page, parse.Slide, parse.Sheet, parse.Part} {
		if n[kind] > 0 {
			parts = append(parts, plural.Of(n[kind], string(kind)))
		}
	}
	var each []string
	for level := range 10 {
		if levels[level] > 0 {
			each = append(each, fmt.Sprintf("%d of level %d", levels[level], level))
		}
	}
	headings := plural.Of(n[parse.Heading], "heading")
	if len(each) > 0 {
		headings += ": " + strings.Join(each, ", ")
	}
	return strings.Join(append(parts, headings), "; ")
}

func entriesOf(d parse.Document) []entry {
	var all []entry
	places := parse.NewMap(d)
	title := "" // of the sheet, slide or part, which it may have as a heading, too
	for i := range d.Sections {
		s := &d.Sections[i]
		switch s.Kind {
		case parse.Sheet, parse.Slide, parse.Part:
			title = s.Label
		case parse.Heading:
			if s.Label == title {
				continue
			}
		default: // not part of an outline
		}
		switch s.Kind {
		case parse.Sheet:
			all = append(all, entry{0, fmt.Sprintf("sheet %q", s.Label), rowsIn(d, *s)})
		case parse.Slide:
			all = append(all, entry{0, strings.TrimSuffix(fmt.Sprintf("slide %d: %s", s.Number, s.Label), ": "), ""})
		case parse.Part:
			all = append(all, entry{0, cmp.Or(s.Label, "part"), ""})
		case parse.Heading:
			e := entry{level: max(s.Level, 1), label: s.Label}
			if page := places.At(s.Start, s.Start+1).Page; page > 0 {
				e.where = fmt.Sprintf("page %d", page)
			}
			all = append(all, e)
		default: // not part of an outline
		}
	}
	return all
}

// rowsIn says how many rows the tables of a sheet have.
func rowsIn(d parse.Document, sheet parse.Section) string {
	rows := 0
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Kind == parse.Table && s.Start >= sheet.Start && s.End <= sheet.End {
			rows += max(strings.Count(strings.TrimRight(d.Text[s.Start:s.End], "\n"), "\n")-1, 0)
		}
	}
	return plural.Of(rows, "row") + " below the header"
}

// list writes entries with two spaces for each level, within a number of bytes.
func list(entries []entry, limit int) string {
	lowest, highest := math.MaxInt, 0
	for _, e := range entries {
		lowest, highest = min(lowest, e.level), max(highest, e.level)
	}
	for level := highest; ; level-- {
		kept := slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return e.level > level })
		text, shown := written(kept, lowest, limit)
		if shown < len(kept) && level > lowest {
			continue
		}
		if level < highest && len(text) < limit/2 {
			text, shown = thinned(entries, level+1, lowest, limit)
		}
		if left := len(entries) - shown; left > 0 {
			text += fmt.Sprintf("\n(%s left out)", plural.Of(left, "more line"))
		}
		return text
	}
}

// thinned writes what is above a level and as many lines of it as fit, evenly
// from the whole document.
func thinned(entries []entry, level, lowest, limit int) (text string, shown int) {
	for step := 2; ; step++ {
		n := -1
		kept := slices.DeleteFunc(slices.Clone(entries), func(e entry) bool {
			if e.level == level {
				n++
			}
			return e.level > level || e.level == level && n%step > 0
		})
		if text, shown = written(kept, lowest, limit); shown == len(kept) || step > len(entries) {
			return text, shown
		}
	}
}

// written writes entries while they fit, and reports how many did.
func written(entries []entry, lowest, limit int) (string, int) {
	var lines []string
	size := 0
	for i, e := range entries {
		line := strings.Repeat("  ", e.level-lowest) + parse.ShortLabel(strings.Join(strings.Fields(e.label), " "), maxLabel)
		if e.where != "" {
			line += ", " + e.where
		}
		if size += len(line) + 1; size > limit {
			return strings.Join(lines, "\n"), i
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), len(entries)
}

// leader is a line of a table of contents: a title, dots, a page.
var leader = lazy.Regexp(`(?m)^[ \t|]*(\S.*?)[ \t]*(?:\.[ \t]?){4,}[ \t|]*([0-9]{1,4}|[ivxlcIVXLC]{1,8})[ \t|]*$`)

// leaderDots is how many dots leader wants at least.
const leaderDots = 4

// fewest is how many lines make a table of contents.
const fewest = 3

// printedContents are the entries of a document's own table of contents.
func printedContents(text string) []entry {
	var all []entry
	for _, m := range leader().FindAllStringSubmatch(text[:min(len(text), contentsWithin)], -1) {
		all = append(all, entry{0, m[1], m[2]})
	}
	if len(all) < fewest {
		return nil
	}
	return all
}

// contentsWithin is how far into a text its table of contents is looked for, in bytes.
const contentsWithin = 256 << 10

// Contents reports whether a text is from a table of contents: most of its lines
// are titles, dots and pages.
func Contents(text string) bool {
	if strings.Count(text, ".") < fewest*leaderDots {
		return false
	}
	n := len(leader().FindAllStringIndex(text, -1))
	if n < fewest {
		return false
	}
	lines := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	return 2*n >= lines
}
