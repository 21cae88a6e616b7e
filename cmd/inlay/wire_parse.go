package main

// This file is the part of the wiring that reads documents.

import (
	"context"
	"io"
	"path/filepath"
	"slices"

	"inlay/parse"
	"inlay/parse/archive"
	"inlay/parse/legacy"
	"inlay/parse/markup"
	"inlay/parse/office"
	"inlay/parse/pdf"
	"inlay/parse/picture"
	"inlay/parse/plain"
	"inlay/parse/worker"
)

// workerCommand makes the program a worker; see inlay/parse/worker.
const workerCommand = "parse-worker"

// openParsers is every format that inlay reads. Containers and markup, whose
// readers a hostile file could drive to ruin, are read in a worker process;
// forms of plain text, which are read in one pass, are read here. With ocr,
// tesseract reads scanned pages that the worker found.
func openParsers(limits parse.Limits, ocr *pdf.Tesseract, getenv func(string) string) (*parse.Registry, error) {
	command := worker.Command{Args: []string{workerCommand}, Limits: limits}
	caged := worker.Wrap(command, cagedParsers(limits, openSecond(getenv))...)
	if ocr != nil {
		caged = append(caged, picture.New(limits, *ocr, pdf.OCRLibrary))
		artist := &pdf.PDFium{CacheDir: wasmCache(getenv), Instances: 1}
		for i, p := range caged {
			if p.Info().Name == "pdf" {
				caged[i] = pdf.OCR{Inner: p, Engine: artist, Tesseract: *ocr, Limits: limits}
			}
		}
	}
	return parse.NewRegistry(slices.Concat(plain.All(limits), caged)...)
}

// wasmCache is where compiled modules are kept: in the user's cache folder.
func wasmCache(getenv func(string) string) string {
	if dir := userCache(getenv); dir != "" {
		return filepath.Join(dir, "inlay", "wasm")
	}
	return ""
}

// openSecond is the reader of PDF pages that come out doubtful. The worker's
// own process is what ends it.
func openSecond(getenv func(string) string) *pdf.PDFium {
	return &pdf.PDFium{Unstoppable: true, Instances: 1, CacheDir: wasmCache(getenv)}
}

// cagedParsers are those that run in a worker.
func cagedParsers(limits parse.Limits, second *pdf.PDFium) []parse.Parser {
	return slices.Concat([]parse.Parser{pdf.Parser{Limits: limits, Second: second}}, markup.All(limits), office.All(limits), legacy.All(limits), []parse.Parser{archive.Zip(limits)})
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
			if p.Name == "pdf" || p.Name == "mail" || p.Name == "msg" || p.Name == "zip" { // they carry PDF files
				_ = second.Keep() // without it, a doubtful page compiles the module again
			}
		},
	}
	return child.Main(ctx, in, out)
}
