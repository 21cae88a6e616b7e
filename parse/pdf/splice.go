package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"inlay/parse"
)

// spliced puts texts that were read later in the place of pages, by number, and
// moves everything that is after them.
func spliced(doc parse.Document, read map[int]recognizedPage) parse.Document {
	if len(read) == 0 {
		return doc
	}
	var b strings.Builder
	var moves []move
	var pages []parse.Section
	var boxes []byte
	kept := parse.PageBoxes(doc.WordBoxes)
	for _, p := range numbered(doc.Sections) {
		page, fresh := read[p.Number]
		text := page.text
		if !fresh {
			text, page.boxes = doc.Text[p.Start:p.End], kept[p.Number]
		}
		boxes = append(boxes, page.boxes...)
		if b.Len() > 0 && text != "" {
			b.WriteString(pageBreak)
		}
		moves = append(moves, move{p.Start, p.End, b.Len(), b.Len() + len(text), fresh})
		p.Start, p.End = b.Len(), b.Len()+len(text)
		b.WriteString(text)
		if fresh {
			p.Library, p.Status = OCRLibrary, parse.Read
		}
		pages = append(pages, p)
	}
	out := doc
	out.Text, out.Sections, out.WordBoxes = b.String(), pages, boxes
	for _, s := range doc.Sections {
		if s.Kind != parse.Page {
			s.Start, s.End = moved(moves, s.Start), moved(moves, s.End)
			out.Sections = append(out.Sections, s)
		}
	}
	recount(&out)
	parse.SortSections(out.Sections)
	return out
}

// numbered returns the pages in the order of their numbers, which is not that
// of sections where pages are empty.
func numbered(sections []parse.Section) (pages []parse.Section) {
	for _, s := range sections {
		if s.Kind == parse.Page {
			pages = append(pages, s)
		}
	}
	slices.SortStableFunc(pages, func(a, b parse.Section) int { return cmp.Compare(a.Number, b.Number) })
	return pages
}

// move says where a page was and where it is now.
type move struct {
	from, end, to, toEnd int
	fresh                bool
}

// moved returns where an offset is now: in a page that was read again, its start
// or its end.
func moved(moves []move, offset int) int {
	at := 0
	for _, m := range moves {
		switch {
		case offset < m.from:
			return at
		case offset <= m.end && m.fresh:
			at = m.to
			if offset == m.end && offset > m.from {
				at = m.toEnd
			}
		case offset <= m.end:
			at = m.to + offset - m.from
		default:
			at = m.toEnd
		}
	}
	return at
}

// recount measures the coverage of a document again and says what is missing.
func recount(doc *parse.Document) {
	doc.Coverage = parse.Coverage{Characters: utf8.RuneCountInString(doc.Text)}
	for _, s := range numbered(doc.Sections) {
		doc.Coverage.Pages++
		doc.Coverage.PerPage = append(doc.Coverage.PerPage, utf8.RuneCountInString(doc.Text[s.Start:s.End]))
		count(&doc.Coverage, s.Number, s.Status)
	}
	kept := warnings(doc.Coverage)
	for _, w := range doc.Warnings {
		if w.Code != parse.WarnScannedPages && w.Code != parse.WarnFailedPages {
			kept = append(kept, w)
		}
	}
	doc.Warnings = kept
}
