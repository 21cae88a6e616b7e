package prompts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"text/template"

	"inlay/internal/plural"
)

// Full renders the prompt that holds whole files (INJ-6).
func (s *Set) Full(d Data) (string, error) { return render(s.full, s.view(d)) }

// Retrieval renders the prompt that holds citations (INJ-7). With files in d,
// those come first, whole and without their closing instructions (INJ-12).
func (s *Set) Retrieval(d Data) (string, error) {
	v := s.view(d)
	if len(d.Files) == 0 {
		return render(s.retrieval, v)
	}
	whole, err := s.part(s.full, "whole", v)
	if err != nil {
		return "", err
	}
	cited, err := render(s.retrieval, v)
	return whole + cited, err
}

// None renders the prompt that says that nothing was found (INJ-8).
func (s *Set) None(d Data) (string, error) { return render(s.none, s.view(d)) }

// Context renders the injected material alone, without instructions and query:
// the whole files, then the citations.
func (s *Set) Context(d Data) (string, error) {
	v := s.view(d)
	var b strings.Builder
	if len(d.Files) > 0 {
		text, err := s.part(s.full, "context", v)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	if len(d.Citations) > 0 || len(d.Notes) > 0 && s.notes && len(d.Files) == 0 {
		text, err := s.part(s.retrieval, "context", v)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return strings.Trim(b.String(), "\n"), nil
}

// part renders one named block of t, or the classic set's block where the
// user's template has none.
func (s *Set) part(t *template.Template, name string, v *view) (string, error) {
	if b := t.Lookup(name); b != nil {
		return render(b, v)
	}
	ours, err := classic()
	if err != nil {
		return "", err
	}
	if t == s.full {
		return render(ours.full.Lookup(name), v)
	}
	return render(ours.retrieval.Lookup(name), v)
}

// view is [Data] as templates see it. It has no methods: text/template looks for
// one at every field of a type that has any, which takes longer than the rest.
type view struct {
	Query     string
	Files     []File
	Citations []Citation
	Shown     int
	Total     int
	Selection bool
	Notes     []Note
	Extent    string
	Counted   string // "1 file", "3 files": functions of a template take longer than all the rest of it
	Fence     string // only where a template of the set shows it
	size      int    // about how long a prompt becomes, in bytes
}

func (s *Set) view(d Data) *view {
	v := &view{
		Query: d.Query, Files: d.Files, Citations: d.Citations, Shown: d.Shown, Total: d.Total,
		Selection: d.Selection, Notes: d.Notes, Extent: d.Extent, Counted: plural.Of(len(d.Files), "file"), size: d.size(),
	}
	if s.fenced {
		v.Fence = fence(d)
	}
	return v
}

func render(t *template.Template, v *view) (string, error) {
	var b strings.Builder
	b.Grow(v.size)
	if err := t.Execute(&b, v); err != nil {
		return "", fmt.Errorf("render prompt: %w", err)
	}
	return b.String(), nil
}

// fenceEnd is how much of each end of a text makes a fence, in bytes.
const fenceEnd = 4096

// fence derives a marker from the material itself and makes sure that it does
// not occur in it, so that no document can end its own quotation (SEC-4). It
// does not depend on the query: the same files make the same prefix, which a
// server's prompt cache can keep. Of a long text the hash takes both ends, so
// that a document can hold as many of its marks as it likes: each is passed over
// in one step.
func fence(d Data) string {
	h := sha256.New()
	_, _ = io.WriteString(h, "0\n")
	d.material(func(s string) {
		_, _ = fmt.Fprintf(h, "%d:", len(s))
		if len(s) > 2*fenceEnd {
			_, _ = io.WriteString(h, s[:fenceEnd])
			s = s[len(s)-fenceEnd:]
		}
		_, _ = io.WriteString(h, s)
	})
	sum := h.Sum(nil)
	mark := markOf(sum)
	clash := strings.Contains(d.Query, mark)
	d.material(func(s string) { clash = clash || strings.Contains(s, mark) })
	if !clash {
		return mark
	}
	taken := marksIn(d)
	for salt := 1; ; salt++ {
		next := sha256.Sum256(fmt.Appendf(sum, "%d", salt))
		if mark := markOf(next[:]); !taken[mark] {
			return mark
		}
	}
}

const (
	fenceStart  = "====="
	fenceDigits = 12
)

func markOf(sum []byte) string { return fenceStart + hex.EncodeToString(sum[:fenceDigits/2]) }

// marksIn are the runs of text that could be taken for a mark.
func marksIn(d Data) map[string]bool {
	marks := map[string]bool{}
	find := func(s string) {
		for at := 0; ; at++ {
			i := strings.Index(s[at:], fenceStart)
			if at += i; i < 0 || at+len(fenceStart)+fenceDigits > len(s) {
				return
			}
			marks[s[at:at+len(fenceStart)+fenceDigits]] = true
		}
	}
	find(d.Query)
	d.material(find)
	return marks
}

// size is about how long a prompt becomes, in bytes.
func (d *Data) size() int {
	n := 1<<10 + len(d.Query)
	d.material(func(s string) { n += len(s) + 64 })
	return n
}

// material visits every text in d that comes from files.
func (d *Data) material(visit func(string)) {
	for _, f := range d.Files {
		visit(f.Name)
		visit(f.Text)
	}
	for _, n := range d.Notes {
		visit(n.File)
		visit(n.About)
		visit(n.Text)
	}
	for _, c := range d.Citations {
		for _, s := range []string{c.File, c.Where, c.Heading, c.Header, c.Text} {
			visit(s)
		}
	}
}
