package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/injection"
	"inlay/strategy"
	"inlay/strategy/builtin"
	"inlay/strategy/strategytest"
)

func selection(items ...any) map[string]any {
	return map[string]any{"extra": map[string]any{"file_manager": map[string]any{"selection": map[string]any{"items": items}}}}
}

func item(name string) any {
	return map[string]any{"path": filepath.Join("testdata", name), "kind": "file", "displayName": name}
}

func screen() map[string]any {
	return map[string]any{"attachments.visual.primary": map[string]any{
		"type": "Window", "name": "Settings", "children": []any{
			map[string]any{"type": "Label", "text": " Dark mode \n"},
			map[string]any{"type": "TextEdit", "name": "Password", "text": "hunter2", "password": true},
			map[string]any{"type": "Panel", "children": []any{map[string]any{"type": "Button", "name": "Save", "text": " "}}},
			"odd",
		},
	}}
}

func page(t *testing.T) map[string]any {
	t.Helper()
	html, err := os.ReadFile("testdata/page.html")
	require.NoError(t, err)
	return map[string]any{"extra.browser.active_tab.url": "https://example.org/tides", "extra.browser.active_tab.html": string(html)}
}

func TestConformance(t *testing.T) {
	in := injector(t)
	for _, tt := range []struct {
		p strategy.Preprocessor
		x strategy.ExecutionContext
	}{
		{builtin.SelectedText{}, strategy.ExecutionContext{Values: map[string]any{"attachments.selection.text": "hello"}}},
		{builtin.ClipboardText{}, strategy.ExecutionContext{Values: map[string]any{"clipboard": map[string]any{"text": "hello"}}}},
		{builtin.VisualElementText{}, strategy.ExecutionContext{Values: screen()}},
		{builtin.BrowserActivePage{}, strategy.ExecutionContext{Values: page(t)}},
		{
			builtin.FileManagerSelection{Injector: in, Open: builtin.OpenUnder("testdata")},
			strategy.ExecutionContext{Input: "rent", Model: model(t, 8000), Values: selection(item("lease.pdf"), item("prices.csv"))},
		},
		{injection.Preprocessor{Injector: in}, strategy.ExecutionContext{Input: "rent", Model: model(t, 8000), Attachments: attach("lease.pdf")}},
	} {
		t.Run(tt.p.Info().ID, func(t *testing.T) { strategytest.Run(t, tt.p, tt.x) })
	}
}

func TestPreprocessors(t *testing.T) {
	var ids []string
	for _, p := range builtin.Preprocessors(builtin.Options{Injector: injector(t)}) {
		ids = append(ids, p.Info().ID)
	}
	require.Equal(t, []string{"browser-active-page", "clipboard-text", "file-manager-selection", "files", "intent", "route", "selected-text", "visual-element-text"}, ids)
	require.Len(t, builtin.Preprocessors(builtin.Options{}), 6)
}

func process(t *testing.T, p strategy.Preprocessor, x strategy.ExecutionContext) map[string]any {
	t.Helper()
	r, err := p.Process(t.Context(), x)
	require.NoError(t, err)
	return r.Variables
}

func TestTexts(t *testing.T) {
	require.Equal(t, map[string]any{"preprocess.selection.text": " as it is\n"},
		process(t, builtin.SelectedText{}, strategy.ExecutionContext{Values: map[string]any{"attachments.selection.text": " as it is\n"}}))
	require.Equal(t, map[string]any{"preprocess.clipboard.text": "x"}, process(t, builtin.ClipboardText{}, strategy.ExecutionContext{Values: map[string]any{"clipboard.text": "x"}}))
	require.Equal(t, map[string]any{"preprocess.visual.text": "Settings\nDark mode\nSave"}, process(t, builtin.VisualElementText{}, strategy.ExecutionContext{Values: screen()}))
	require.Equal(t, map[string]any{"preprocess.visual.text": "first"}, process(t, builtin.VisualElementText{}, strategy.ExecutionContext{
		Values: map[string]any{"attachments": map[string]any{"visual": map[string]any{"items": []any{map[string]any{"text": "first"}, map[string]any{"text": "second"}}}}},
	}))
	require.Equal(t, map[string]any{
		"preprocess.browser.url": "https://example.org/tides", "preprocess.browser.title": "Tide tables", "preprocess.browser.readable_text": "# Tides in May\n\nHigh water is at **six**.",
	}, process(t, builtin.BrowserActivePage{}, strategy.ExecutionContext{Values: page(t)}))
	require.Equal(t, map[string]any{
		"preprocess.browser.url": "u", "preprocess.browser.title": "t", "preprocess.browser.readable_text": "given",
	}, process(t, builtin.BrowserActivePage{}, strategy.ExecutionContext{Values: map[string]any{"extra.browser.active_tab": map[string]any{"url": "u", "title": "t", "text": "given", "html": "<p>not"}}}))
}

func TestReadableText(t *testing.T) {
	for name, tt := range map[string]struct{ html, want string }{
		"no main":      {"<body><nav>Menu</nav><p>Text</p><footer>Foot</footer></body>", "Text"},
		"one article":  {"<div>Before</div><article><p>Story</p></article><div>After</div>", "Story"},
		"articles":     {"<article><p>One</p></article><article><p>Two</p></article>", "One\n\nTwo"},
		"roles":        {"<div role=navigation>Menu</div><p>Text</p>", "Text"},
		"only a menu":  {"<nav>Menu</nav>", ""},
		"fragment":     {"Text", "Text"},
		"empty":        {"", ""},
		"empty page":   {"<html><body></body></html>", ""},
		"deep nesting": {strings.Repeat("<div>", 400) + "Deep", "Deep"},
	} {
		got := process(t, builtin.BrowserActivePage{}, strategy.ExecutionContext{Values: map[string]any{
			"extra.browser.active_tab.url": "u", "extra.browser.active_tab.html": tt.html, "extra.browser.active_tab.text": "",
		}})
		require.Equal(t, tt.want, got["preprocess.browser.readable_text"], name)
	}
}

func TestContextMissing(t *testing.T) {
	for name, tt := range map[string]struct {
		p      strategy.Preprocessor
		values map[string]any
	}{
		"selection":   {builtin.SelectedText{}, nil},
		"empty":       {builtin.SelectedText{}, map[string]any{"attachments.selection.text": ""}},
		"number":      {builtin.ClipboardText{}, map[string]any{"clipboard.text": 3}},
		"visual":      {builtin.VisualElementText{}, nil},
		"visual item": {builtin.VisualElementText{}, map[string]any{"attachments.visual.items": []any{"x"}}},
		"no text":     {builtin.VisualElementText{}, map[string]any{"attachments.visual.primary": map[string]any{}}},
		"no tab":      {builtin.BrowserActivePage{}, nil},
		"no page":     {builtin.BrowserActivePage{}, map[string]any{"extra.browser.active_tab.url": "u"}},
		"no files":    {builtin.FileManagerSelection{}, selection()},
	} {
		_, err := tt.p.Process(t.Context(), strategy.ExecutionContext{Values: tt.values})
		require.True(t, fault.Is(err, fault.PreprocessorContextMissing), name)
	}
}

func TestFileManagerSelection(t *testing.T) {
	p := builtin.FileManagerSelection{Injector: injector(t), Open: builtin.OpenUnder("testdata")}
	values := selection(item("lease.pdf"), map[string]any{"path": nil, "kind": "virtual"}, map[string]any{"path": "testdata", "kind": "folder"}, item("gone.md"))
	x := strategy.ExecutionContext{Model: model(t, 100_000), Values: values}
	r, err := p.Process(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, []string{"testdata/lease.pdf", "testdata", "testdata/gone.md"}, r.Variables["preprocess.file_manager.selection.paths"])
	text := r.Variables["preprocess.file_manager.selection.text"]
	require.Contains(t, text, "The rent is 1,250 euros a month")
	require.Contains(t, text, "six months' notice")
	require.Len(t, r.Diagnostics, 1)
	require.Equal(t, "files.file_not_found", r.Diagnostics[0].Code)

	x.Model, x.Input = model(t, 1200), "What is the deposit?"
	text = process(t, p, x)["preprocess.file_manager.selection.text"]
	require.Contains(t, text, "deposit")
	require.NotContains(t, text, "lease.pdf full content", "what does not fit becomes passages")

	p.Open = nil
	r, err = p.Process(t.Context(), x)
	require.NoError(t, err)
	require.Empty(t, r.Variables["preprocess.file_manager.selection.text"])
	require.Equal(t, "files.not_allowed", r.Diagnostics[0].Code)
	p.Open = builtin.OpenUnder("strategies")
	_, err = p.Process(t.Context(), x)
	require.Error(t, err, "all files failed")
}

func FuzzReadableText(f *testing.F) {
	f.Add("<main><p>x</p></main>")
	f.Add("<nav><article>" + strings.Repeat("<div>", 50))
	f.Fuzz(func(t *testing.T, html string) {
		_, err := builtin.BrowserActivePage{}.Process(t.Context(), strategy.ExecutionContext{Values: map[string]any{
			"extra.browser.active_tab.url": "u", "extra.browser.active_tab.html": html,
		}})
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.CodeOf(err))
		}
	})
}
