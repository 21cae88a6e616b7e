package retrieve

import (
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
// the titles that stand over it, nil if the document has neither pages nor tables.
func titlesOf(d parse.Document, chunks []Chunk) (numbers []int, titles []string) {
	var pages, tables []parse.Section
	for _, s := range d.Sections {
		switch s.Kind {
		case parse.Page, parse.Slide:
			pages = append(pages, s)
		case parse.Table:
			tables = append(tables, s)
		default:
		}
	}
	numbers = make([]int, len(chunks))
	for k := range numbers {
		numbers[k] = -1
	}
	if len(pages)+len(tables) == 0 {
		return numbers, nil
	}
	titles = make([]string, len(chunks))
	heads := pageHeads(d.Text, pages)
	page, table := 0, 0
	for k, c := range chunks {
		for page+1 < len(pages) && pages[page+1].Start <= (c.Start+c.End)/2 {
			page++
		}
		head := ""
		if page < len(pages) && pages[page].Start < c.End && c.Start < pages[page].End {
			numbers[k], head = page, heads[page]
			titles[k] = head
		}
		for table < len(tables) && tables[table].End <= c.Start {
			table++
		}
		for t := table; t < len(tables) && tables[t].Start < c.End; t++ {
			if caption := captionOf(d.Text, tables[t].Start); !strings.Contains(head, caption) {
				titles[k] += "\n" + caption
			}
		}
	}
	return numbers, titles
}

// pageHeads are the titles of pages: the short lines they begin with but those
// that many pages begin with. A page that begins with a table goes on with the
// title of the page before it.
func pageHeads(text string, pages []parse.Section) []string {
	first := make([][]string, len(pages))
	seen := map[string]int{}
	for i, p := range pages {
		for line := range strings.Lines(text[p.Start:p.End]) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if len(first[i]) == 2*titleLines || !titled(line) {
				break
			}
			first[i] = append(first[i], line)
			seen[line]++
		}
	}
	heads := make([]string, len(pages))
	for i, lines := range first {
		var kept []string
		for _, line := range lines {
			if seen[line] <= runningHead && len(kept) < titleLines {
				kept = append(kept, line)
			}
		}
		heads[i] = strings.Join(kept, "\n")
		begins := strings.TrimSpace(text[pages[i].Start:pages[i].End])
		for _, line := range lines {
			begins = strings.TrimSpace(strings.TrimPrefix(begins, line))
		}
		if len(kept) == 0 && i > 0 && strings.HasPrefix(begins, "|") {
			heads[i] = heads[i-1]
		}
	}
	return heads
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
