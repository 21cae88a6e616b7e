package worker

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"inlay/fault"
	"inlay/parse"
)

// Child is the worker's own side.
type Child struct {
	// Parsers builds the parsers under the limits of the request.
	Parsers func(parse.Limits) (*parse.Registry, error)
	// Warm, if set, runs before the process is locked in: what must still write
	// files for a parser, such as a compilation cache, does it here. What it does
	// not get done is missed later, by the parser that needs it.
	Warm func(parse.Info)
}

// Main reads one request from in, locks the process in, and only then reads the
// document. It writes its pages, then the document or the reason why there is
// none, to out, and returns an error only if talking to the supervisor failed.
// It changes limits of the whole process, so a process calls it once and ends.
func (c Child) Main(ctx context.Context, in io.Reader, out io.Writer) error {
	r := bufio.NewReader(in)
	var q request
	if err := readLine(r, &q); err != nil {
		return err
	}
	registry, err := c.Parsers(q.Limits)
	if err != nil {
		return err
	}
	p, err := registry.Named(q.Parser)
	if err != nil {
		return err
	}
	if c.Warm != nil {
		c.Warm(p.Info())
	}
	if err := cageOf(q.Limits).lock(); err != nil {
		return err
	}
	limits := q.Limits.WithDefaults()
	data, err := readRaw(r, q.Size, max(limits.PlainText, limits.File))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	d, err := read(ctx, p, parse.File{Name: q.Name, MediaType: q.MediaType, Data: data}, w)
	if err != nil {
		return write(w, reply{Failure: failureOf(err)}, "")
	}
	text := strings.ToValidUTF8(d.Text, "\uFFFD")
	d.Text = ""
	return write(w, reply{Document: &d, Size: int64(len(text))}, text)
}

// read reads the document and sends progress and pages on the way.
func read(ctx context.Context, p parse.Parser, f parse.File, w *bufio.Writer) (parse.Document, error) {
	var broken error // writing failed: the supervisor is gone
	report := func(done float64) {
		broken = errors.Join(broken, write(w, reply{Done: &done}, ""))
	}
	d, err := parse.ReadPages(ctx, p, f, report, func(t parse.PageText) {
		broken = errors.Join(broken, write(w, reply{Page: &page{t.Section, t.Of, t.Boxes}, Size: int64(len(t.Text))}, t.Text))
	})
	return d, errors.Join(broken, err)
}

// failureOf keeps what a caller may see of an error.
func failureOf(err error) *failure {
	f := &failure{Code: fault.CodeOf(err), Reason: "it could not be read"}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		f.Reason, f.Next = e.Reason, e.Next
	}
	return f
}
