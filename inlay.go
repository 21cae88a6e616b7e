// Package inlay answers questions about files: whole files go into the model's
// prompt where they fit its context window, cited passages where they do not.
//
//	in, err := inlay.Open(ctx, inlay.Options{Model: "ollama:llama3.2"})
//	answer, err := in.Ask(ctx, "How long is the notice period?", "handbook.pdf")
//
// Package turn is the same with every part of your own choice, package injection
// the decision and the prompt alone.
package inlay

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"

	"inlay/embed"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/inputs"
	"inlay/internal/wire"
	"inlay/library"
	"inlay/llm"
	"inlay/parse"
	"inlay/parse/pdf"
	"inlay/retrieve"
	"inlay/route"
	"inlay/strategy"
	"inlay/strategy/builtin"
	"inlay/turn"
)

// Options shape an [Inlay]. With the zero value prompts are made and no model is
// asked; nothing is downloaded and no server is called. Nothing of a document is
// written to disk without Store.
type Options struct {
	// Model answers: "ollama:NAME", "openai:NAME" or "openai-responses:NAME". Any
	// other name, such as "gpt-4o", says only which model prompts are measured for.
	Model         string
	BaseURL       string // address of its server and of its embedder; empty: Ollama's or OpenAI's own
	Key           string // for an OpenAI-compatible server; the environment is not looked at
	ContextLength int    // its window, in tokens; 0: as its server says, else 4096, and a warning says so

	// Embedder searches by meaning; nil: nomic-embed-text where the model's server
	// lists it, else the built-in one.
	Embedder embed.Embedder
	// Reranker reads the best passages again and orders them (package llm/rerank
	// has two); nil: nobody does.
	Reranker retrieve.Reranker
	Chunk    string  // size and overlap of passages, in tokens: "100/0"; empty: the splitter's own
	Relative float64 // passages below this share of the best score are left out; 0: none
	// Store is a folder that keeps parses, chunks and embeddings, which have the
	// text of the documents; empty: memory, until Close.
	Store string
	// Libraries is a folder of libraries, as --data names it to the command; see
	// [Inlay.AddLibrary]. Empty: no library can be searched.
	Libraries string

	Injection injection.Options // mode, limit, threshold, prompts, libraries: how files are handled
	Intent    string            // "builtin" or "model" moves bulk out of a question into a document

	Strategies string // a folder of strategies of your own, which may be asked for beside the built-in ones

	Limits  parse.Limits   // of reading a file
	Parsers []parse.Parser // of further formats
	// OCR reads scanned pages and images, which are documents then; nil: nobody does.
	OCR *pdf.Tesseract
	// Worker is the path of an inlay command, whose processes then read PDF, Office
	// and markup, bounded in memory and time: for files of strangers. Empty: this
	// process reads them.
	Worker string

	Logger *slog.Logger // sizes, counts and times, never content; nil is silent
}

// Inlay answers questions about files. It is safe for concurrent use.
type Inlay struct {
	engine    turn.Engine
	registry  *parse.Registry
	measurer  llm.Measurer
	generator llm.Generator // nil: prompts only
	options   Options
	set       strategy.Set
	made      library.Settings // of new libraries
	close     func() error
}

// Open puts the parts together that o names. Of servers only the model's own is
// called, to see whether it has an embedder. What o cannot mean is refused with
// fault.Usage.
func Open(ctx context.Context, o Options) (*Inlay, error) {
	if err := o.Injection.Validate(); err != nil {
		return nil, err
	}
	if o.OCR != nil {
		if err := o.OCR.Check(ctx); err != nil {
			return nil, err
		}
	}
	in := &Inlay{options: o}
	model := wire.ModelSettings{Model: o.Model, BaseURL: o.BaseURL, ContextLength: o.ContextLength}
	if err := in.openStrategies(ctx); err != nil {
		return nil, err
	}
	if err := in.openModel(model); err != nil {
		return nil, inGo(err)
	}
	embedder := o.Embedder
	if embedder == nil {
		var err error
		if embedder, err = wire.OpenEmbedder(ctx, "", model, o.getenv); err != nil {
			return nil, inGo(err)
		}
	}
	parsers, done := o.parsers()
	in.close = done
	var err error
	in.registry, err = parse.NewRegistry(append(parsers, o.Parsers...)...)
	if err == nil {
		in.engine.Injector, err = wire.NewInjector(wire.Search{Relative: o.Relative, Chunk: o.Chunk, Store: o.Store, Limits: o.Limits}, in.registry, embedder, o.Reranker)
	}
	if err != nil {
		return nil, errors.Join(inGo(err), done())
	}
	in.engine.Injector.Logger, in.engine.Logger = o.Logger, o.Logger
	in.made = library.Settings{Embedder: embedder.Spec().Model, Chunk: o.Chunk}
	if store := in.openLibraries(); store != nil {
		in.close = func() error { return errors.Join(store.Close(), done()) }
	}
	return in, nil
}

// openStrategies loads those that may be asked for.
func (in *Inlay) openStrategies(ctx context.Context) error {
	in.engine.Preprocessors.Route = route.Preprocessor{Router: route.Router{Settings: route.Defaults()}}
	registry, err := builtin.KnownPreprocessors()
	if err != nil {
		return err
	}
	in.set, err = wire.LoadStrategies(ctx, in.options.Strategies, registry)
	return err
}

// strategy is nil where the files alone make the prompt.
func (in *Inlay) strategy(id string) (*strategy.Strategy, error) {
	if id == "" {
		return nil, nil
	}
	return wire.FindStrategy(in.set, id)
}

// openModel opens the model that answers, or one that is only measured.
func (in *Inlay) openModel(m wire.ModelSettings) (err error) {
	if provider, _ := llm.SplitModel(m.Model); provider != "ollama" && !wire.IsOpenAI(provider) {
		in.measurer, err = wire.OpenModel(m, in.options.getenv)
		return err
	}
	answerer, err := wire.OpenAnswerer(m, in.options.getenv)
	in.measurer, in.generator = answerer, answerer
	return err
}

// parsers are ours: in workers, or in this process.
func (o Options) parsers() (list []parse.Parser, done func() error) {
	if o.Worker != "" {
		return wire.Parsers(o.Worker, o.Limits, o.OCR, o.getenv), func() error {
			_ = wire.CompileLater(o.Worker, o.getenv) // what is not compiled is interpreted
			return nil
		}
	}
	second := &pdf.PDFium{Instances: 1, CacheDir: wire.WasmCache(o.getenv)}
	return wire.ParsersInside(o.Limits, second, o.OCR), second.Close
}

// getenv is the environment of the parts: the key of the options, and where
// what can be made again is kept.
func (o Options) getenv(name string) string {
	switch name {
	case wire.KeyVariable:
		return o.Key
	case "HOME", "XDG_CACHE_HOME":
		return os.Getenv(name)
	}
	return ""
}

// Close releases what reading files took. Nothing may be asked afterwards.
func (in *Inlay) Close() error { return in.close() }

// Question is what is asked, with its files.
type Question struct {
	Text  string
	Paths []string         // of files, and of folders with all that ignore files do not exclude
	Files []injection.File // further ones, as Name and Data
	// Strategy makes the prompt: the id of a built-in one or of Options.Strategies;
	// empty: the files alone do.
	Strategy string
	Report   func(injection.Status) // is told how far the work is; may be nil
}

// Ask answers a question about files and folders, which are named by their paths. A file that
// cannot be read is in the answer's Failures; it is an error where none can be.
// Errors carry one of fault's codes.
func (in *Inlay) Ask(ctx context.Context, question string, paths ...string) (Answer, error) {
	return in.Answer(ctx, Question{Text: question, Paths: paths})
}

// Answer is [Inlay.Ask] for files that need not be on disk.
func (in *Inlay) Answer(ctx context.Context, q Question) (Answer, error) {
	return in.Chat().Answer(ctx, q)
}

// Chat starts a conversation.
func (in *Inlay) Chat() *Chat { return &Chat{inlay: in} }

// open reads the files of a question, and says what it left out of folders. A file
// that cannot be read says so where it is opened.
func (in *Inlay) open(ctx context.Context, q Question) (files []injection.File, notes []string, err error) {
	reader := &inputs.Reader{Limits: in.options.Limits, Offline: true, Accept: func(f parse.File) string { return wire.LeaveOut(in.registry, f) }}
	for _, path := range q.Paths {
		found, left, err := reader.Read(ctx, path)
		notes = append(notes, left...)
		switch {
		case ctx.Err() != nil:
			return nil, nil, &fault.Error{Code: fault.Canceled, Subject: path, Reason: "canceled", Err: ctx.Err()}
		case fault.Is(err, fault.Usage), fault.Is(err, fault.LimitExceeded):
			return nil, nil, err
		case err != nil:
			files = append(files, injection.File{Name: path, Open: func(context.Context) ([]byte, error) { return nil, err }})
		}
		for _, f := range found {
			files = append(files, injection.File{Name: f.Name, Path: f.Path, Data: f.Data})
		}
	}
	files = append(files, q.Files...)
	for i, f := range files {
		if f.ID == "" && f.Data != nil {
			files[i].ID = parse.FileID(f.Data)
		}
	}
	return files, notes, nil
}

// inGo names the options in errors by their names in Go, where the command has
// flags.
func inGo(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	names := strings.NewReplacer("--model", "Options.Model", "--base-url", "Options.BaseURL", "--embedder", "Options.Embedder",
		"--chunk", "Options.Chunk", "--data", "Options.Libraries", "--store", "Options.Store", wire.KeyVariable, "Options.Key")
	named := *f
	named.Subject, named.Reason, named.Next, named.Err = names.Replace(f.Subject), names.Replace(f.Reason), names.Replace(f.Next), err
	return &named
}
