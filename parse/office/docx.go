package office

import (
	"context"
	"errors"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/internal/mediatype"
	"inlay/internal/xmlscan"
	"inlay/parse"
	"inlay/parse/zipfile"
)

// DOCX reads Word documents: headings by style, numbered and bulleted lists
// with the numbers Word would show, tables, text boxes, links. After the body
// come foot- and endnotes, comments, and each distinct page header and footer
// once, as parts of their own. Deleted text of tracked changes is left out.
func DOCX(limits parse.Limits) parse.Parser { return docxParser{limits.WithDefaults()} }

type docxParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p docxParser) Info() parse.Info {
	return parse.Info{
		Name: "docx", Version: "4", Library: "inlay/office",
		MediaTypes: []string{mediatype.DOCX},
		Extensions: []string{".docx", ".docm", ".dotx", ".dotm"},
	}
}

// Parse implements [parse.Parser].
func (p docxParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	a, err := container(f, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	doc, err := openDOCX(ctx, a, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	report.Tell(.2)
	warnings, err := doc.body(ctx)
	if err != nil {
		return parse.Document{}, err
	}
	report.Tell(.8)
	if err := doc.sideParts(ctx); err != nil {
		return parse.Document{}, err
	}
	if doc.foreign > 0 {
		warnings = append(warnings, parse.Warning{Code: parse.WarnLeftOut, Message: "parts of it are whole files in other formats, which were not read: open and save it in Word, which takes them in"})
	}
	if doc.foreign > 0 && doc.b.Len() == 0 {
		return parse.Document{}, &fault.Error{Code: fault.UnsupportedFormat, Reason: "its text is a whole file in another format inside of it", Next: "open and save it in Word, which takes it in"}
	}
	d, err := doc.b.Document()
	d.Warnings = warnings
	return d, err
}

// docx is a Word file being read.
type docx struct {
	archive   *zipfile.Archive
	main      string
	relations []relation
	styles    map[string]style
	numbering numbering
	charts    map[string]*chartScan // by relation
	notes     map[string]int        // numbers of notes by id, endnotes after an "e"
	noted     map[string]int        // how many notes of each kind have a number
	foreign   int                   // parts in other formats
	span      int
	b         *parse.Builder
}

func openDOCX(ctx context.Context, a *zipfile.Archive, limits parse.Limits) (*docx, error) {
	doc := &docx{archive: a, span: limits.Span, notes: map[string]int{}, noted: map[string]int{}, b: &parse.Builder{Limit: limits.Text}}
	var err error
	if doc.main, doc.relations, err = mainPart(ctx, a, "word/document.xml"); err != nil {
		return nil, err
	}
	if doc.styles, err = readStyles(ctx, a, doc.target("styles")); err != nil {
		return nil, err
	}
	if doc.numbering, err = readNumbering(ctx, a, doc.target("numbering")); err != nil {
		return nil, err
	}
	doc.charts, err = readCharts(ctx, a, doc.relations, limits.Cells)
	return doc, err
}

// target is the entry that a relation of that kind leads to, or "".
func (d *docx) target(kind string) string {
	for _, r := range d.relations {
		if r.kind == kind {
			return r.target
		}
	}
	return ""
}

// body reads the document itself. Damage after some text is a warning.
func (d *docx) body(ctx context.Context) ([]parse.Warning, error) {
	data, err := required(d.archive, d.main)
	if err != nil {
		return nil, err
	}
	w := newWord(d, d.relations)
	err = w.read(ctx, data)
	if fault.Is(err, fault.Corrupt) && d.b.Len() > 0 {
		return []parse.Warning{{Code: parse.WarnDamaged, Message: "the file is damaged: only the part before the damage was read"}}, nil
	}
	return nil, err
}

// sideParts adds what is beside the body.
func (d *docx) sideParts(ctx context.Context) error {
	for _, part := range []struct{ kind, label string }{{"footnotes", "footnotes"}, {"endnotes", "endnotes"}, {"comments", "comments"}} {
		if err := d.sidePart(ctx, d.target(part.kind), part.label); err != nil {
			return err
		}
	}
	return d.margins(ctx)
}

func (d *docx) sidePart(ctx context.Context, entry, label string) error {
	if entry == "" {
		return nil
	}
	text, err := d.aside(ctx, entry)
	if err != nil || text == "" {
		return err
	}
	d.b.Open(parse.Section{Kind: parse.Part, Label: label})
	for block := range strings.SplitSeq(text, "\n\n") {
		d.b.Block(parse.Paragraph, "", block)
	}
	d.b.Close()
	return d.b.Err()
}

// aside reads a side part on its own and returns its text.
func (d *docx) aside(ctx context.Context, entry string) (string, error) {
	data, err := optional(d.archive, entry)
	if err != nil || data == nil {
		return "", err
	}
	links, err := relations(ctx, d.archive, entry)
	if err != nil {
		return "", err
	}
	own := *d
	own.b = &parse.Builder{Limit: d.b.Limit}
	if err := newWord(&own, links).read(ctx, data); err != nil && !fault.Is(err, fault.Corrupt) {
		return "", err
	}
	side, err := own.b.Document()
	return side.Text, err
}

// margins adds each distinct header and footer once.
func (d *docx) margins(ctx context.Context) error {
	var seen []string
	for _, r := range d.relations {
		if r.kind != "header" && r.kind != "footer" {
			continue
		}
		text, err := d.aside(ctx, r.target)
		if err != nil {
			return err
		}
		if text != "" && !slices.Contains(seen, text) {
			seen = append(seen, text)
		}
	}
	if len(seen) == 0 {
		return nil
	}
	d.b.Open(parse.Section{Kind: parse.Part, Label: "headers and footers"})
	for _, text := range seen {
		d.b.Block(parse.Paragraph, "", text)
	}
	d.b.Close()
	return d.b.Err()
}

// read walks one part and puts its blocks into the builder.
func (w *word) read(ctx context.Context, data []byte) error {
	err := xmlscan.Walk(ctx, data, w)
	w.flushList()
	return errors.Join(err, w.doc.b.Err())
}
