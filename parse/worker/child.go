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
	// files, such as a compilation cache, does it here.
	Warm func() error
	// Cage are the limits that the process puts on itself.
	Cage Cage
}

// Main locks the process in, reads one document from in, and writes its pages,
// then the document or the reason why there is none, to out. It returns an error
// only if talking to the supervisor failed. It changes limits of the whole
// process, so a process calls it once and then ends.
func (c Child) Main(ctx context.Context, in io.Reader, out io.Writer) error {
	if c.Warm != nil {
		// What could not be warmed is missed later, by the parser that needs it.
		_ = c.Warm()
	}
	if err := c.Cage.lock(); err != nil {
		return err
	}
	r := bufio.NewReader(in)
	var q request
	if err := readLine(r, &q); err != nil {
		return err
	}
	data, err := readRaw(r, q.Size, max(q.Limits.WithDefaults().PlainText, q.Limits.WithDefaults().File))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	d, err := c.parse(ctx, q, data, w)
	if err != nil {
		return write(w, reply{Failure: failureOf(err)}, "")
	}
	text := strings.ToValidUTF8(d.Text, "\uFFFD")
	d.Text = ""
	return write(w, reply{Document: &d, Size: int64(len(text))}, text)
}

// parse reads the document with the parser that its content asks for.
func (c Child) parse(ctx context.Context, q request, data []byte, w *bufio.Writer) (parse.Document, error) {
	registry, err := c.Parsers(q.Limits)
	if err != nil {
		return parse.Document{}, err
	}
	f := parse.File{Name: q.Name, MediaType: q.MediaType, Data: data}
	p, err := registry.Lookup(f)
	if err != nil {
		return parse.Document{}, err
	}
	var broken error // writing failed: the supervisor is gone
	report := func(done float64) {
		broken = errors.Join(broken, write(w, reply{Done: &done}, ""))
	}
	d, err := parse.ReadPages(ctx, p, f, report, func(t parse.PageText) {
		broken = errors.Join(broken, write(w, reply{Page: &page{t.Section, t.Of}, Size: int64(len(t.Text))}, t.Text))
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
