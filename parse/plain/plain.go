// Package plain reads formats that are text already: plain text in any
// encoding, Markdown, source code, JSON, YAML, XML, notebooks and tables of
// comma- or tab-separated values. Text stays as it is in the file, decoded to
// UTF-8; only tables and notebooks are laid out again, as Markdown.
package plain

import (
	"context"
	"fmt"
	"strings"

	"inlay/internal/charset"
	"inlay/parse"
	"inlay/parse/outline"
)

// All returns every parser of this package.
func All(limits parse.Limits) []parse.Parser {
	return []parse.Parser{Text(limits), Markdown(limits), Code(limits), CSV(limits), JSON(limits), Lines(limits), YAML(limits), XML(limits), Notebook(limits), Calendar(limits), Subtitles(limits)}
}

// textParser is a parser whose document is the decoded file itself.
type textParser struct {
	info    parse.Info
	limits  parse.Limits
	outline func(name, text string) ([]parse.Section, []parse.Warning)
	media   func(name string) string // media type by name; nil leaves it to the registry
}

// Info implements [parse.Parser].
func (p textParser) Info() parse.Info { return p.info }

// Parse implements [parse.Parser].
func (p textParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	d, err := decode(ctx, f, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	report.Tell(.5)
	var warnings []parse.Warning
	d.Sections, warnings = p.outline(f.Name, d.Text)
	d.Warnings = append(d.Warnings, warnings...)
	if p.media != nil {
		d.MediaType = p.media(f.Name)
	}
	return d, ctx.Err()
}

// decode checks the size and turns the bytes into UTF-8.
func decode(ctx context.Context, f parse.File, limits parse.Limits) (parse.Document, error) {
	if err := parse.CheckSize(f, limits.WithDefaults().PlainText); err != nil {
		return parse.Document{}, err
	}
	if err := ctx.Err(); err != nil {
		return parse.Document{}, err
	}
	t := charset.Decode(f.Data, "")
	if !strings.Contains(t.Text, "\n") { // lines of an old Macintosh
		t.Text = strings.ReplaceAll(t.Text, "\r", "\n")
	}
	d := parse.Document{Text: t.Text, Charset: t.Charset}
	if t.Replaced {
		d.Warnings = append(d.Warnings, parse.Warning{Code: parse.WarnRepairedUTF8, Message: fmt.Sprintf("some bytes are not characters of %s and were replaced", t.Charset)})
	}
	return d, ctx.Err()
}

func paragraphs(_, text string) ([]parse.Section, []parse.Warning) {
	return outline.Paragraphs(text), nil
}

// Text reads plain text: everything that no other parser of text claims.
func Text(limits parse.Limits) parse.Parser {
	return textParser{limits: limits, outline: paragraphs, info: parse.Info{
		Name: "text", Version: "3", Library: "inlay/plain",
		MediaTypes: []string{"text/plain"},
		Extensions: []string{".txt", ".text", ".log", ".adoc", ".asciidoc", ".rst", ".org", ".tex"},
	}}
}

// Markdown reads Markdown with its headings, paragraphs, lists, tables and code.
func Markdown(limits parse.Limits) parse.Parser {
	return textParser{limits: limits, outline: markdown, info: parse.Info{
		Name: "markdown", Version: "1", Library: "yuin/goldmark",
		MediaTypes: []string{"text/markdown", "text/x-markdown"},
		Extensions: []string{".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"},
	}}
}

func markdown(_, text string) ([]parse.Section, []parse.Warning) {
	sections, ok := outline.Markdown(text)
	if ok {
		return sections, nil
	}
	return sections, []parse.Warning{{Code: parse.WarnNoOutline, Message: "too large or too deeply nested to find its headings: split at blank lines only"}}
}

// YAML reads YAML and other settings files as text, by top-level key.
func YAML(limits parse.Limits) parse.Parser {
	return textParser{limits: limits, outline: topLevelKeys, info: parse.Info{
		Name: "yaml", Version: "1", Library: "inlay/plain",
		MediaTypes: []string{"application/yaml", "application/x-yaml", "text/yaml", "application/toml"},
		Extensions: []string{".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".env"},
	}, media: settingsType}
}
