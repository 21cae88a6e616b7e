// Package archive reads archives of documents: each member by the parser for it.
package archive

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"inlay/fault"
	"inlay/internal/charset"
	"inlay/parse"
	"inlay/parse/zipfile"
)

// Zip reads zip archives: each document in one is a part under its path, read by the
// parser of the same registry that is meant for it. Members that nothing reads are
// named in warnings.
func Zip(limits parse.Limits) parse.Parser { return zipParser{limits: limits.WithDefaults()} }

type zipParser struct {
	limits   parse.Limits
	registry *parse.Registry
}

// Within implements [parse.Container].
func (p zipParser) Within(r *parse.Registry) parse.Parser {
	p.registry = r
	return p
}

// Info implements [parse.Parser].
func (p zipParser) Info() parse.Info {
	return parse.Info{
		Name: "zip", Version: "2", Library: "archive/zip",
		MediaTypes: []string{"application/zip"}, Extensions: []string{".zip"},
	}
}

// Parse implements [parse.Parser].
func (p zipParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if err := parse.CheckSize(f, p.limits.File); err != nil {
		return parse.Document{}, err
	}
	a, err := zipfile.Open(f.Data, p.limits.Zip())
	if err != nil {
		return parse.Document{}, err
	}
	names := documents(a.Names())
	if len(names) == 0 {
		return parse.Document{}, &fault.Error{Code: fault.NoTextLayer, Reason: "there is no file in it", Next: "check that it is the right file"}
	}
	if most := p.limits.MailParts; len(names) > most {
		return parse.Document{}, &fault.Error{
			Code:   fault.LimitExceeded,
			Reason: fmt.Sprintf("it holds %d files, more than the limit of %d", len(names), most),
			Next:   fmt.Sprintf("unpack it and attach the documents you need, or raise the limit: --parse-limits mail_parts=%d", len(names)),
		}
	}
	m := members{parser: p, archive: a, b: &parse.Builder{Limit: p.limits.Text}}
	for i, name := range names {
		if err := m.read(ctx, name); err != nil {
			return parse.Document{}, err
		}
		report.Tell(float64(i+1) / float64(len(names)))
	}
	return m.document(len(names))
}

// documents leaves out folders and what systems put into archives for themselves.
func documents(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		base := path.Base(name)
		return name == "." || strings.HasPrefix(name, "__MACOSX/") || base == ".DS_Store" || base == "Thumbs.db" || base == "desktop.ini"
	})
}

// members is an archive being read.
type members struct {
	parser   zipParser
	archive  *zipfile.Archive
	b        *parse.Builder
	taken    int
	unread   []error
	warnings []parse.Warning
}

// read adds one member, or notes why it could not be read.
func (m *members) read(ctx context.Context, name string) error {
	data, err := m.archive.Read(name)
	if fault.Is(err, fault.LimitExceeded) {
		return err
	}
	label := name
	if !utf8.ValidString(label) {
		label = charset.Decode([]byte(name), "").Text
	}
	if err != nil {
		m.unread = append(m.unread, fmt.Errorf("%s: %w", label, err))
		return ctx.Err()
	}
	if m.parser.registry == nil {
		return ctx.Err()
	}
	d, err := m.parser.registry.Parse(ctx, parse.File{Name: label, Data: data}, nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		m.unread = append(m.unread, err)
		return nil
	}
	m.taken++
	m.b.Open(parse.Section{Kind: parse.Part, Number: m.taken, Label: label})
	m.b.Heading(1, label)
	m.b.Member(d.Text, d.Sections)
	m.b.Close()
	for _, w := range d.Warnings {
		m.warnings = append(m.warnings, parse.Warning{Code: w.Code, Message: label + ": " + w.Message})
	}
	return m.b.Err()
}

// namedMembers is how many members that were not read are named.
const namedMembers = 10

// document is what was read of an archive with so many files; of one in which
// nothing could be read, the first reason.
func (m *members) document(files int) (parse.Document, error) {
	if m.taken == 0 && len(m.unread) > 0 {
		e := &fault.Error{Code: fault.CodeOf(m.unread[0]), Reason: fmt.Sprintf("none of its %d files can be read; the first: %v", files, m.unread[0]), Next: "unpack it and attach the documents in it"}
		if e.Code == fault.Internal {
			e.Code = fault.Corrupt
		}
		return parse.Document{}, e
	}
	d, err := m.b.Document()
	d.Warnings = m.warnings
	for i, unread := range m.unread {
		if i == namedMembers {
			d.Warnings = append(d.Warnings, parse.Warning{Code: parse.WarnLeftOut, Message: fmt.Sprintf("%d more files were not read", len(m.unread)-i)})
			break
		}
		d.Warnings = append(d.Warnings, parse.Warning{Code: parse.WarnLeftOut, Message: "a file was not read: " + unread.Error()})
	}
	return d, err
}
