package retrieve

import (
	"slices"
	"strings"

	"inlay/parse"
)

const (
	titleLines  = 3   // of a page or before a table that are its title
	titleLength = 120 // bytes of a line of a title, at most
	runningHead = 4   // pages that may begin with the same line before it counts as a running head
)

// entitle finds the page of each chunk and the terms of the titles that are
// over it: those of its page and of a table that it is part of.
func (f *lexicalFile) entitle(d parse.Document, chunks []Chunk) {
	var titles []string
	f.pages, titles = titlesOf(d, chunks)
	if titles == nil {
		return
	}
	f.title = make([][]uint32, len(chunks))
	for k, title := range titles {
		f.title[k] = f.terms.Append(nil, title)
	}
}

// titlesOf returns the number of the page of each chunk, from 0, -1 for none, and
// the titles that are over it, nil if the document has neither pages nor tables.
func titlesOf(d parse.Document, chunks []Chunk) (numbers []int, titles []string) {
	pages, tables := pagesAndTables(d)
	numbers = make([]int, len(chunks))
	for k := range numbers {
		numbers[k] = -1
	}
	if len(pages)+len(tables) == 0 {
		return numbers, nil
	}
	titles = make([]string, len(chunks))
	text := d.Repeated().Blanked(d.Text)
	heads := pageHeads(text, pages)
	page := 0
	for k, c := range chunks {
		for page+1 < len(pages) && pages[page+1].Start <= (c.Start+c.End)/2 {
			page++
		}
		head := ""
		if page < len(pages) && pages[page].Start < c.End && c.Start < pages[page].End {
			numbers[k], head = page, heads[page]
		}
		for len(tables) > 0 && tables[0].End <= c.Start {
			tables = tables[1:]
		}
		titles[k] = head + captions(text, head, tables, c.End)
	}
	return numbers, titles
}

// captions are the titles of the tables, in order, that begin before the end of a
// chunk, but those that the title of the page has, each after a line end.
func captions(text, head string, tables []parse.Section, end int) string {
	var b strings.Builder
	for _, t := range tables {
		if t.Start >= end {
			break
		}
		if caption := captionOf(text, t.Start); !strings.Contains(head, caption) {
			b.WriteString("\n" + caption)
		}
	}
	return b.String()
}

func pagesAndTables(d parse.Document) (pages, tables []parse.Section) {
	for _, s := range d.Sections {
		switch s.Kind {
		case parse.Page, parse.Slide:
			pages = append(pages, s)
		case parse.Table:
			tables = append(tables, s)
		default: // says nothing of what a passage is part of
		}
	}
	return pages, tables
}

// pageHeads are the titles of pages: the short lines they begin with but those
// that many pages begin with. A page that begins with a table goes on with the
// title of the page before it.
func pageHeads(text string, pages []parse.Section) []string {
	first := make([][]string, len(pages))
	goesOn := make([]bool, len(pages))
	seen := map[string]int{}
	for i, p := range pages {
		first[i], goesOn[i] = firstLines(text[p.Start:p.End])
		for _, line := range first[i] {
			seen[line]++
		}
	}
	heads := make([]string, len(pages))
	for i, lines := range first {
		lines = slices.DeleteFunc(lines, func(line string) bool { return seen[line] > runningHead })
		heads[i] = strings.Join(lines[:min(titleLines, len(lines))], "\n")
		if heads[i] == "" && i > 0 && goesOn[i] {
			heads[i] = heads[i-1]
		}
	}
	return heads
}

// firstLines are the lines that a page begins with and that can be its title, and
// whether a table follows them.
func firstLines(page string) (lines []string, table bool) {
	for line := range strings.Lines(page) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if len(lines) == 2*titleLines || !titled(line) {
			return lines, strings.HasPrefix(line, "|")
		}
		lines = append(lines, line)
	}
	return lines, false
}

// titled reports whether a line can be one of a title: short, and the end of a
// sentence only if it is as short as "Acme Inc."
func titled(line string) bool {
	return len(line) <= titleLength && !strings.HasPrefix(line, "|") && (len(line) <= titleLength/4 || !strings.HasSuffix(line, ".")) && strings.ContainsFunc(line, func(r rune) bool { return !notLetter(r) })
}

// captionOf is the title of the table that begins at a place: the short lines before it.
func captionOf(text string, start int) string {
	var kept []string
	before := strings.TrimRight(text[max(0, start-titleLines*titleLength):start], "\n ")
	for len(kept) < titleLines && before != "" {
		at := strings.LastIndexByte(before, '\n')
		line := strings.TrimSpace(before[at+1:])
		if line != "" && !titled(line) {
			break
		}
		if line != "" {
			kept = append(kept, line)
		}
		before = before[:max(at, 0)]
	}
	return strings.Join(kept, "\n")
}
