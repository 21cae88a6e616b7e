package prompts

import (
	"fmt"
	"strings"
	"text/template"
)

// check renders the set over sentinels, one, two and many of them, and finds
// what a template or a named block drops.
func (s *Set) check() error {
	for _, n := range []int{1, 2, 5} {
		d := Data{Query: sentinel("query"), Shown: n, Total: 9}
		files, citations := d, d
		for i := 1; i <= n; i++ {
			text := sentinel(fmt.Sprint("text", i))
			files.Files = append(files.Files, File{Number: i, Name: "name", Text: text})
			citations.Citations = append(citations.Citations, Citation{Number: i, File: "name", Where: "page 1", Text: text})
		}
		for _, c := range []struct {
			t       *template.Template
			d       Data
			query   bool
			content string
		}{
			{s.full, files, true, allFiles},
			{s.full.Lookup("whole"), files, false, allFiles},
			{s.full.Lookup("context"), files, false, allFiles},
			{s.retrieval, citations, true, allCitations},
			{s.retrieval.Lookup("context"), citations, false, allCitations},
			{s.none, d, true, ""},
		} {
			if c.t == nil {
				continue // a block that the set does not have
			}
			if err := s.shows(c.t, c.d, c.query, c.content); err != nil {
				return err
			}
		}
	}
	return nil
}

// What a template must show.
const (
	allFiles     = "the text of every file: {{range .Files}}{{.Text}}{{end}}"
	allCitations = "the text of every citation: {{range .Citations}}{{.Text}}{{end}}"
)

// shows renders t over d and reports a query or text that does not come out whole.
func (s *Set) shows(t *template.Template, d Data, query bool, content string) error {
	got, err := render(t, s.view(d))
	if err != nil {
		return err
	}
	if query && !strings.Contains(got, d.Query) {
		return fmt.Errorf("%s does not show all of the query: {{.Query}}", t.Name())
	}
	for _, f := range d.Files {
		if !strings.Contains(got, f.Text) {
			return fmt.Errorf("%s does not show %s", t.Name(), content)
		}
	}
	for _, c := range d.Citations {
		if !strings.Contains(got, c.Text) {
			return fmt.Errorf("%s does not show %s", t.Name(), content)
		}
	}
	return nil
}

// sentinel is a text long and odd enough that cutting or escaping it shows.
func sentinel(name string) string {
	return "[" + name + strings.Repeat(" \u00e9<&>\"'{{.}}", 200) + name + "]"
}
