package builtin

import (
	"context"
	"fmt"
	"strings"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/markup"
	"inlay/strategy"
	"inlay/strategy/render"
)

// BrowserActivePage exposes the page in the browser's active tab. The caller
// supplies extra.browser.active_tab with url and title and either text or html;
// of HTML the main content is kept, as Markdown.
type BrowserActivePage struct {
	HTML parse.Parser // reads the page; nil means markup.HTML with its defaults
}

// Info implements [strategy.Preprocessor].
func (BrowserActivePage) Info() strategy.Info {
	return strategy.Info{
		ID: "browser-active-page", DisplayName: "Web page", Description: "Takes address, title and readable text of the page in the browser's active tab.",
		Permission: "Reads the browser's active page",
	}
}

// CheckSettings implements [strategy.SettingsChecker]: there are none.
func (p BrowserActivePage) CheckSettings(settings map[string]any) error {
	return strategy.NoSettings(p.Info().ID, settings)
}

// Process implements [strategy.Preprocessor].
func (p BrowserActivePage) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	const tab = "extra.browser.active_tab"
	id := p.Info().ID
	url, ok := textAt(x.Values, tab+".url")
	if !ok {
		return strategy.Result{}, missing(id, "page in the browser", tab+".url")
	}
	title, _ := textAt(x.Values, tab+".title")
	text, found := textAt(x.Values, tab+".text")
	if page, _ := render.Find(x.Values, tab+".html"); !found && page != nil {
		source, _ := page.(string)
		read, err := p.read(ctx, source)
		if err != nil {
			return strategy.Result{}, fmt.Errorf("read page: %w", err)
		}
		text, found = read, true
		if title == "" {
			title = titleOf(source)
		}
	}
	if !found {
		return strategy.Result{}, missing(id, "content of the page", tab+".html or .text")
	}
	return strategy.Result{Variables: map[string]any{
		"preprocess.browser.url": url, "preprocess.browser.title": title, "preprocess.browser.readable_text": text,
	}}, nil
}

// read turns HTML into the Markdown of its main content. A page without any
// text is an empty one, not a failure.
func (p BrowserActivePage) read(ctx context.Context, page string) (string, error) {
	parser := p.HTML
	if parser == nil {
		parser = markup.HTML(parse.Limits{})
	}
	for _, html := range []string{mainContent(page), page} {
		if strings.TrimSpace(html) == "" {
			continue
		}
		doc, err := parser.Parse(ctx, parse.File{Name: "page.html", MediaType: "text/html", Data: []byte(html)}, func(float64) {})
		if err == nil {
			return strings.TrimSpace(doc.Text), nil
		}
		if !fault.Is(err, fault.NoTextLayer) {
			return "", err
		}
	}
	return "", nil
}
