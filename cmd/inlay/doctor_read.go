package main

// The checks of inlay doctor that look at what reads documents.

import (
	"context"
	"strings"

	"inlay/internal/wire"
	"inlay/parse"
)

// lookWorker lets a worker process read a small page.
func lookWorker(ctx context.Context, e *examination) []finding {
	limits, err := e.limits()
	if err != nil {
		return ofError(err, "")
	}
	registry, err := wire.OpenParsers(limits, nil, e.app.getenv)
	if err != nil {
		return ofError(err, "")
	}
	page := []byte("<!doctype html><title>Check</title><p>The notice period is four weeks.</p>")
	doc, err := registry.Parse(ctx, parse.File{Name: "check.html", Data: page}, nil)
	if err != nil {
		return ofError(err, "let the service's user start processes; see the limits of its unit or container")
	}
	if !strings.Contains(doc.Text, "four weeks") {
		return bad("a worker read a page and lost its text", "report it, with the version")
	}
	return fine("documents are read in a process of their own")
}

// lookPDFium starts the engine for doubtful pages.
func lookPDFium(_ context.Context, e *examination) []finding {
	engine := wire.OpenSecond(e.app.getenv)
	if err := engine.Prepare(); err != nil {
		return ofError(err, "allow more memory; without it, doubtful pages stay as the first reader has them")
	}
	if err := engine.Close(); err != nil {
		return ofError(err, "")
	}
	dir := wire.WasmCache(e.app.getenv)
	if dir == "" {
		return []finding{{Verdict: worry, Found: "starts, and is compiled again in every process: there is no folder to keep it in", Next: "set HOME or XDG_CACHE_HOME"}}
	}
	if err := engine.Keep(); err != nil {
		return ofError(err, "let this user write the folder, or set XDG_CACHE_HOME: until then pages are read slowly")
	}
	return fine("starts; compiled once into %s", dir)
}

// lookOCR asks tesseract, where it is wanted.
func lookOCR(ctx context.Context, e *examination) []finding {
	t := e.tesseract()
	if t == nil {
		return left("no --ocr: scanned pages are not read")
	}
	if err := t.Check(ctx); err != nil {
		return ofError(err, "")
	}
	return fine("tesseract knows %s", t.Language)
}
