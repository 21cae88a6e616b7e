// Package worker reads untrusted documents in a process of its own.
//
// The supervisor starts its own program again, hands it the document on stdin
// and takes pages and result from stdout. The worker limits its own processor
// time, memory and files before it sees the first byte; the supervisor kills it
// when time runs out. Whatever a document does to the worker, the supervisor
// goes on, and the pages that were read before a kill are kept.
//
// Wiring takes two places: [Wrap] around the parsers, and a hidden subcommand
// that calls [Child.Main].
package worker

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"

	"inlay/fault"
	"inlay/internal/lazy"
	"inlay/parse"
	"inlay/parse/internal/advice"
)

// Command says how a worker is started. The zero value starts the running
// program without arguments.
type Command struct {
	Path   string       // default: the running program
	Args   []string     // what makes it a worker, such as a subcommand
	Env    []string     // its environment; by default HOME, XDG_CACHE_HOME and TMPDIR are handed on
	Limits parse.Limits // handed to the worker's parsers; Memory, CPU and Wall are the process's own
	Most   int          // processes at once, default the number of processors

	// Keep has workers read one document after another, which saves the start of a
	// process for each; nil: a worker for each document. Only for documents that may
	// know of each other: what one does to a worker, the next one finds. Close it when
	// all are read.
	Keep *Pool
}

// Wrap puts parsers into workers: each result reads like the parser it stands
// for, in a process of its own, of which no more than c.Most run at once.
func Wrap(c Command, parsers ...parse.Parser) []parse.Parser {
	slots := make(chan struct{}, cmp.Or(c.Most, runtime.NumCPU()))
	out := make([]parse.Parser, len(parsers))
	for i, p := range parsers {
		out[i] = caged{p.Info(), c, slots}
	}
	return out
}

// caged is a parser in a worker.
type caged struct {
	info    parse.Info
	command Command
	slots   chan struct{}
}

// Info implements [parse.Parser].
func (p caged) Info() parse.Info { return p.info }

// Parse implements [parse.Parser]. Beside the inner parser's errors there are
// fault.LimitExceeded and fault.Timeout for a worker that was stopped, and
// fault.Corrupt for one that broke down, before it had read a page; after that
// the pages read so far are the document, the others are marked failed, and a
// warning says why.
func (p caged) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return parse.Document{}, stopped(f.Name, err)
	}
	limits := p.command.Limits.WithDefaults()
	timed, cancel := context.WithTimeout(ctx, limits.Wall)
	defer cancel()
	r := run{file: f, parser: p.info.Name, report: report, limits: limits, silent: true}
	end := r.supervise(timed, p.command)
	switch {
	case ctx.Err() != nil:
		return parse.Document{}, stopped(f.Name, ctx.Err())
	case r.failure != nil:
		return parse.Document{}, &fault.Error{Code: r.failure.Code, Subject: f.Name, Reason: r.failure.Reason, Next: r.failure.Next}
	case r.document != nil:
		return *r.document, nil
	}
	if timed.Err() != nil {
		end = &fault.Error{Code: fault.Timeout, Reason: fmt.Sprintf("reading took longer than the limit of %v", limits.Wall), Next: advice.Raise("wall", 2*limits.Wall), Err: end}
	}
	return r.partial(p.info, reasonOf(f.Name, end))
}

// stopped is the error of a caller's context.
func stopped(name string, err error) error {
	code, reason := fault.Canceled, "reading was canceled"
	if errors.Is(err, context.DeadlineExceeded) {
		code, reason = fault.Timeout, "reading took longer than the time given"
	}
	return &fault.Error{Code: code, Subject: name, Reason: reason, Next: "try again", Err: err}
}

// run is one document's way through a worker.
type run struct {
	file     parse.File
	parser   string
	report   parse.Progress
	limits   parse.Limits
	pages    map[int]pageOf // by number
	total    int
	document *parse.Document
	failure  *failure
	silent   bool // it has said nothing yet
}

// pageOf is a page that has arrived.
type pageOf struct {
	section parse.Section
	text    string
	boxes   []byte
}

// supervise has a worker read the document: one that waits, or a new one.
func (r *run) supervise(ctx context.Context, c Command) error {
	head, err := r.request(c)
	if err != nil {
		return err
	}
	for {
		p := c.Keep.take(r.parser)
		if p == nil {
			break
		}
		if err, gone := r.through(ctx, p, head, c.Keep); !gone {
			return err
		}
	}
	p, err := c.launch(ctx)
	if err != nil {
		return err
	}
	err, _ = r.through(ctx, p, head, c.Keep)
	return err
}

// through hands the document to a worker and listens until it has a result or the
// worker ends. A worker that is gone had ended before it was asked.
func (r *run) through(ctx context.Context, p *process, head []byte, keep *Pool) (err error, gone bool) {
	stop := context.AfterFunc(ctx, p.kill)
	p.read++
	sent := p.send(head, r.file.Data, keep == nil)
	again, heard := r.listen(p.out)
	if again && heard == nil && keep != nil && p.read < mostDocuments && stop() {
		<-sent
		keep.give(r.parser, p)
		return nil, false
	}
	ended := p.end()
	<-sent
	stop()
	if r.silent && p.read > 1 && ctx.Err() == nil {
		return nil, true
	}
	return errors.Join(cageOf(r.limits).ended(ended, p.words.String()), heard), false
}

// mark is what a worker finds in its environment.
const mark = "INLAY_WORKER=1"

// start prepares the worker's process. A program that does not know it is a
// worker would start further ones, so a worker starts none.
func (c Command) start(ctx context.Context) (*exec.Cmd, error) {
	cmd, err := c.Process(ctx)
	if err == nil {
		cmd.Env = append(cmd.Env, mark)
	}
	return cmd, err
}

// Process prepares another process of the program, called by the name that the
// program itself was called by. It ends with this one and with ctx, is out of
// reach of the terminal, and may start workers itself.
func (c Command) Process(ctx context.Context) (*exec.Cmd, error) {
	if slices.Contains(os.Environ(), mark) {
		return nil, errors.New("a worker starts no workers")
	}
	path, name := c.Path, c.Path
	if path == "" {
		var err error
		if path, err = self(); err != nil {
			return nil, fmt.Errorf("find the worker's program: %w", err)
		}
		name = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, path, c.Args...)
	cmd.Args[0] = name
	cmd.Env = environment(c.Env)
	isolate(cmd)
	return cmd, nil
}

// Detached prepares another process of the program that goes on when this one ends.
func (c Command) Detached() (*exec.Cmd, error) {
	cmd, err := c.Process(context.Background())
	if err == nil {
		detach(cmd)
		cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	}
	return cmd, err
}

// environment is what a worker may see of ours.
func environment(given []string) []string {
	if given != nil {
		return slices.Clone(given)
	}
	env := []string{"GOTRACEBACK=none", "GOMAXPROCS=2", lazy.Environment()}
	for _, key := range []string{"HOME", "XDG_CACHE_HOME", "TMPDIR"} {
		if v := os.Getenv(key); v != "" {
			env = append(env, key+"="+v)
		}
	}
	return env
}

// request renders the frame that goes in, without its raw bytes.
func (r *run) request(c Command) ([]byte, error) {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	q := request{Parser: r.parser, Name: r.file.Name, MediaType: r.file.MediaType, Limits: c.Limits, Size: int64(len(r.file.Data)), Keep: c.Keep != nil}
	err := write(w, q, "")
	return b.Bytes(), err
}

// listen takes frames until the result, a breach of the form, or the end, and
// reports whether the worker takes another document.
func (r *run) listen(in *bufio.Reader) (again bool, err error) {
	limit := max(4*int64(r.limits.Text), 2*r.limits.PlainText)
	left := 2*limit + maxLine
	for {
		var f reply
		if err := readLine(in, &f); err != nil {
			return false, err
		}
		r.silent = false
		raw, err := readRaw(in, f.Size, min(limit, left))
		if err != nil {
			return false, err
		}
		left -= int64(len(raw))
		if r.take(f, string(raw)) {
			return f.Again, nil
		}
	}
}

// take takes one frame and reports whether it was the last.
func (r *run) take(f reply, raw string) (last bool) {
	switch {
	case f.Done != nil:
		if r.report != nil {
			r.report(*f.Done)
		}
	case f.Page != nil:
		if n := f.Page.Section.Number; n >= 1 && n <= r.limits.Pages && f.Page.Of <= r.limits.Pages {
			if r.pages == nil {
				r.pages = map[int]pageOf{}
			}
			r.total = max(f.Page.Of, n)
			r.pages[n] = pageOf{f.Page.Section, raw, parse.PageBoxes(f.Page.Boxes)[n]}
		}
	case f.Document != nil:
		f.Document.Text = raw
		f.Document.Path = r.file.Path
		r.document = f.Document
		return true
	case f.Failure != nil:
		r.failure = f.Failure
		return true
	}
	return false
}

// tail keeps the first words a worker says on its standard error.
type tail struct{ bytes.Buffer }

// Write implements [io.Writer]; it never fails.
func (t *tail) Write(p []byte) (int, error) {
	if room := 4096 - t.Len(); room > 0 {
		t.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
