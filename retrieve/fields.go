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

// entitle finds the page of each chunk and the terms of the titles that stand
// over it: those of its page and of a table that it is part of.
func (f *lexicalFile) entitle(d parse.Document, chunks []Chunk) {
	pages, tables := pagesAndTables(d)
	f.pages = make([]int, len(chunks))
	for k := range f.pages {
		f.pages[k] = -1
	}
	if len(pages)+len(tables) == 0 {
		return
	}
	f.title = make([][]uint32, len(chunks))
	heads := pageHeads(d.Text, pages)
	page := 0
	for k, c := range chunks {
		for page+1 < len(pages) && pages[page+1].Start <= (c.Start+c.End)/2 {
			page++
		}
		head := ""
		if page < len(pages) && pages[page].Start < c.End && c.Start < pages[page].End {
			f.pages[k], head = page, heads[page]
			f.title[k] = f.terms.Append(f.title[k], head)
		}
		for len(tables) > 0 && tables[0].End <= c.Start {
			tables = tables[1:]
		}
		f.caption(k, d.Text, head, tables, c.End)
	}
}

// caption adds the terms of the titles of the tables, in order, that begin
// before the end of a chunk, but those that the title of the page has.
func (f *lexicalFile) caption(chunk int, text, head string, tables []parse.Section, end int) {
	for _, t := range tables {
		if t.Start >= end {
			return
		}
		if caption := captionOf(text, t.Start); !strings.Contains(head, caption) {
			f.title[chunk] = f.terms.Append(f.title[chunk], caption)
		}
	}
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
