// Package report draws an evaluation as one page of HTML that needs nothing
// beside itself: no network, no script, no font. Charts are SVG, made here.
package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"inlay/eval"
)

//go:embed page.gohtml
var page string

//go:embed page.css
var style string

// Write writes the page of a report. All of the set's text is escaped: a
// document can change neither the page nor what it loads, which is nothing.
// Documents and failures beyond what a page holds are counted on it, and named
// in full by the report's JSON.
func Write(w io.Writer, rep *eval.Report) error {
	t, err := template.New("page").Funcs(functions()).Parse(page)
	if err != nil {
		return fmt.Errorf("read the page's template: %w", err)
	}
	v, err := newView(rep)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, v); err != nil {
		return fmt.Errorf("fill in the page: %w", err)
	}
	if _, err := out.WriteTo(w); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
