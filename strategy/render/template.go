// Package render fills a strategy's placeholders (STR-7) and turns values into
// text. It makes one pass: what a value brings in is never looked at again, so
// a document cannot reach the template that shows it.
package render

import (
	"slices"
	"strings"

	"inlay/fault"
)

// DefaultLimit bounds a rendered text, in bytes.
const DefaultLimit = 64 << 20

// Template is a parsed text. A placeholder is "{", a letter or underscore,
// letters, digits, underscores and dots, "}". Every other brace is text, and so
// is what follows two or more opening braces, so that code, JSON and templates
// of other languages survive.
type Template struct {
	parts []part
	paths []string
}

// part is literal text or one placeholder.
type part struct {
	text        string // the literal, or the path without its braces
	placeholder bool
}

// Parse reads text in one pass. A placeholder with an empty segment, as in
// {a..b} or {a.}, is fault.StrategyRenderFailed: it can name nothing.
func Parse(text string) (*Template, error) {
	t := &Template{}
	start := 0
	for i := 0; i < len(text); {
		if text[i] != '{' {
			next := strings.IndexByte(text[i:], '{')
			if next < 0 {
				break
			}
			i += next
		}
		open := i
		for i < len(text) && text[i] == '{' {
			i++
		}
		end := nameEnd(text, i)
		if i-open > 1 || end == i || end == len(text) || text[end] != '}' {
			i = end
			continue
		}
		path := text[i:end]
		if !wellFormed(path) {
			return nil, malformed(path)
		}
		t.add(text[start:open], path)
		start, i = end+1, end+1
	}
	if start < len(text) {
		t.parts = append(t.parts, part{text: text[start:]})
	}
	slices.Sort(t.paths)
	t.paths = slices.Compact(t.paths)
	return t, nil
}

func (t *Template) add(literal, path string) {
	if literal != "" {
		t.parts = append(t.parts, part{text: literal})
	}
	t.parts = append(t.parts, part{text: path, placeholder: true})
	t.paths = append(t.paths, path)
}

// Paths lists the placeholders' paths, sorted and each once.
func (t *Template) Paths() []string { return slices.Clone(t.paths) }

// Uses reports whether path is one of the placeholders.
func (t *Template) Uses(path string) bool {
	_, found := slices.BinarySearch(t.paths, path)
	return found
}

// nameEnd returns where the name that starts at i ends; i itself when none does.
func nameEnd(text string, i int) int {
	if i == len(text) || !isLetter(text[i]) {
		return i
	}
	for i < len(text) && (isLetter(text[i]) || text[i] == '.' || '0' <= text[i] && text[i] <= '9') {
		i++
	}
	return i
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func wellFormed(path string) bool {
	return !strings.HasSuffix(path, ".") && !strings.Contains(path, "..")
}

func malformed(path string) error {
	return &fault.Error{
		Code: fault.StrategyRenderFailed, Subject: "{" + path + "}",
		Reason: "the placeholder has an empty part between its dots",
		Next:   "write {name} or {path.to.value}, or {{" + path + "}} for text",
	}
}
