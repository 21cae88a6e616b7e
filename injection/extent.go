package injection

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"inlay/chat"
	"inlay/internal/plural"
	"inlay/parse"
)

// extent says how much of the searched files the passages are, unless all: "15 % of their
// text", "2 % of their text; 39 of 3,000 table rows". Rows are those of the tables
// that a passage is from.
func (t *turn) extent(b built) string {
	docs := t.searchedDocs(b)
	shown, total, rows, allRows := 0, 0, 0, 0
	for _, d := range docs {
		total += len(strings.TrimSpace(d.Text))
	}
	for _, c := range b.citations {
		shown += len(c.Shown())
	}
	if shown == 0 || shown >= total {
		return ""
	}
	for id, d := range docs {
		some, all := rowsShown(d, b.citations, id)
		rows, allRows = rows+some, allRows+all
	}
	text := percent(shown, total) + " of their text"
	if rows > 0 && rows < allRows {
		text += fmt.Sprintf("; %s of %s table %s", plural.Grouped(rows), plural.Grouped(allRows), plural.Pick(allRows, "row", "rows"))
	}
	return text
}

// searchedDocs are the documents that passages may be from, by their ids.
func (t *turn) searchedDocs(b built) map[string]parse.Document {
	whole := map[*attached]bool{}
	for _, a := range b.whole {
		whole[a] = true
	}
	docs := map[string]parse.Document{}
	for _, a := range t.considered() {
		if a.strategy == Retrieval && !whole[a] && a.doc.FileID != "" {
			docs[a.id()] = a.doc
		}
	}
	return docs
}

// rowsShown counts the rows in the citations of a file, and all rows of its
// tables, without headers.
func rowsShown(d parse.Document, citations []chat.Citation, id string) (shown, all int) {
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Kind != parse.Table {
			continue
		}
		body := bodyOf(d.Text, *s)
		all += lines(d.Text[body:s.End])
		for _, c := range citations {
			start, end := max(c.Start, body), min(c.End, s.End)
			if c.FileID == id && start < end {
				shown += lines(d.Text[start:end])
			}
		}
	}
	return shown, all
}

// bodyOf is where the rows of a Markdown table begin, after its header and the rule.
func bodyOf(text string, table parse.Section) int {
	at := table.Start
	for range 2 {
		line := strings.IndexByte(text[at:table.End], '\n')
		if line < 0 {
			return table.End
		}
		at += line + 1
	}
	return at
}

// lines counts the lines of a text without blank ones.
func lines(text string) int {
	if text = strings.Trim(text, "\n"); text == "" {
		return 0
	}
	return strings.Count(text, "\n") + 1
}

// percent is a share as a whole number, never 0 nor 100 % of what is only a part.
func percent(part, whole int) string {
	p := math.Round(100 * float64(part) / float64(max(whole, 1)))
	switch {
	case part >= whole:
		return "100 %"
	case p < 1:
		return "less than 1 %"
	}
	return strconv.Itoa(int(min(p, 99))) + " %"
}
