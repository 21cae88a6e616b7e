package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"inlay/internal/lazy"
	"inlay/parse"
)

// A line is a heading if its font is larger than that of the running text, or
// bold where that is not, and it is short and apart.
const (
	largerBy       = 1.12 // times the size of the running text
	clearlyLarger  = 1.3  // whatever else a line looks like
	sameSize       = 1.04 // sizes this near are the same
	levelStep      = 1.08 // a smaller size is a level below
	commonShare    = .25  // of all letters: what has more is running text
	commonLetters  = 300  // fewer are never running text
	maxHeading     = 200  // bytes of a heading's line
	maxBoldHeading = 100
	headingLines   = 3 // lines of one heading
	letterShare    = .4
	rareFace       = .05 // of the letters of a document
	pageShare      = .6  // of a page's letters: they are its running text
	titleGap       = 6   // font sizes from a heading to what follows it
	labelSize      = .9  // of the running text: what is smaller is none
	deepest        = 6
	maxHeadings    = 20_000
)

// style is how a line looks.
type style struct {
	size float64 // rounded
	bold bool
}

func styleOf(l placed) style { return style{rounded(l.size), l.bold} }

// rounded is a font size to a tenth of a point.
func rounded(size float64) float64 { return math.Round(size*10) / 10 }

// headingFinder knows how the running text of a document looks.
type headingFinder struct {
	body    style
	face    string  // of most of the running text
	usual   float64 // size of the running text of the page looked at
	letters map[style]int
	sizes   map[float64]int // letters of each size, those of tables too
	total   int
	fixed   int            // letters in fonts of one advance
	faces   map[string]int // letters in each font
	marks   map[string]int // titles of bookmarks and their levels
	running map[string]int // texts at the edges of pages and on how many
}

// headings finds the headings of a document. Each becomes a section from there
// to the next of its level or above. starts says where each page's text begins.
func headings(pages []pageText, starts []int, end int, marks map[string]int) []parse.Section {
	f := headingFinder{letters: map[style]int{}, sizes: map[float64]int{}, faces: map[string]int{}, marks: marks, running: runningHeads(pages)}
	for _, p := range pages {
		for _, l := range p.lines {
			n := countLetters(l.text)
			f.sizes[rounded(l.size)] += n
			if !l.table {
				f.letters[styleOf(l)] += n
				f.total += n
				f.fixed += n * btoi(l.fixed)
				f.faces[l.face] += n
			}
		}
	}
	f.measure(pages)
	var all []title
	for i, p := range pages {
		all = append(all, f.page(p.lines, starts[i])...)
	}
	if len(all) > maxHeadings {
		return nil // whatever these are
	}
	all = withoutListed(withoutRunningHeads(all))
	f.rank(all)
	return enclose(all, end)
}

// measure finds the size in which most letters are; the running text is bold
// if most letters of that size are, and in the font that most of them have.
func (f *headingFinder) measure(pages []pageText) {
	f.body.size = most(f.sizes)
	f.body.bold = f.letters[style{f.body.size, true}] > f.letters[style{f.body.size, false}]
	faces := map[string]int{}
	for _, p := range pages {
		for _, l := range p.lines {
			if styleOf(l) == f.body && !l.table && l.face != "" {
				faces[l.face] += countLetters(l.text)
			}
		}
	}
	f.face = most(faces)
}

// most is the key with the largest count, the smallest of them.
func most[K cmp.Ordered](counts map[K]int) (best K) {
	for k, n := range counts {
		if n > counts[best] || n == counts[best] && k < best {
			best = k
		}
	}
	return best
}

// usualSizeOf is the size of a page's running text: the document's, or a smaller
// one that most of the page has, as leaflets bound into a report.
func (f *headingFinder) usualSizeOf(lines []placed) float64 {
	letters, all := map[float64]int{}, 0
	for _, l := range lines {
		n := countLetters(l.text)
		letters[rounded(l.size)] += n
		all += n
	}
	size := most(letters)
	if n := letters[size]; n > commonLetters && float64(n) > pageShare*float64(all) && size > 0 {
		return min(size, f.body.size)
	}
	return f.body.size
}

// title is a heading before its level is known.
type title struct {
	style
	text       string
	start, end int
	level      int
	edge       bool // it is at the edge of many pages
}

// page finds the titles among the lines of one page.
func (f *headingFinder) page(lines []placed, offset int) []title {
	var out []title
	edges, contents := edgesOf(lines), isContentsPage(lines)
	f.usual = f.usualSizeOf(lines)
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && continues(lines[end-1], lines[end]) {
			end++
		}
		if f.stands(lines, i, end) && (!contents || len(out) == 0) {
			last := lines[end-1]
			out = append(out, title{
				style: styleOf(lines[i]), text: joinLines(lines[i:end]), edge: end-i == 1 && f.isEdge(lines[i]) && slices.Contains(edges, i),
				start: offset + lines[i].start, end: offset + last.start + len(last.text),
			})
		}
		i = end
	}
	return out
}

// chapter is a title with the number of its chapter behind the first word: "Chapter
// 24: the anchor", and not "Page 3 of 10".
var chapter = lazy.Regexp(`^\p{L}+ \d+(?:[:.] .*\p{L}.*|\b[^\d]*\p{L}[^\d]*)$`)

// isEdge reports whether a line is the head or foot of many pages. Titles of
// chapters that begin a page each may differ in their numbers alone, but no two are
// the same, and they are large.
func (f *headingFinder) isEdge(l placed) bool {
	if l.size >= clearlyLarger*f.usual && f.running[l.text] == 1 && chapter().MatchString(l.text) {
		return false
	}
	return f.running[edgeKey(l.text)] >= leastEdges
}

// alike reports whether two lines look the same; one in several fonts may.
func alike(a, b placed) bool {
	return styleOf(a) == styleOf(b) && (a.face == b.face || a.face == "" || b.face == "")
}

// continues reports whether below looks like above and follows it closely.
func continues(above, below placed) bool {
	d := distanceDown(above.line, below.line)
	return !above.table && !below.table && alike(above, below) && d >= 0 && d < 1.8*above.size
}

// stands reports whether lines[i:end] are a heading.
func (f *headingFinder) stands(lines []placed, i, end int) bool {
	s := styleOf(lines[i])
	if lines[i].table || end-i > headingLines || f.isCommon(s) && !f.isRare(lines[i].face) {
		return false
	}
	text := joinLines(lines[i:end])
	if f.marks[titleKey(text)] > 0 && styleOf(lines[i]) != f.body {
		return true
	}
	if !f.couldTitle(text, lines[i]) || end-i == 1 && lines[i].parted { // or a row of labels
		return false
	}
	rare := f.isRare(lines[i].face) && startsLarge(text)
	if s.size >= clearlyLarger*f.usual || s.size >= largerBy*f.usual && f.leads(lines, i, end) {
		return true
	}
	marked := s.bold && !f.body.bold || (rare || f.isNumbered(lines[i])) && !isCaption(text)
	return marked && s.size*sameSize >= f.usual && len(text) <= maxBoldHeading &&
		end-i < headingLines && !strings.ContainsAny(text[len(text)-1:], ".,;:") && f.apart(lines, i, end)
}

// couldTitle reports whether the text of a line is one that a heading may have:
// words, and neither an entry of contents nor code and formulas.
func (f *headingFinder) couldTitle(text string, l placed) bool {
	if len(text) > maxHeading || !wordy(text) || float64(countLetters(text)) < letterShare*float64(utf8.RuneCountInString(text)) {
		return false
	}
	return !hasLeader(text) && (!l.fixed || 2*f.fixed >= f.total) && !strings.ContainsAny(text, "=<>")
}

// isNumbered reports whether a line begins with the number of a section and looks
// other than the running text.
func (f *headingFinder) isNumbered(l placed) bool {
	first, rest, _ := strings.Cut(l.text, " ")
	return numbering(first) != "" && rest != "" && l.face != "" && l.face != f.face
}

// leads reports whether running text, a table or another title follows a title
// closely: what follows a label of a figure is another label, mostly smaller.
func (f *headingFinder) leads(lines []placed, i, end int) bool {
	if end == len(lines) || lines[end].table {
		return true
	}
	d := distanceDown(lines[end-1].line, lines[end].line)
	return d > 0 && d < titleGap*lines[i].size && lines[end].size >= labelSize*f.usual
}

// numbering is the number of a section that a word is: "1.2", "(3)", "IV.", "B)".
func numbering(word string) string {
	s := strings.Trim(word, "().[]§")
	roman, digits := strings.Trim(s, "IVXivx") == "", strings.Trim(s, "0123456789.") == ""
	one := len(s) == 1 && s[0] >= 'A' && s[0] <= 'Z' && len(word) > 1
	year := digits && len(s) > 3 && !strings.Contains(s, ".")
	if s == "" || len(s) > maxNumbering || year || !roman && !digits && !one || strings.Contains(s, "..") || roman && s == word {
		return ""
	}
	return s
}

// maxNumbering is the longest number of a section, in bytes.
const maxNumbering = 8

// isCommon reports whether so much of the document looks so that it is text.
func (f *headingFinder) isCommon(s style) bool {
	return float64(f.letters[s]) > max(commonShare*float64(f.total), commonLetters)
}

// isRare reports whether hardly any of the document's lines are in a font.
func (f *headingFinder) isRare(face string) bool {
	return face != "" && float64(f.faces[face]) < rareFace*float64(f.total)
}

// startsLarge reports whether a text begins with a large letter or a number.
func startsLarge(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r) || unicode.IsDigit(r)
}

// isCaption reports whether a text names a figure or a table by its number.
func isCaption(s string) bool {
	fields := strings.Fields(s)
	if len(fields) < 2 || !strings.ContainsAny(fields[1], "0123456789") {
		return false
	}
	switch strings.ToLower(strings.TrimRight(fields[0], ".")) {
	case "figure", "fig", "table", "tab", "abbildung", "abb", "tabelle", "exhibit", "chart", "tableau":
		return true
	}
	return false
}

// apart reports whether a heading that is only bold begins a paragraph and text
// follows it on the page.
func (f *headingFinder) apart(lines []placed, i, end int) bool {
	above := i - 1
	for above > 0 && countLetters(lines[above].text) == 0 {
		above-- // a dot or a rule of signs parts nothing
	}
	if above >= 0 && !lines[above].table {
		if d := distanceDown(lines[above].line, lines[i].line); d >= 0 && d < paragraphGap*1.2*lines[i].size {
			return false
		}
	}
	return end < len(lines) && !lines[end].table && !alike(lines[end], lines[i]) &&
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

// withoutListed drops the titles that are the entries of a table of contents: they
// end in the number of a page, and without it they are a title again.
func withoutListed(all []title) []title {
	seen := map[string]bool{}
	for _, t := range all {
		seen[titleKey(t.text)] = true
	}
	return slices.DeleteFunc(all, func(t title) bool {
		entry := strings.TrimRight(t.text, "0123456789")
		return entry != t.text && strings.HasSuffix(entry, " ") && (seen[titleKey(entry)] || seen[titleKey(withoutNumber(entry))])
	})
}

// withoutNumber is a title without the number of its section.
func withoutNumber(text string) string {
	if first, rest, _ := strings.Cut(text, " "); numbering(first) != "" {
		return rest
	}
	return text
}

// withoutRunningHeads drops the titles that are the heads or feet of pages, but for
// the first of a text that is nowhere else.
func withoutRunningHeads(all []title) []title {
	inside, seen := map[string]bool{}, map[string]bool{}
	for _, t := range all {
		inside[edgeKey(t.text)] = inside[edgeKey(t.text)] || !t.edge
	}
	return slices.DeleteFunc(all, func(t title) bool {
		key := edgeKey(t.text)
		again := seen[key]
		seen[key] = true
		return t.edge && (again || inside[key])
	})
}

// rank gives each title its level: the largest size is the first. Where there
// are too many sizes, the largest share a level, since they are on covers. A
// bookmark says the level of its title.
func (f *headingFinder) rank(all []title) {
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
		if level := f.marks[titleKey(all[i].text)]; level > 0 {
			all[i].level = min(level, deepest)
		}
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
