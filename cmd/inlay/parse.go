package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"inlay/fault"
	"inlay/injection"
	"inlay/internal/inputs"
	"inlay/internal/plural"
	"inlay/parse"
)

// parseCmd prints what a file yields.
type parseCmd struct {
	readSettings
	Output string `short:"o" enum:"text,json" default:"text" help:"What to print: the text, or the document with its map of sections."`
	Boxes  bool   `help:"With --output json: where each word is on its page (PDF)."`
	Quiet  bool   `short:"q" help:"No statuses."`

	File []rawArg `arg:"" optional:"" help:"Files, folders, web addresses and globs to read; - is standard input, as is a pipe without a file."`
}

// Run parses the files. The texts of several begin with their paths, as those of
// head do; with --output json there is one object after another.
func (c *parseCmd) Run(ctx context.Context, a *app) error {
	gap := ""
	return a.parseEach(ctx, c.File, c.Quiet, func(d read) error {
		if c.Output == "json" {
			return writeJSON(a.stdout, withBoxes(d.Document, c.Boxes))
		}
		if d.several {
			if _, err := fmt.Fprintf(a.stdout, "%s==> %s <==\n", gap, oneLine(d.path)); err != nil {
				return err
			}
		}
		gap = "\n"
		text := d.Text
		if isTerminal(a.stdout) {
			text = ended(text)
		}
		_, err := io.WriteString(a.stdout, text)
		return err
	})
}

// placedDocument is a document and where its words are.
type placedDocument struct {
	parse.Document
	Boxes []parse.Box `json:"boxes,omitempty"`
}

// withBoxes is a document as it is printed: with the boxes of its words as a list,
// or without them.
func withBoxes(doc parse.Document, wanted bool) placedDocument {
	out := placedDocument{Document: doc}
	if wanted {
		out.Boxes = doc.Boxes(0, len(doc.Text))
	}
	out.WordBoxes = nil
	return out
}

// named are the files of arguments that may be left out where a pipe is the document.
func (a *app) named(files []rawArg) ([]rawArg, error) {
	switch {
	case len(files) > 0:
		return files, nil
	case a.piped():
		return []rawArg{inputs.Stdin}, nil
	}
	return nil, &fault.Error{Code: fault.Usage, Subject: "FILE", Reason: "is not given", Next: "name a file, or pipe one to standard input"}
}

// readEach reads what the arguments name, or standard input where a pipe is all
// there is. It returns the error of a single name; of several, those that cannot
// be read are reported on stderr and counted.
func (a *app) readEach(ctx context.Context, names []rawArg) (files []parse.File, failed unread, err error) {
	if names, err = a.named(names); err != nil {
		return nil, failed, err
	}
	for _, name := range names {
		more, notes, err := a.read(ctx, string(name))
		opened{notes: notes}.tell(a)
		if err := failed.note(a, err, len(names) == 1 || fault.Is(err, fault.LimitExceeded)); err != nil {
			return nil, failed, err
		}
		files = append(files, more...)
	}
	return files, failed, nil
}

// read is a document, the path of its file, and whether it is one of several.
type read struct {
	parse.Document
	path    string
	several bool
}

// parseEach parses what the arguments name and hands each document to take. Of
// several files those that cannot be read are reported, and the others go on.
func (a *app) parseEach(ctx context.Context, names []rawArg, quiet bool, take func(d read) error) error {
	files, failed, err := a.readEach(ctx, names)
	if err != nil {
		return err
	}
	all := len(files) + failed.n
	for _, f := range files {
		doc, err := a.parse(ctx, f, quiet)
		if err == nil {
			err = take(read{Document: doc, path: cmp.Or(f.Path, f.Name), several: all > 1})
		} else {
			err = failed.note(a, err, all == 1)
		}
		if err != nil {
			return err
		}
	}
	return failed.error(all)
}

// unread counts what could not be read.
type unread struct {
	n    int
	last error
}

// note reports an error on stderr and counts it, or returns it where it ends the
// command: it is the only file's or a mistake on the command line.
func (u *unread) note(a *app, err error, only bool) error {
	if err == nil {
		return nil
	}
	if only || fault.Is(err, fault.Usage) || fault.Is(err, fault.Canceled) {
		return err
	}
	u.n, u.last = u.n+1, err
	_, _ = fmt.Fprintln(a.stderr, "inlay:", printable(err.Error()))
	return nil
}

// error is what all files come to of which some could not be read.
func (u *unread) error(all int) error {
	if u.n == 0 {
		return nil
	}
	return &fault.Error{
		Code: fault.CodeOf(u.last), Reason: fmt.Sprintf("%s could not be read", plural.OfAll(u.n, all, "file")),
		Next: "see the errors above", Err: u.last,
	}
}

// parse parses a file, with its progress and warnings on stderr.
func (a *app) parse(ctx context.Context, f parse.File, quiet bool) (parse.Document, error) {
	registry, err := a.registry()
	if err != nil {
		return parse.Document{}, err
	}
	view := newStatusView(a.stderr, quiet)
	s := injection.Status{ID: 1, State: injection.Loading, Text: "Parsing file " + f.Name + "..."}
	doc, err := registry.Parse(ctx, f, func(done float64) {
		s.Text = fmt.Sprintf("Parsing file %s... (%.2f%%)", f.Name, done*100)
		view.show(s)
	})
	if err != nil {
		return doc, err
	}
	s.State, s.Text = injection.Done, fmt.Sprintf("%s read %s as %s", doc.ReadBy(), f.Name, doc.MediaType)
	view.show(s)
	view.close()
	for _, w := range doc.Warnings {
		_, _ = fmt.Fprintln(a.stderr, "warning:", printable(f.Name+": "+strings.TrimSpace(w.Message)))
	}
	return doc, nil
}
