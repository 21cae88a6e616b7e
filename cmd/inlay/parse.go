package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"inlay/fault"
	"inlay/injection"
	"inlay/internal/inputs"
	"inlay/internal/wire"
	"inlay/parse"
)

// parseCmd prints what a file yields.
type parseCmd struct {
	readSettings
	Output string `short:"o" enum:"text,json" default:"text" help:"What to print: the text, or the document with its map of sections."`
	Boxes  bool   `help:"With --output json: where each word is on its page (PDF)."`
	Quiet  bool   `short:"q" help:"No statuses."`

	File rawArg `arg:"" optional:"" help:"File or web address to read; - is standard input, as is a pipe without a file."`
}

// Run parses one file.
func (c *parseCmd) Run(ctx context.Context, a *app) error {
	doc, err := parseOne(ctx, a, string(c.File), c.Quiet)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return writeJSON(a.stdout, withBoxes(doc, c.Boxes))
	}
	_, err = io.WriteString(a.stdout, doc.Text)
	return err
}

// placedDocument is a document and where its words stand.
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

// parseOne reads and parses a file, with its progress and warnings on stderr.
func parseOne(ctx context.Context, a *app, path string, quiet bool) (parse.Document, error) {
	path, err := a.named(path)
	if err != nil {
		return parse.Document{}, err
	}
	f, err := readFile(ctx, a, path)
	if err != nil {
		return parse.Document{}, err
	}
	return a.parse(ctx, f, quiet)
}

// named is the file of an argument that may be left out where a pipe is the document.
func (a *app) named(path string) (string, error) {
	switch {
	case path != "":
		return path, nil
	case a.piped():
		return inputs.Stdin, nil
	}
	return "", &fault.Error{Code: fault.Usage, Subject: "FILE", Reason: "is not given", Next: "name a file, or pipe one to standard input"}
}

// parse parses a file, with its progress and warnings on stderr.
func (a *app) parse(ctx context.Context, f parse.File, quiet bool) (parse.Document, error) {
	registry, err := wire.OpenParsers(a.limits, a.ocr, a.getenv)
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
		view.note("warning: " + strings.TrimSpace(w.Message))
	}
	return doc, nil
}
