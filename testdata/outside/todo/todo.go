// Package todo reads lists of tasks: a line each, "x" in front of those done,
// "# " in front of the title of a list.
package todo

import (
	"context"
	"strings"

	"inlay/parse"
)

type parser struct{ limits parse.Limits }

// New returns the parser.
func New(limits parse.Limits) parse.Parser { return parser{limits.WithDefaults()} }

func (parser) Info() parse.Info {
	return parse.Info{
		Name: "todo", Version: "1", Library: "example.org/outside/todo",
		MediaTypes: []string{"text/x-todo"}, Extensions: []string{".todo"},
	}
}

func (p parser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if err := parse.CheckSize(f, p.limits.File); err != nil {
		return parse.Document{}, err
	}
	b := parse.Builder{Limit: p.limits.Text}
	lines := strings.Split(string(f.Data), "\n")
	for i, line := range lines {
		if err := ctx.Err(); err != nil {
			return parse.Document{}, err
		}
		add(&b, strings.TrimSpace(line))
		report.Tell(float64(i+1) / float64(len(lines)))
	}
	return b.Document()
}

func add(b *parse.Builder, line string) {
	title, list := strings.CutPrefix(line, "# ")
	task, done := strings.CutPrefix(line, "x ")
	switch {
	case line == "":
	case list:
		b.Heading(1, title)
	case done:
		b.Block(parse.Paragraph, "", "Done: "+task)
	default:
		b.Block(parse.Paragraph, "", "Open: "+task)
	}
}
