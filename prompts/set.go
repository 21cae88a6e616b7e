// Package prompts has every text that inlay itself writes into a prompt, as
// text/template files, and renders them in one pass: what a document or a
// question contains is never expanded.
//
// A set is three templates. full.tmpl injects whole files into the prompt
// (INJ-6), retrieval.tmpl the citations (INJ-7), none.tmpl says that nothing was
// found (INJ-8). full.tmpl and retrieval.tmpl may mark with
//
//	{{block "context" .}} ... {{end}}
//
// the injected material without instructions and query, and full.tmpl with
// "whole" all that comes before its closing instructions. One line break at the
// end of a template file is not part of the prompt.
package prompts

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

//go:embed classic/*.tmpl cited/*.tmpl
var builtin embed.FS

// Set is a checked prompt set. It is immutable and safe for concurrent use.
type Set struct {
	name                  string
	full, retrieval, none *template.Template
	notes                 bool
	fenced                bool // a template shows .Fence
	marks                 bool
}

// Data is what a template can show, and .Fence: a marker that occurs in none of
// the texts, names and headings.
type Data struct {
	Query     string
	Files     []File     // whole files, in order of attachment
	Citations []Citation // in rank order
	Shown     int        // passages in Citations
	Total     int        // passages the files have
	Selection bool       // the citations represent whole documents, in document order
	Notes     []Note     // what was made of the complete files, see [Set.ShowsNotes]
	Extent    string     // how much of the files the citations are, "15 % of their text"; may be empty
}

// File is a file to be injected whole.
type File struct {
	Number int // from 1
	Name   string
	Text   string
}

// Citation is a passage to be shown.
type Citation struct {
	Number  int
	Text    string
	File    string
	Where   string // "page 3, lines 10-14"; may be empty
	Heading string // path of headings above the passage; may be empty
	Header  string // a table's header row that the text lacks; may be empty
}

// Note is what inlay made of a complete file, such as an outline.
type Note struct {
	File  string
	About string // "outline", "rows counted"
	Text  string
}

// The built-in sets, read when first asked for.
//
//nolint:gochecknoglobals // they never change; reading and checking them for every prompt would cost more than all the rest of a decision
var (
	classic = sync.OnceValues(func() (*Set, error) { return load("classic") })
	cited   = sync.OnceValues(func() (*Set, error) { return load("cited") })
)

// Named returns the built-in set of that name: "classic" or "cited".
func Named(name string) (*Set, error) {
	switch name {
	case "classic":
		return classic()
	case "cited":
		return cited()
	}
	return nil, fmt.Errorf("prompt set %q: not one of classic, cited", name)
}

func load(name string) (*Set, error) {
	sub, err := fs.Sub(builtin, name)
	if err != nil {
		return nil, fmt.Errorf("prompt set %s: %w", name, err)
	}
	return Load(name, sub)
}

// Load reads full.tmpl, retrieval.tmpl and none.tmpl from dir and checks them:
// each must show all of the query, and full.tmpl and retrieval.tmpl all of the
// content they are given (INJ-9).
func Load(name string, dir fs.FS) (*Set, error) {
	s := &Set{name: name}
	for _, part := range []struct {
		file string
		into **template.Template
	}{{"full.tmpl", &s.full}, {"retrieval.tmpl", &s.retrieval}, {"none.tmpl", &s.none}} {
		t, err := parse(dir, part.file)
		if err != nil {
			return nil, fmt.Errorf("prompt set %s: %w", name, err)
		}
		*part.into = t
		s.fenced = s.fenced || showsFence(t)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("prompt set %s: %w", name, err)
	}
	s.notes, s.marks = s.findNotes(), s.findMarks()
	return s, nil
}

// ShowsMarks reports whether retrieval.tmpl shows the number of a passage as the
// mark that an answer can cite it by, such as [7]. That of the set classic does
// not.
func (s *Set) ShowsMarks() bool { return s.marks }

func (s *Set) findMarks() bool {
	text, err := render(s.retrieval, s.view(Data{Query: "?", Shown: 1, Total: 1, Citations: []Citation{{Number: 7654, File: "a", Text: "b"}}}))
	return err == nil && strings.Contains(text, "[7654]")
}

// ShowsNotes reports whether the templates full.tmpl and retrieval.tmpl show
// [Data].Notes. Those of the set classic do not.
func (s *Set) ShowsNotes() bool { return s.notes }

func (s *Set) findNotes() bool {
	const sample = "a note of inlay"
	d := Data{Query: "?", Notes: []Note{{File: "a", About: "b", Text: sample}}}
	cited, err := render(s.retrieval, s.view(d))
	if err != nil || !strings.Contains(cited, sample) {
		return false
	}
	d.Files = []File{{Number: 1, Name: "a", Text: "c"}}
	full, err := render(s.full, s.view(d))
	return err == nil && strings.Contains(full, sample)
}

func showsFence(t *template.Template) bool {
	return slices.ContainsFunc(t.Templates(), func(b *template.Template) bool { return strings.Contains(b.Root.String(), ".Fence") })
}

func parse(dir fs.FS, file string) (*template.Template, error) {
	src, err := fs.ReadFile(dir, file)
	if err != nil {
		return nil, err
	}
	return template.New(file).Funcs(template.FuncMap{"quote": strconv.Quote, "inc": func(i int) int { return i + 1 }}).Parse(trimFinalNewline(string(src)))
}

// Name is the name that the set was loaded under.
func (s *Set) Name() string { return s.name }

func trimFinalNewline(s string) string {
	s = strings.TrimSuffix(s, "\n")
	return strings.TrimSuffix(s, "\r")
}
