package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"inlay/parse"
)

// A line is a heading if its font is larger than that of the running text, or
// bold where that is not, and it is short and stands apart.
const (
	largerBy       = 1.12 // times the size of the running text
	sameSize       = 1.04 // sizes this near are the same
	levelStep      = 1.08 // a smaller size is a level below
	commonShare    = .25  // of all letters: what has more is running text
	commonLetters  = 300  // fewer are never running text
	maxHeading     = 200  // bytes of a heading's line
	maxBoldHeading = 100
	headingLines   = 3 // lines of one heading
	runningHeads   = 3 // a heading seen this often is the head of every page
	letterShare    = .4
	deepest        = 6
	maxHeadings    = 20_000
)

// style is how a line looks.
type style struct {
	size float64 // rounded
	bold bool
}

func styleOf(l placed) style { return style{math.Round(l.size*10) / 10, l.bold} }

// headingFinder knows how the running text of a document looks.
type headingFinder struct {
	body    style
	letters map[style]int
	total   int
}

// headings finds the headings of a document. Each becomes a section from there
// to the next of its level or above. starts says where each page's text begins.
func headings(pages []pageText, starts []int, end int) []parse.Section {
	f := headingFinder{letters: map[style]int{}}
	for _, p := range pages {
		for _, l := range p.lines {
			if !l.table {
				n := countLetters(l.text)
				f.letters[styleOf(l)] += n
				f.total += n
			}
		}
	}
	f.measure()
	var all []title
	for i, p := range pages {
		all = append(all, f.page(p.lines, starts[i])...)
	}
	if len(all) > maxHeadings {
		return nil // whatever these are
	}
	all = withoutRunningHeads(all)
	rank(all)
	return enclose(all, end)
}

// measure finds the size in which most letters stand; the running text is bold
// if most letters of that size are.
func (f *headingFinder) measure() {
	sizes := map[float64]int{}
	for s, n := range f.letters {
		sizes[s.size] += n
	}
	for size, n := range sizes {
		if n > sizes[f.body.size] || n == sizes[f.body.size] && size < f.body.size {
			f.body.size = size
		}
	}
	f.body.bold = f.letters[style{f.body.size, true}] > f.letters[style{f.body.size, false}]
}

// title is a heading before its level is known.
type title struct {
	style
	text       string
	start, end int
	level      int
}

// page finds the titles among the lines of one page.
func (f *headingFinder) page(lines []placed, offset int) []title {
	var out []title
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && continues(lines[end-1], lines[end]) {
			end++
		}
		if f.stands(lines, i, end) {
			last := lines[end-1]
			out = append(out, title{
				style: styleOf(lines[i]), text: joinLines(lines[i:end]),
				start: offset + lines[i].start, end: offset + last.start + len(last.text),
			})
		}
		i = end
	}
	return out
}

// continues reports whether below looks like above and follows it closely.
func continues(above, below placed) bool {
	d := distanceDown(above.line, below.line)
	return !above.table && !below.table && styleOf(above) == styleOf(below) && d >= 0 && d < 1.8*above.size
}

// stands reports whether lines[i:end] are a heading.
func (f *headingFinder) stands(lines []placed, i, end int) bool {
	s := styleOf(lines[i])
	if lines[i].table || end-i > headingLines || float64(f.letters[s]) > max(commonShare*float64(f.total), commonLetters) {
		return false
	}
	text := joinLines(lines[i:end])
	letters := countLetters(text)
	if len(text) > maxHeading || !wordy(text) || float64(letters) < letterShare*float64(utf8.RuneCountInString(text)) {
		return false
	}
	if s.size >= largerBy*f.body.size {
		return true
	}
	return s.bold && !f.body.bold && s.size*sameSize >= f.body.size && len(text) <= maxBoldHeading &&
		end-i < headingLines && !strings.ContainsAny(text[len(text)-1:], ".,;:") && f.apart(lines, i, end)
}

// apart reports whether a heading that is only bold begins a paragraph and text
// follows it on the page.
func (f *headingFinder) apart(lines []placed, i, end int) bool {
	if i > 0 && !lines[i-1].table {
		if d := distanceDown(lines[i-1].line, lines[i].line); d >= 0 && d < paragraphGap*1.2*lines[i].size {
			return false
		}
	}
	return end < len(lines) && !lines[end].table && styleOf(lines[end]) != styleOf(lines[i]) &&
		distanceDown(lines[end-1].line, lines[end].line) > .9*lines[i].size
}

// wordy reports whether a text has two letters beside each other.
func wordy(s string) bool {
	before := false
	for _, r := range s {
		if unicode.IsLetter(r) && before {
			return true
		}
		before = unicode.IsLetter(r)
	}
	return false
}

func joinLines(lines []placed) string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.text
	}
	return strings.Join(texts, " ")
}

// withoutRunningHeads keeps the first of titles that stand on page after page.
func withoutRunningHeads(all []title) []title {
	seen := map[string]int{}
	for _, t := range all {
		seen[t.text]++
	}
	first := map[string]bool{}
	return slices.DeleteFunc(all, func(t title) bool {
		again := first[t.text]
		first[t.text] = true
		return again && seen[t.text] >= runningHeads
	})
}

// rank gives each title its level: the largest size is the first. Where there
// are too many sizes, the largest share a level, since they stand on covers.
func rank(all []title) {
	var sizes []float64
	for _, t := range all {
		sizes = append(sizes, t.size)
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	levels := map[float64]int{}
	steps, top := 0, 0.0
	for _, size := range sizes {
		if steps == 0 || top > levelStep*size {
			steps, top = steps+1, size
		}
		levels[size] = steps
	}
	for i := range all {
		all[i].level = max(levels[all[i].size]-max(steps-deepest, 0), 1)
	}
}

// enclose makes sections of titles.
func enclose(all []title, end int) []parse.Section {
	out := make([]parse.Section, len(all))
	var open []int
	for i, t := range all {
		for len(open) > 0 && out[open[len(open)-1]].Level >= t.level {
			out[open[len(open)-1]].End = t.start
			open = open[:len(open)-1]
		}
		out[i] = parse.Section{Kind: parse.Heading, Label: t.text, Level: t.level, Start: t.start, End: end}
		open = append(open, i)
	}
	return out
}
