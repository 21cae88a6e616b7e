package worker

import (
	"bufio"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"time"

	"inlay/fault"
	"inlay/parse"
)

// Child is the worker's own side.
type Child struct {
	// Parsers builds the parsers under the limits of the request.
	Parsers func(parse.Limits) (*parse.Registry, error)
}

// Main reads a request from in, locks the process in, and only then reads the
// document. It writes its pages, then the document or the reason why there is
// none, to out, and goes on with the next request where one may follow. It returns
// an error only if talking to the supervisor failed. It changes limits of the whole
// process, so a process calls it once and ends.
func (c Child) Main(ctx context.Context, in io.Reader, out io.Writer) error {
	r, w := bufio.NewReader(in), bufio.NewWriter(out)
	var q request
	if err := readLine(r, &q); err != nil {
		return err
	}
	p, err := c.parser(q)
	if err != nil {
		return err
	}
	for {
		again, err := answer(ctx, p, q, r, w)
		if err != nil || !again {
			return err
		}
		q = request{}
		switch err := readLine(r, &q); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// parser is what reads the documents; from then on the process is locked in.
func (c Child) parser(q request) (parse.Parser, error) {
	registry, err := c.Parsers(q.Limits)
	if err != nil {
		return nil, err
	}
	p, err := registry.Named(q.Parser)
	if err != nil {
		return nil, err
	}
	cage := cageOf(q.Limits)
	if q.Keep {
		cage.cpu += spentBefore
	}
	return p, cage.lock()
}

// A worker takes another document while what it has spent and holds is little
// enough for that one to have what its limits give it.
const (
	spentBefore = time.Second
	heldShare   = 4 // of the memory
)

// fresh reports whether a worker may take another document.
func fresh(l parse.Limits) bool {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return used() < spentBefore && m.HeapInuse < uint64(cageOf(l).memory)/heldShare
}

// answer reads the document of a request and writes what became of it.
func answer(ctx context.Context, p parse.Parser, q request, r *bufio.Reader, w *bufio.Writer) (again bool, err error) {
	limits := q.Limits.WithDefaults()
	data, err := readRaw(r, q.Size, max(limits.PlainText, limits.File))
	if err != nil {
		return false, err
	}
	d, err := read(ctx, p, parse.File{Name: q.Name, MediaType: q.MediaType, Data: data}, w)
	again = q.Keep && fresh(q.Limits)
	if err != nil {
		return again, write(w, reply{Failure: failureOf(err), Again: again}, "")
	}
	text := strings.ToValidUTF8(d.Text, "\uFFFD")
	d.Text = ""
	return again, write(w, reply{Document: &d, Size: int64(len(text)), Again: again}, text)
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
