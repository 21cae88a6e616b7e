package strategy

import (
	"slices"
	"strings"

	"inlay/strategy/condition"
	"inlay/strategy/render"
)

// Permission is one thing a strategy may read or use, for people to see before
// it runs (STR-11).
type Permission struct {
	Text string `json:"text"` // "Reads selected text"
	From string `json:"from"` // "when", "prompt", "preprocessor files", "tools"
}

// Permissions gathers what a strategy may read or use, from its condition, the
// providers that condition needs, its preprocessors, the context its prompt
// names and its tool rules. Each text comes once, where it is first found.
func Permissions(s *Strategy, registry *Registry, providers ...ExtraProvider) []Permission {
	g := gatherer{seen: map[string]bool{}, providers: map[string]string{}}
	for _, p := range providers {
		g.providers[p.Root()] = p.Permission()
	}
	g.paths(s.When.Paths(), "when")
	for _, id := range s.Preprocessors {
		text := "Runs the preprocessor " + id + ", which is not installed"
		if p, ok := registry.Lookup(id); ok {
			text = p.Info().Permission
		}
		g.add(text, "preprocessor "+id)
	}
	g.paths(promptPaths(s), "prompt")
	for _, plugin := range sortedKeys(s.Tools) {
		for _, function := range sortedKeys(s.Tools[plugin]) {
			verb := "Denies tool "
			if s.Tools[plugin][function] {
				verb = "Allows tool "
			}
			g.add(verb+plugin+"."+function, "tools")
		}
	}
	return g.list
}

// promptPaths are the context paths that body and system prompt name.
func promptPaths(s *Strategy) []string {
	var paths []string
	texts := []string{s.Body}
	if s.SystemPrompt != nil {
		texts = append(texts, *s.SystemPrompt)
	}
	for _, text := range texts {
		if t, err := render.Parse(text); err == nil {
			paths = append(paths, t.Paths()...)
		}
	}
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(p string) bool {
		root, _, _ := strings.Cut(p, ".")
		return !slices.Contains(condition.Roots(), root)
	})
}

type gatherer struct {
	list      []Permission
	seen      map[string]bool
	providers map[string]string // permission text by root
}

func (g *gatherer) add(text, from string) {
	if !g.seen[text] {
		g.seen[text] = true
		g.list = append(g.list, Permission{Text: text, From: from})
	}
}

func (g *gatherer) paths(paths []string, from string) {
	for _, p := range paths {
		if roots := condition.ExtraRoots([]string{p}); len(roots) == 1 && g.providers[roots[0]] != "" {
			g.add(g.providers[roots[0]], from)
			continue
		}
		g.add(reads(p), from)
	}
}

// reads names what a context path reveals.
func reads(path string) string {
	for _, known := range []struct{ prefix, text string }{
		{"attachments.selection", "Reads selected text"},
		{"attachments.visual", "Reads visible UI information"},
		{"attachments.files", "Reads the list of attached files"},
		{"attachments.text", "Reads attached text"},
		{"attachments", "Reads attachments"},
		{"clipboard.hasText", "Reads what kind of content the clipboard holds"},
		{"clipboard.hasImage", "Reads what kind of content the clipboard holds"},
		{"clipboard.files", "Reads the files on the clipboard"},
		{"clipboard", "Reads clipboard text"},
		{"assistant", "Reads the assistant's settings"},
		{"environment", "Reads information about this computer"},
		{"extra.file_manager", "Reads file manager current folder and selection"},
		{"extra.browser", "Reads the browser's active tab"},
		{"extra.workspace", "Reads the workspace's name, folder and git state"},
		{"visual", "Reads visible UI information"},
	} {
		if path == known.prefix || strings.HasPrefix(path, known.prefix+".") {
			return known.text
		}
	}
	return "Reads " + path
}
