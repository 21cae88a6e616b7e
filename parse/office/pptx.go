package office

import (
	"context"
	"errors"
	"fmt"

	"inlay/fault"
	"inlay/internal/mediatype"
	"inlay/internal/xmlscan"
	"inlay/parse"
	"inlay/parse/zipfile"
)

// PPTX reads PowerPoint presentations, one section a slide, in the order of the
// show: titles as headings, text, tables, the numbers of charts, diagrams,
// speaker notes and comments.
func PPTX(limits parse.Limits) parse.Parser { return pptxParser{limits.WithDefaults()} }

type pptxParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p pptxParser) Info() parse.Info {
	return parse.Info{
		Name: "pptx", Version: "2", Library: "inlay/office",
		MediaTypes: []string{mediatype.PPTX},
		Extensions: []string{".pptx", ".pptm", ".ppsx", ".ppsm", ".potx"},
	}
}

// Parse implements [parse.Parser].
func (p pptxParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	a, err := container(f, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	slides, err := slideOrder(ctx, a)
	if err != nil {
		return parse.Document{}, err
	}
	authors, err := commentAuthors(ctx, a)
	if err != nil {
		return parse.Document{}, err
	}
	show := presentation{archive: a, authors: authors, limits: p.limits, b: &parse.Builder{Limit: p.limits.Text}}
	for i, entry := range slides {
		if err := show.slide(ctx, i+1, entry); err != nil {
			return parse.Document{}, err
		}
		report.Tell(float64(i+1) / float64(len(slides)))
	}
	d, err := show.b.Document()
	d.Warnings = show.warnings
	return d, err
}

// slideOrder lists the entries of the slides as they are shown.
func slideOrder(ctx context.Context, a *zipfile.Archive) ([]string, error) {
	main, links, err := mainPart(ctx, a, "ppt/presentation.xml")
	if err != nil {
		return nil, err
	}
	data, err := required(a, main)
	if err != nil {
		return nil, err
	}
	order := slideList{links: byID(links)}
	if err := xmlscan.Walk(ctx, data, &order); err != nil {
		return nil, err
	}
	return order.entries, nil
}

// commentAuthors reads the names of those who commented, by id.
func commentAuthors(ctx context.Context, a *zipfile.Archive) (map[string]author, error) {
	list := authorList{names: map[string]author{}}
	for _, entry := range []string{"ppt/commentAuthors.xml", "ppt/authors.xml"} {
		data, err := optional(a, entry)
		if err != nil {
			return nil, err
		}
		if err := xmlscan.Walk(ctx, data, &list); err != nil && ctx.Err() != nil {
			return nil, err
		}
	}
	return list.names, nil
}

// authorList gathers author elements.
type authorList struct {
	ignoreText
	names map[string]author
}

// author is somebody who commented.
type author struct{ name, initials string }

// Start implements [xmlscan.Handler].
func (l *authorList) Start(e element) {
	if name := xmlscan.Attr(e, "name"); name != "" {
		l.names[xmlscan.Attr(e, "id")] = author{name, xmlscan.Attr(e, "initials")}
	}
}

// slideList gathers sldId elements.
type slideList struct {
	ignoreText
	links   map[string]relation
	entries []string
}

// Start implements [xmlscan.Handler].
func (l *slideList) Start(e element) {
	if e.Name.Local == "sldId" {
		l.entries = append(l.entries, l.links[xmlscan.AttrNS(e, "r", "id")].target)
	}
}

// presentation is a PowerPoint file being read.
type presentation struct {
	archive  *zipfile.Archive
	authors  map[string]author // of comments
	limits   parse.Limits
	b        *parse.Builder
	warnings []parse.Warning
}

// slide adds one slide and what is linked to it.
func (p *presentation) slide(ctx context.Context, number int, entry string) error {
	data, err := optional(p.archive, entry)
	if err != nil {
		return err
	}
	links, err := relations(ctx, p.archive, entry)
	if err != nil {
		return err
	}
	page := parse.Section{Kind: parse.Slide, Number: number}
	if data == nil {
		page.Status = parse.Failed
	}
	s := newShapes(p.limits.Span)
	damaged := xmlscan.Walk(ctx, data, s)
	page.Label = s.title
	p.b.Open(page)
	s.emit(p.b)
	for _, r := range links {
		if err := p.linked(ctx, r); err != nil {
			return err
		}
	}
	p.b.Close()
	if fault.Is(damaged, fault.Corrupt) {
		p.warnings = append(p.warnings, parse.Warning{Code: parse.WarnDamaged, Message: fmt.Sprintf("slide %d is damaged: only a part of it was read", number)})
		damaged = nil
	}
	return errors.Join(damaged, p.b.Err())
}

// linked adds a part that belongs to a slide.
func (p *presentation) linked(ctx context.Context, r relation) error {
	label := map[string]string{"notesSlide": "notes", "comments": "comments", "chart": "chart", "chartEx": "chart", "diagramData": "diagram"}[r.kind]
	if label == "" || r.external {
		return nil
	}
	data, err := optional(p.archive, r.target)
	if err != nil || data == nil {
		return err
	}
	if r.kind == "chart" {
		return p.chart(ctx, data)
	}
	s := newShapes(p.limits.Span)
	s.notes, s.authors = true, p.authors
	if err := xmlscan.Walk(ctx, data, s); err != nil && !fault.Is(err, fault.Corrupt) {
		return err
	}
	if s.empty() {
		return nil
	}
	p.b.Open(parse.Section{Kind: parse.Part, Label: label})
	s.emit(p.b)
	p.b.Close()
	return p.b.Err()
}

// chart adds a chart's title and its numbers as a table.
func (p *presentation) chart(ctx context.Context, data []byte) error {
	c := chartScan{limit: p.limits.Cells}
	if err := xmlscan.Walk(ctx, data, &c); err != nil && !fault.Is(err, fault.Corrupt) {
		return err
	}
	c.emit(p.b)
	return p.b.Err()
}
