// Package outline finds the blocks of text: headings, paragraphs, lists, tables
// and code in Markdown, paragraphs in plain text. It returns sections over the
// text as it stands and changes nothing.
package outline

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"inlay/parse"
)

const (
	// maxSize is the most Markdown that is parsed for its blocks.
	maxSize = 64 << 20
	// maxLines bounds the blocks, each of which takes far more memory than a
	// line of text.
	maxLines = 500_000
	// maxNesting is how deeply quotes and lists may open on one line; the
	// parser's work grows with nesting times length.
	maxNesting = 100
)

// Markdown returns the sections of Markdown text and whether it could be
// outlined; where it is too large or too deeply nested, its paragraphs are
// returned and ok is false.
func Markdown(source string) (sections []parse.Section, ok bool) {
	if len(source) > maxSize || strings.Count(source, "\n") > maxLines || nesting(source) > maxNesting {
		return Paragraphs(source), false
	}
	front := frontMatter(source)
	body := source[front:]
	raw := []byte(body)
	// Without inline parsers and link definitions: only blocks matter here.
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	root := p.Parse(text.NewReader(raw))
	w := walker{source: body, raw: raw}
	w.blocks(root)
	w.closeHeadings(0, len(strings.TrimRight(body, "\r\n")))
	if front > 0 {
		for i := range w.sections {
			w.sections[i].Start += front
			w.sections[i].End += front
		}
		end := len(strings.TrimRight(source[:front], "\r\n"))
		w.sections = append(w.sections, parse.Section{Kind: parse.Code, Label: "front matter", Start: 0, End: end})
	}
	parse.SortSections(w.sections)
	return w.sections, true
}

// frontMatter returns the length of a YAML head between --- lines, or 0.
func frontMatter(source string) int {
	first, rest, ok := strings.Cut(source, "\n")
	if !ok || strings.TrimRight(first, " \r") != "---" {
		return 0
	}
	at := len(first) + 1
	for line := range strings.Lines(rest) {
		at += len(line)
		if trimmed := strings.TrimRight(line, " \r\n"); trimmed == "---" || trimmed == "..." {
			return at
		}
		if strings.TrimSpace(line) == "" && !strings.Contains(rest[:at-len(first)-1], ":") {
			return 0
		}
	}
	return 0
}

// nesting is the largest number of quote and list marks that open one line.
// Nesting by indentation alone costs as many bytes as it costs work.
func nesting(source string) int {
	deepest := 0
	for line := range strings.Lines(source) {
		depth := 0
	marks:
		for i := range len(line) {
			switch line[i] {
			case '>':
				depth++
			case '-', '*', '+':
				if i+1 < len(line) && line[i+1] != ' ' && line[i+1] != '\t' {
					break marks
				}
				depth++
			case ' ', '\t':
			default:
				break marks
			}
		}
		deepest = max(deepest, depth)
	}
	return deepest
}

// walker gathers sections while it goes through the tree of blocks.
type walker struct {
	source   string
	raw      []byte // the same
	sections []parse.Section
	open     []int // indexes of open headings
}

func (w *walker) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			w.heading(n)
		case *ast.List:
			if start, end, ok := w.span(n); ok {
				w.add(parse.List, "", start, end)
			}
		case *ast.FencedCodeBlock:
			w.fenced(n)
		case *ast.CodeBlock:
			if start, end, ok := w.span(n); ok {
				w.add(parse.Code, "", start, end)
			}
		case *ast.Blockquote:
			w.blocks(n)
		case *ast.ThematicBreak:
		default:
			if start, end, ok := w.span(n); ok {
				w.paragraph(start, end)
			}
		}
	}
}

func (w *walker) add(kind parse.Kind, label string, start, end int) {
	end = start + len(strings.TrimRight(w.source[start:end], "\r\n"))
	w.sections = append(w.sections, parse.Section{Kind: kind, Label: label, Start: start, End: end})
}

// heading opens a section that a later heading of its level or above closes.
func (w *walker) heading(n *ast.Heading) {
	start, _, ok := w.span(n)
	if !ok {
		return
	}
	w.closeHeadings(n.Level, start)
	title := strings.Join(strings.Fields(string(n.Lines().Value(w.raw))), " ")
	w.open = append(w.open, len(w.sections))
	w.sections = append(w.sections, parse.Section{Kind: parse.Heading, Label: plain(title), Level: n.Level, Start: start})
}

// plain drops the marks of emphasis, code and links from a title.
func plain(title string) string {
	title = strings.NewReplacer("**", "", "__", "", "`", "").Replace(title)
	for {
		before, rest, ok := strings.Cut(title, "](")
		if !ok {
			return title
		}
		open := strings.LastIndexByte(before, '[')
		_, after, closed := strings.Cut(rest, ")")
		if open < 0 || !closed {
			return title
		}
		title = before[:open] + before[open+1:] + after
	}
}

func (w *walker) closeHeadings(level, at int) {
	end := len(strings.TrimRight(w.source[:at], "\r\n"))
	for n := len(w.open); n > 0; n-- {
		s := &w.sections[w.open[n-1]]
		if s.Level < level {
			return
		}
		s.End = max(end, s.Start)
		w.open = w.open[:n-1]
	}
}

// fenced marks a code block together with its fences.
func (w *walker) fenced(n *ast.FencedCodeBlock) {
	var start, end int
	switch lines := n.Lines(); {
	case lines.Len() > 0:
		start, end = lineStart(w.source, max(lines.At(0).Start-1, 0)), lines.At(lines.Len()-1).Stop
		if first := lineStart(w.source, lines.At(0).Start); first > 0 {
			start = lineStart(w.source, first-1)
		}
	case n.Info != nil:
		start, end = lineStart(w.source, n.Info.Segment.Start), lineEnd(w.source, n.Info.Segment.Stop)
	default:
		return
	}
	if next := strings.TrimLeft(w.source[end:lineEnd(w.source, end)], " >\t"); strings.HasPrefix(next, "```") || strings.HasPrefix(next, "~~~") {
		end = lineEnd(w.source, end)
	}
	w.add(parse.Code, string(n.Language(w.raw)), start, end)
}

// span is the range of a block and all below it, widened to whole lines.
func (w *walker) span(n ast.Node) (start, end int, ok bool) {
	start, end = len(w.source), 0
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		lines := n.Lines()
		if lines.Len() > 0 {
			start, end = min(start, lines.At(0).Start), max(end, lines.At(lines.Len()-1).Stop)
		}
		if html, is := n.(*ast.HTMLBlock); is && html.HasClosure() {
			start, end = min(start, html.ClosureLine.Start), max(end, html.ClosureLine.Stop)
		}
		return ast.WalkContinue, nil
	})
	if start >= end {
		return 0, 0, false
	}
	return lineStart(w.source, start), lineEnd(w.source, end-1), true
}

func lineStart(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

func lineEnd(s string, at int) int {
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(s)
}
