package wire

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"inlay/injection"
	"inlay/internal/durable"
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

// WorkerCommand makes the program a worker; see inlay/parse/worker.
const WorkerCommand = "parse-worker"

// OpenParsers is every format that inlay reads, in workers of this program, a new
// one for each document.
func OpenParsers(limits parse.Limits, ocr *pdf.Tesseract, getenv func(string) string) (*parse.Registry, error) {
	return parse.NewRegistry(parsers(worker.Command{Limits: limits}, ocr, getenv)...)
}

// OpenKeptParsers is [OpenParsers] for the documents of one person, which may share
// the workers of a pool.
func OpenKeptParsers(limits parse.Limits, ocr *pdf.Tesseract, getenv func(string) string, keep *worker.Pool) (*parse.Registry, error) {
	return parse.NewRegistry(parsers(worker.Command{Limits: limits, Keep: keep}, ocr, getenv)...)
}

// Parsers are all of ours. Containers and markup, whose readers a hostile file
// could drive to ruin, are read in a worker process of a program (empty: this
// one); forms of plain text, which are read in one pass, are read here. With ocr,
// tesseract reads scanned pages that the worker found.
func Parsers(program string, limits parse.Limits, ocr *pdf.Tesseract, getenv func(string) string) []parse.Parser {
	return parsers(worker.Command{Path: program, Limits: limits}, ocr, getenv)
}

func parsers(command worker.Command, ocr *pdf.Tesseract, getenv func(string) string) []parse.Parser {
	command.Args = []string{WorkerCommand}
	limits := command.Limits
	caged := worker.Wrap(command, cagedParsers(limits, OpenSecond(getenv))...)
	if ocr != nil {
		caged = withOCR(caged, limits, *ocr, &pdf.PDFium{CacheDir: WasmCache(getenv), Instances: 1})
	}
	return slices.Concat(plain.All(limits), caged)
}

// withOCR is a list of parsers with pictures and the scanned pages of PDF files
// read by tesseract; artist draws the pages.
func withOCR(list []parse.Parser, limits parse.Limits, ocr pdf.Tesseract, artist *pdf.PDFium) []parse.Parser {
	for i, p := range list {
		if p.Info().Name == "pdf" {
			list[i] = pdf.OCR{Inner: p, Engine: artist, Tesseract: ocr, Limits: limits}
		}
	}
	return append(list, picture.New(limits, ocr, pdf.OCRLibrary))
}

// ParsersInside are all of ours, in this process: no worker bounds what a
// hostile file makes them do, but for the limits that they keep to themselves.
// Where second is not nil, it reads doubtful pages of PDF files again. With ocr,
// which needs it, tesseract reads scanned pages and pictures.
func ParsersInside(limits parse.Limits, second *pdf.PDFium, ocr *pdf.Tesseract) []parse.Parser {
	inside := cagedParsers(limits, second)
	if ocr != nil {
		inside = withOCR(inside, limits, *ocr, second)
	}
	return slices.Concat(plain.All(limits), inside)
}

// WasmCache is where compiled modules are kept: in the user's cache folder.
func WasmCache(getenv func(string) string) string {
	if dir := UserCache(getenv); dir != "" {
		return filepath.Join(dir, "inlay", "wasm")
	}
	return ""
}

// OpenSecond is the reader of PDF pages that come out doubtful. The worker's
// own process is what ends it.
func OpenSecond(getenv func(string) string) *pdf.PDFium {
	return &pdf.PDFium{Unstoppable: true, Instances: 1, CacheDir: WasmCache(getenv), Quick: true}
}

// cagedParsers are those that run in a worker.
func cagedParsers(limits parse.Limits, second *pdf.PDFium) []parse.Parser {
	return slices.Concat([]parse.Parser{pdf.Parser{Limits: limits, Second: second}}, markup.All(limits), office.All(limits), legacy.All(limits), []parse.Parser{archive.Zip(limits)})
}

// WithPDFs are the names of the parsers of files that are or carry PDFs.
func WithPDFs() []string { return []string{"pdf", "mail", "msg", "zip"} }

// CompileCommand makes the program compile PDFium for the workers to come.
const CompileCommand = "compile-pdfium"

// CompileLater starts a process of a program (empty: this one) that compiles PDFium,
// if none has done so yet: a worker may not write, and whoever reads a page should
// not wait. It goes on for some seconds when this program has ended.
func CompileLater(program string, getenv func(string) string) error {
	dir := WasmCache(getenv)
	if dir == "" || OpenSecond(getenv).Kept() {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return durable.Explain(dir, err)
	}
	cmd, err := worker.Command{Path: program, Args: []string{CompileCommand}}.Detached()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start compiling PDFium: %w", err)
	}
	return cmd.Process.Release()
}

// Compile is the whole program as the process that CompileLater starts. Where another
// one compiles already it does nothing.
func Compile(getenv func(string) string) error {
	dir := WasmCache(getenv)
	if dir == "" {
		return nil
	}
	release, ok, err := durable.TryExclude(filepath.Join(dir, "compiling.lock"))
	if err != nil || !ok {
		return err
	}
	defer release()
	return OpenSecond(getenv).Keep()
}

// Work is the whole program as a worker: one document from in, its pages to out.
// It reads no configuration; what it needs comes with the document.
func Work(ctx context.Context, getenv func(string) string, in io.Reader, out io.Writer) error {
	second := OpenSecond(getenv)
	child := worker.Child{
		Parsers: func(limits parse.Limits) (*parse.Registry, error) {
			return parse.NewRegistry(ParsersInside(limits, second, nil)...)
		},
	}
	return child.Main(ctx, in, out)
}

// UserCache is the folder for what can be made again; empty if there is none.
func UserCache(getenv func(string) string) string {
	return userFolder(getenv, "XDG_CACHE_HOME", ".cache")
}

// UserConfig is the folder of configuration files; empty if there is none.
func UserConfig(getenv func(string) string) string {
	return userFolder(getenv, "XDG_CONFIG_HOME", ".config")
}

func userFolder(getenv func(string) string, variable, inHome string) string {
	if dir := getenv(variable); dir != "" {
		return dir
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, inHome)
	}
	return ""
}

// LeaveOut is why a file of a folder is not read, in words that follow "1 file";
// empty: it is read.
func LeaveOut(r *parse.Registry, f parse.File) string {
	if len(f.Data) == 0 {
		return "empty"
	}
	if injection.Picture(r, f.Data) != "" {
		return "in an image format, which needs --ocr"
	}
	if _, err := r.Lookup(f); err != nil {
		return "in a format that is not read"
	}
	return ""
}
