package markup

import (
	"bytes"
	"context"
	"encoding/xml"
	"net/url"
	"path"
	"strings"

	"inlay/fault"
	"inlay/internal/charset"
	"inlay/internal/mediatype"
	"inlay/internal/xmlscan"
	"inlay/parse"
	"inlay/parse/outline"
	"inlay/parse/zipfile"
)

// EPUB reads books: each file of the reading order is a part, its text as
// Markdown.
func EPUB(limits parse.Limits) parse.Parser { return epubParser{limits.WithDefaults()} }

type epubParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p epubParser) Info() parse.Info {
	return parse.Info{
		Name: "epub", Version: "3", Library: library,
		MediaTypes: []string{mediatype.EPUB}, Extensions: []string{".epub"},
	}
}

// Parse implements [parse.Parser].
func (p epubParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if err := parse.CheckSize(f, p.limits.File); err != nil {
		return parse.Document{}, err
	}
	a, err := zipfile.Open(f.Data, p.limits.Zip())
	if err != nil {
		return parse.Document{}, err
	}
	book, err := openBook(ctx, a)
	if err != nil {
		return parse.Document{}, err
	}
	b := &parse.Builder{Limit: p.limits.Text}
	var warnings []parse.Warning
	for i, entry := range book.order {
		err := p.chapter(ctx, a, b, entry)
		switch {
		case fault.Is(err, fault.Corrupt):
			warnings = append(warnings, parse.Warning{Code: parse.WarnDamaged, Message: "a chapter is missing or damaged: " + path.Base(entry)})
		case err != nil:
			return parse.Document{}, err
		}
		report.Tell(float64(i+1) / float64(len(book.order)))
	}
	d, err := b.Document()
	d.Warnings = warnings
	return d, err
}

// chapter adds one file of the book.
func (p epubParser) chapter(ctx context.Context, a *zipfile.Archive, b *parse.Builder, entry string) error {
	data, err := a.Read(entry)
	if err != nil {
		if fault.CodeOf(err) == fault.FileNotFound {
			err = &fault.Error{Code: fault.Corrupt, Reason: "a chapter is missing", Next: "get a fresh copy of the file", Err: err}
		}
		return err
	}
	if int64(len(data)) > p.limits.HTML {
		return &fault.Error{Code: fault.LimitExceeded, Reason: "a chapter is too large", Next: "raise the limit"}
	}
	text, err := toMarkdown(ctx, selfClosing(charset.Decode(data, declaredCharset(data)).Text), p.limits)
	if err != nil || strings.TrimSpace(text) == "" {
		return err
	}
	sections, _ := outline.Markdown(text)
	label := ""
	for _, s := range sections {
		if s.Kind == parse.Heading {
			label = s.Label
			break
		}
	}
	b.Open(parse.Section{Kind: parse.Part, Label: label})
	b.Markdown(text, sections)
	b.Close()
	return b.Err()
}

// selfClosing writes <title/> and <script/> out, which HTML would leave open.
func selfClosing(page string) string {
	return strings.NewReplacer("<title/>", "<title></title>", "<title />", "<title></title>").Replace(page)
}

// book is what the package file of an EPUB says.
type book struct {
	skipText
	dir   string
	items map[string]string // id to entry
	order []string
}

// openBook finds the reading order and refuses books under copy protection.
func openBook(ctx context.Context, a *zipfile.Archive) (*book, error) {
	if data, err := a.Read("META-INF/encryption.xml"); err == nil && bytes.Contains(data, []byte("html")) {
		return nil, &fault.Error{Code: fault.PasswordRequired, Reason: "it is under copy protection", Next: "get a copy without copy protection"}
	}
	var c rootFile
	if data, err := a.Read("META-INF/container.xml"); err == nil {
		if err := xmlscan.Walk(ctx, data, &c); err != nil && ctx.Err() != nil {
			return nil, err
		}
	}
	data, err := a.Read(c.path)
	if err != nil {
		if fault.CodeOf(err) != fault.FileNotFound {
			return nil, err
		}
		return nil, &fault.Error{Code: fault.Corrupt, Reason: "its table of parts is missing", Next: "get a fresh copy of the file", Err: err}
	}
	b := &book{dir: path.Dir(c.path), items: map[string]string{}}
	return b, xmlscan.Walk(ctx, data, b)
}

// skipText is the part of a handler that looks at start tags only.
type skipText struct{}

// End implements [xmlscan.Handler].
func (skipText) End(string) {}

// Text implements [xmlscan.Handler].
func (skipText) Text([]byte) {}

// rootFile finds where the package file is.
type rootFile struct {
	skipText
	path string
}

// Start implements [xmlscan.Handler].
func (r *rootFile) Start(e xml.StartElement) {
	if e.Name.Local == "rootfile" && r.path == "" {
		r.path = xmlscan.Attr(e, "full-path")
	}
}

// Start implements [xmlscan.Handler].
func (b *book) Start(e xml.StartElement) {
	switch e.Name.Local {
	case "item":
		href, err := url.PathUnescape(xmlscan.Attr(e, "href"))
		if err != nil {
			href = xmlscan.Attr(e, "href")
		}
		b.items[xmlscan.Attr(e, "id")] = path.Join(b.dir, href)
	case "itemref":
		if entry, ok := b.items[xmlscan.Attr(e, "idref")]; ok {
			b.order = append(b.order, entry)
		}
	}
}
