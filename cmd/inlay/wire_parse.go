package main

// This file is the part of the wiring that reads documents.

import (
	"context"
	"io"
	"path/filepath"
	"slices"

	"inlay/parse"
	"inlay/parse/markup"
	"inlay/parse/office"
	"inlay/parse/pdf"
	"inlay/parse/plain"
	"inlay/parse/worker"
)

// workerCommand makes the program a worker; see inlay/parse/worker.
const workerCommand = "parse-worker"

// openParsers is every format that inlay reads. Containers and markup, whose
// readers a hostile file could drive to ruin, are read in a worker process;
// forms of plain text, which are read in one pass, are read here.
func openParsers(limits parse.Limits, getenv func(string) string) (*parse.Registry, error) {
	command := worker.Command{Args: []string{workerCommand}, Limits: limits}
	return parse.NewRegistry(slices.Concat(plain.All(limits), worker.Wrap(command, cagedParsers(limits, openSecond(getenv))...))...)
}

// openSecond is the reader of PDF pages that come out doubtful. Its compiled
// module is kept in the user's cache folder.
func openSecond(getenv func(string) string) *pdf.PDFium {
	second := &pdf.PDFium{Unstoppable: true, Instances: 1} // the worker's own process is what ends it
	if dir := userCache(getenv); dir != "" {
		second.CacheDir = filepath.Join(dir, "inlay", "wasm")
	}
	return second
}

// cagedParsers are those that run in a worker.
func cagedParsers(limits parse.Limits, second *pdf.PDFium) []parse.Parser {
	return slices.Concat([]parse.Parser{pdf.Parser{Limits: limits, Second: second}}, markup.All(limits), office.All(limits))
}

// work is the whole program as a worker: one document from in, its pages to out.
// It reads no configuration; what it needs comes with the document.
func work(ctx context.Context, getenv func(string) string, in io.Reader, out io.Writer) error {
	second := openSecond(getenv)
	child := worker.Child{
		Parsers: func(limits parse.Limits) (*parse.Registry, error) {
			return parse.NewRegistry(slices.Concat(plain.All(limits), cagedParsers(limits, second))...)
		},
		Warm: func(p parse.Info) {
			if p.Name == "pdf" || p.Name == "mail" { // mails carry PDF files
				_ = second.Keep() // without it, a doubtful page compiles the module again
			}
		},
	}
	return child.Main(ctx, in, out)
}
