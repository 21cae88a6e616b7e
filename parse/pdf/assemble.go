package pdf

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"inlay/parse"
)

// pageBreak parts the texts of two pages; it belongs to neither.
const pageBreak = "\n\n"

// assemble puts the pages together into a document; marks are its bookmarks.
func assemble(f parse.File, info parse.Info, pages []pageText, marks map[string]int) (parse.Document, error) {
	doc := parse.Document{
		FileID: parse.FileID(f.Data), Name: f.Name, Path: f.Path,
		MediaType: "application/pdf", Library: info.Library, Parser: info.Name + "/" + info.Version,
		Coverage: parse.Coverage{Pages: len(pages), PerPage: make([]int, 0, len(pages))},
	}
	var b strings.Builder
	starts := make([]int, len(pages))
	for i, p := range pages {
		if b.Len() > 0 && p.text != "" {
			b.WriteString(pageBreak)
		}
		start := b.Len()
		b.WriteString(p.text)
		s := section(i, p)
		s.Start, s.End = start, b.Len()
		doc.Sections = append(append(doc.Sections, s), tables(p, start)...)
		starts[i] = start
		doc.WordBoxes = append(doc.WordBoxes, p.boxes...)
		doc.Coverage.PerPage = append(doc.Coverage.PerPage, utf8.RuneCountInString(p.text))
		count(&doc.Coverage, i+1, p.status)
	}
	doc.Text = b.String()
	nameLibraries(&doc)
	doc.Sections = append(doc.Sections, headings(pages, starts, len(doc.Text), marks)...)
	if strings.TrimSpace(doc.Text) == "" {
		return parse.Document{}, nothing(f, pages)
	}
	doc.Coverage.Characters = utf8.RuneCountInString(doc.Text)
	doc.Warnings = warnings(doc.Coverage)
	markRepeated(&doc, pages, starts)
	parse.SortSections(doc.Sections)
	return doc, nil
}

// tables are the sections of a page's tables; its text begins at start.
func tables(p pageText, start int) (out []parse.Section) {
	for _, l := range p.lines {
		if l.table {
			out = append(out, parse.Section{Kind: parse.Table, Start: start + l.start, End: start + l.start + len(l.text)})
		}
	}
	return out
}

// section is the section of the page with index i, without its place.
func section(i int, p pageText) parse.Section {
	return parse.Section{Kind: parse.Page, Number: i + 1, Library: p.library, Status: p.status}
}

// nameLibraries names the library that read each page: pages that differ from
// the document's, or the document itself where one read all of them.
func nameLibraries(doc *parse.Document) {
	for _, s := range doc.Sections {
		if s.Kind == parse.Page && s.Library == "" {
			return
		}
	}
	doc.Library = SecondLibrary
	for i := range doc.Sections {
		doc.Sections[i].Library = ""
	}
}

// count notes the number of a page that has no text.
func count(c *parse.Coverage, number int, status parse.Status) {
	switch status {
	case parse.Scanned:
		c.Scanned = append(c.Scanned, number)
	case parse.Empty:
		c.Empty = append(c.Empty, number)
	case parse.Failed:
		c.Failed = append(c.Failed, number)
	default:
	}
}

// howOCR says how scanned pages can be read.
const howOCR = "inlay's --ocr with tesseract installed, or a tool such as ocrmypdf"

// warnings says which pages are missing from the text, and what to do.
func warnings(c parse.Coverage) []parse.Warning {
	var out []parse.Warning
	if len(c.Scanned) > 0 {
		out = append(out, parse.Warning{
			Code:    "scanned_pages",
			Message: pageList(c.Scanned, "looks", "look") + " scanned: no text; run OCR (" + howOCR + ")",
		})
	}
	if len(c.Failed) > 0 {
		out = append(out, parse.Warning{
			Code:    "failed_pages",
			Message: pageList(c.Failed, "could", "could") + " not be read: save or print the file to a new PDF",
		})
	}
	return out
}

// pageList writes page numbers and the verb that follows: "pages 1, 3-7 look".
func pageList(numbers []int, one, many string) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := strconv.Itoa(numbers[i])
		if j > i {
			part = fmt.Sprintf("%d-%d", numbers[i], numbers[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	if len(numbers) == 1 {
		return "page " + parts[0] + " " + one
	}
	return "pages " + strings.Join(parts, ", ") + " " + many
}
