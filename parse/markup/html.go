// Package markup reads formats written in HTML or holding it: web pages, mails,
// EPUB and FictionBook books. Their text becomes Markdown.
package markup

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"

	"inlay/fault"
	"inlay/internal/charset"
	"inlay/parse"
	"inlay/parse/outline"
)

const library = "html-to-markdown"

// All returns every parser of this package.
func All(limits parse.Limits) []parse.Parser {
	return []parse.Parser{HTML(limits), EPUB(limits), Mail(limits), MSG(limits), FB2(limits)}
}

// HTML reads web pages as Markdown with headings, lists, tables and code: the
// article of a page that has one, unless Limits.WholePages asks for all of it.
// Scripts, styles and what is marked hidden are left out; an image is its
// alternative text.
func HTML(limits parse.Limits) parse.Parser { return htmlParser{limits.WithDefaults()} }

type htmlParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p htmlParser) Info() parse.Info {
	return parse.Info{
		Name: "html", Version: "5", Library: library,
		MediaTypes: []string{"text/html", "application/xhtml+xml"},
		Extensions: []string{".html", ".htm", ".xhtml"},
	}
}

// Parse implements [parse.Parser].
func (p htmlParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if err := parse.CheckSize(f, p.limits.HTML); err != nil {
		return parse.Document{}, err
	}
	t := charset.Decode(f.Data, declaredCharset(f.Data))
	page := webPage{limits: p.limits, article: !p.limits.WholePages}
	text, err := page.toMarkdown(ctx, t.Text)
	if err != nil {
		return parse.Document{}, err
	}
	report.Tell(.8)
	d := parse.Document{Text: text, Charset: t.Charset}
	if page.left < page.words {
		d.Warnings = append(d.Warnings, parse.Warning{
			Code:    parse.WarnLeftOut,
			Message: fmt.Sprintf("only the article was read: menus, footers and other parts of the page were left out, %d of its %d words (--html all reads the whole page)", page.words-page.left, page.words),
		})
	}
	if page.byLines {
		d.Warnings = append(d.Warnings, parse.Warning{Code: parse.WarnLeftOut, Message: fmt.Sprintf("more than %d tags: its text is laid out by lines, without links and emphasis", p.limits.Tags)})
	}
	if frames := frameFiles(t.Text); len(frames) > 0 {
		d.Warnings = append(d.Warnings, parse.Warning{Code: parse.WarnLeftOut, Message: "it is a page of frames, which are files of their own: attach these too (" + strings.Join(frames, ", ") + ")"})
	}
	sections, ok := outline.Markdown(text)
	d.Sections = sections
	if !ok {
		d.Warnings = append(d.Warnings, parse.Warning{Code: parse.WarnNoOutline, Message: "too deeply nested to find its headings: split at blank lines only"})
	}
	return d, ctx.Err()
}

// declaredCharset finds the encoding that a page declares of itself.
func declaredCharset(data []byte) string {
	named := regexp.MustCompile(`(?i)(?:charset|encoding)\s*=\s*["']?\s*([a-z0-9_:-]+)`)
	if m := named.FindSubmatch(data[:min(len(data), 2048)]); m != nil {
		return string(m[1])
	}
	return ""
}

// toMarkdown converts a whole page.
func toMarkdown(ctx context.Context, page string, limits parse.Limits) (string, error) {
	return (&webPage{limits: limits}).toMarkdown(ctx, page)
}

// webPage is a page being converted.
type webPage struct {
	limits  parse.Limits
	article bool // only the article is wanted

	byLines     bool // it has too many tags to be laid out as a tree
	words, left int  // of the whole page, and what is left of them
}

// toMarkdown converts a page. One of too many tags is laid out by lines. Between
// its steps it looks at ctx.
func (p *webPage) toMarkdown(ctx context.Context, page string) (text string, err error) {
	page, tags := flatten(page, p.limits.Depth)
	var title string
	if p.byLines = tags > p.limits.Tags; p.byLines {
		text, title, err = lines(ctx, page)
	} else {
		text, title, err = p.layOut(ctx, page)
	}
	if err != nil {
		return "", err
	}
	if title != "" && !strings.HasPrefix(text, "# ") && text != "" {
		text = "# " + title + "\n\n" + text
	}
	return text, ctx.Err()
}

// layOut renders the tree of a page.
func (p *webPage) layOut(ctx context.Context, page string) (text, title string, err error) {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", "", unreadable(err)
	}
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	if p.article {
		p.words, p.left = toArticle(root)
		if err := ctx.Err(); err != nil {
			return "", "", err
		}
	}
	title = tidy(root, p.limits)
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	out, err := newConverter().ConvertNode(root, converter.WithContext(ctx))
	if err != nil {
		return "", "", unreadable(err)
	}
	return plainRows(strings.TrimSpace(string(bytes.ToValidUTF8(out, []byte("\uFFFD"))))), title, nil
}

func unreadable(err error) error {
	return &fault.Error{Code: fault.Corrupt, Reason: "its HTML cannot be read", Next: "save it again from a browser", Err: err}
}

func newConverter() *converter.Converter {
	return converter.NewConverter(
		converter.WithPlugins(
			base.NewBasePlugin(),
			commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
			strikethrough.NewStrikethroughPlugin(),
			table.NewTablePlugin(
				table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
				table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
				table.WithHeaderPromotion(true),
				table.WithSpanCellBehavior(table.SpanBehaviorMirror),
				table.WithSkipEmptyRows(true),
			),
			formulas{},
		),
	)
}
