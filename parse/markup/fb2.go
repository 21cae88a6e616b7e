package markup

import (
	"context"
	"encoding/xml"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/internal/xmlscan"
	"inlay/parse"
)

// FB2 reads FictionBook files (.fb2): title, authors and annotation, then the
// chapters with their headings, verses, tables and notes.
func FB2(limits parse.Limits) parse.Parser { return fb2Parser{limits.WithDefaults()} }

type fb2Parser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p fb2Parser) Info() parse.Info {
	return parse.Info{
		Name: "fb2", Version: "1", Library: "inlay/markup",
		MediaTypes: []string{"application/x-fictionbook+xml"}, Extensions: []string{".fb2"},
	}
}

// Parse implements [parse.Parser].
func (p fb2Parser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if err := parse.CheckSize(f, p.limits.File); err != nil {
		return parse.Document{}, err
	}
	b := fb2{b: &parse.Builder{Limit: p.limits.Text}}
	err := xmlscan.Walk(ctx, f.Data, &b)
	if ctx.Err() != nil {
		return parse.Document{}, ctx.Err()
	}
	if err != nil && !fault.Is(err, fault.Corrupt) {
		return parse.Document{}, err
	}
	b.block()
	report.Tell(.9)
	d, failed := b.b.Document()
	if failed == nil && err != nil {
		if d.Text == "" {
			return parse.Document{}, err
		}
		d.Warnings = append(d.Warnings, parse.Warning{Code: parse.WarnDamaged, Message: "the book is damaged or cut short: only a part of it was read"})
	}
	return d, failed
}

// fb2 is a book being read.
type fb2 struct {
	b     *parse.Builder
	text  strings.Builder
	open  []string
	depth int        // of sections
	title []string   // paragraphs of the open title
	name  []string   // parts of the open author's name
	rows  [][]string // of the open table
	verse []string   // lines of the open stanza
}

// within reports whether an element of that name is open.
func (f *fb2) within(name string) bool { return slices.Contains(f.open, name) }

// Start implements [xmlscan.Handler].
func (f *fb2) Start(e xml.StartElement) {
	name := e.Name.Local
	f.open = append(f.open, name)
	switch name {
	case "section":
		f.block()
		f.depth++
	case "p", "subtitle", "v", "text-author", "td", "th", "title", "stanza", "book-title", "author", "first-name", "middle-name", "last-name", "nickname":
		f.block()
	case "tr":
		f.rows = append(f.rows, nil)
	}
}

// Text implements [xmlscan.Handler].
func (f *fb2) Text(data []byte) {
	if f.within("binary") || f.within("description") && !f.within("title-info") || f.within("stylesheet") {
		return
	}
	f.text.Write(data)
}

// take returns the text so far, blanks made one.
func (f *fb2) take() string {
	text := strings.Join(strings.Fields(f.text.String()), " ")
	f.text.Reset()
	return text
}

// block ends a stretch of text that is in no paragraph of its own.
func (f *fb2) block() {
	text := f.take()
	if text != "" && f.within("body") {
		f.b.Block(parse.Paragraph, "", text)
	}
}

// End implements [xmlscan.Handler].
func (f *fb2) End(name string) {
	switch name {
	case "p", "text-author":
		f.paragraph(f.take())
	case "v":
		f.verse = append(f.verse, f.take())
	case "stanza":
		f.b.Block(parse.Paragraph, "", strings.Join(f.verse, "\n"))
		f.verse = nil
	case "subtitle":
		f.b.Heading(f.level()+1, f.take())
	case "title":
		f.b.Heading(f.level(), strings.Join(f.title, ". "))
		f.title = nil
	case "td", "th":
		if n := len(f.rows); n > 0 {
			f.rows[n-1] = append(f.rows[n-1], f.take())
		}
	case "table":
		f.b.Table("", f.rows)
		f.rows = nil
	case "section":
		f.block()
		f.depth--
	default:
		f.describe(name)
	}
	if i := slices.Index(f.open, name); i >= 0 {
		f.open = f.open[:lastIndex(f.open, name)]
	}
}

func lastIndex(list []string, name string) int {
	for i, s := range slices.Backward(list) {
		if s == name {
			return i
		}
	}
	return len(list)
}

// level is that of a heading: 1 for the book, then by the nesting of sections.
func (f *fb2) level() int { return max(f.depth, 0) + 1 }

// paragraph files a paragraph under what it is in.
func (f *fb2) paragraph(text string) {
	switch {
	case text == "":
	case f.within("title"):
		f.title = append(f.title, text)
	case f.within("td"), f.within("th"):
		f.text.WriteString(text + " ")
	case f.within("body"), f.within("annotation"):
		f.b.Block(parse.Paragraph, "", text)
	}
}

// describe adds what the description says of the book.
func (f *fb2) describe(name string) {
	if !f.within("title-info") {
		return
	}
	switch name {
	case "book-title":
		f.b.Heading(1, f.take())
	case "first-name", "middle-name", "last-name", "nickname":
		if part := f.take(); part != "" && f.within("author") {
			f.name = append(f.name, part)
		}
	case "author":
		f.b.Block(parse.Paragraph, "author", strings.Join(f.name, " "))
		f.name = nil
	case "date", "lang", "genre", "keywords", "src-lang", "sequence", "title-info", "coverpage":
		f.take()
	}
}
