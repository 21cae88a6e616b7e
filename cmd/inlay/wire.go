package main

// This file is the one place that names concrete types: parsers, embedders,
// indexes, stores, models.

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"inlay/cache"
	"inlay/embed"
	"inlay/fault"
	"inlay/injection"
	"inlay/llm"
	"inlay/llm/ollama"
	"inlay/llm/openai"
	"inlay/parse"
	"inlay/prompts"
	"inlay/retrieve"
	"inlay/retrieve/chromem"
	"inlay/retrieve/flat"
	"inlay/tokens"
)

// promptSet opens a built-in set or a folder of templates.
func promptSet(name string) (*prompts.Set, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		set, err := prompts.Load(filepath.Base(name), os.DirFS(name))
		if err != nil {
			return nil, &fault.Error{Code: fault.Usage, Subject: "--prompt-set " + name, Reason: err.Error(), Next: "mend the template", Err: err}
		}
		return set, nil
	}
	set, err := prompts.Named(name)
	if err != nil {
		return nil, &fault.Error{Code: fault.Usage, Subject: "--prompt-set", Reason: "is neither classic nor cited nor a folder: " + name, Next: "name a folder with full.tmpl, retrieval.tmpl and none.tmpl", Err: err}
	}
	return set, nil
}

// openModel is the model that will answer, to be measured. A server is asked
// only where the user named one: any model of Ollama, and models of an
// OpenAI-compatible server with --base-url. Of other models inlay knows what
// its table knows. Where nothing says how long the window is, 4096 is assumed,
// and notice says so.
func openModel(ctx context.Context, s modelSettings, getenv func(string) string) (model llm.Measurer, notice string, err error) {
	if s.ContextLength < 0 {
		return nil, "", &fault.Error{Code: fault.Usage, Subject: "--context-length", Reason: fmt.Sprintf("is %d, want 0 (measure) or the number of tokens", s.ContextLength)}
	}
	provider, _ := llm.SplitModel(s.Model)
	if provider == "ollama" || isOpenAI(provider) && s.BaseURL != "" {
		return openMeasured(ctx, s, getenv)
	}
	known, err := openKnown(s, &tokens.Library{})
	if fault.Is(err, fault.WindowUnknown) {
		s.ContextLength = assumedLength
		known, err = openKnown(s, &tokens.Library{})
		return assumed{known}, assumedNotice("--context-length or --model"), err
	}
	return known, "", err
}

// openMeasured is a model that answers. Where its server does not say how long
// the window is, 4096 is assumed, and notice says so. Any other failure of the
// server is left to whoever asks it.
func openMeasured(ctx context.Context, s modelSettings, getenv func(string) string) (model answerer, notice string, err error) {
	model, err = openAnswerer(s, getenv)
	if err != nil {
		return nil, "", err
	}
	if _, err := model.Length(ctx); !fault.Is(err, fault.WindowUnknown) {
		return model, "", nil
	}
	s.ContextLength = assumedLength
	model, err = openAnswerer(s, getenv)
	return assumedAnswerer{assumed{model}, model}, assumedNotice("--context-length"), err
}

func assumedNotice(set string) string {
	return fmt.Sprintf("The context window is not known; %d tokens are assumed (set %s).", assumedLength, set)
}

// openKnown measures with what is known without asking a server.
func openKnown(s modelSettings, library *tokens.Library) (_ llm.Measurer, err error) {
	o := llm.StaticOptions{Model: s.Model, Length: s.ContextLength, Library: library}
	if s.Model == "" {
		if o.Counter, err = o.Library.Encoding(defaultEncoding); err != nil {
			return nil, err
		}
		o.Overhead = &llm.MessageOverhead{PerMessage: 3, Once: 3}
	}
	return llm.NewStatic(o)
}

// assumed is a model whose window was not known.
type assumed struct{ llm.Measurer }

// Length says that the length is a guess.
func (a assumed) Length(ctx context.Context) (tokens.Count, error) {
	length, err := a.Measurer.Length(ctx)
	length.By = "assumed"
	return length, err
}

// assumedAnswerer is an assumed model that answers.
type assumedAnswerer struct {
	assumed
	llm.Generator
}

// Name implements llm.Measurer and llm.Generator.
func (a assumedAnswerer) Name() string { return a.assumed.Name() }

// answerer is a model that can be measured and answers.
type answerer interface {
	llm.Measurer
	llm.Generator
}

// openAnswerer is the model that answers in a chat.
func openAnswerer(s modelSettings, getenv func(string) string) (answerer, error) {
	provider, name := llm.SplitModel(s.Model)
	switch provider {
	case "ollama":
		return ollama.New(ollama.Config{Model: name, URL: ollamaURL(s.BaseURL, getenv), Length: s.ContextLength, Library: &tokens.Library{}})
	case "openai":
		return openai.New(openAIConfig(s, name, getenv))
	case openai.ResponsesProvider:
		return openai.NewResponses(openAIConfig(s, name, getenv))
	}
	return nil, &fault.Error{
		Code: fault.Usage, Subject: "--model", Reason: fmt.Sprintf("is %q, want ollama:NAME, openai:NAME or openai-responses:NAME", s.Model),
		Next: "name the model that answers; other servers are openai:NAME with --base-url",
	}
}

func openAIConfig(s modelSettings, name string, getenv func(string) string) openai.Config {
	return openai.Config{Model: name, BaseURL: s.BaseURL, Key: getenv(keyVariable), Length: s.ContextLength, Library: &tokens.Library{}}
}

// isOpenAI tells the providers of OpenAI's APIs, which are at one address and take one key.
func isOpenAI(provider string) bool {
	return provider == "openai" || provider == openai.ResponsesProvider
}

// keyVariable holds the key for OpenAI-compatible servers.
const keyVariable = "OPENAI_API_KEY"

// ollamaURL is the configured address, else Ollama's own variable, else its default.
func ollamaURL(configured string, getenv func(string) string) string {
	address := cmp.Or(configured, getenv("OLLAMA_HOST"))
	if address != "" && !strings.Contains(address, "://") {
		address = "http://" + address
	}
	return address
}

// What is taken where nothing says better.
const (
	defaultEncoding = "o200k_base"
	assumedLength   = 4096
)

// openInjector puts the parts together.
func openInjector(ctx context.Context, s searchSettings, m modelSettings, getenv func(string) string) (*injection.Injector, error) {
	limits, err := s.limits()
	if err != nil {
		return nil, err
	}
	registry, err := openParsers(limits, s.tesseract(), getenv)
	if err != nil {
		return nil, err
	}
	store, err := openStore(s.Store)
	if err != nil {
		return nil, err
	}
	retriever, err := openRetriever(ctx, s, m, store, getenv)
	if err != nil {
		return nil, err
	}
	return &injection.Injector{Reader: parse.Cached{Registry: registry, Store: store, Limits: limits}, Retriever: retriever}, nil
}

// openRetriever is the search in force, over a cache.
func openRetriever(ctx context.Context, s searchSettings, m modelSettings, store cache.Store, getenv func(string) string) (*retrieve.Retriever, error) {
	embedder, err := openEmbedder(ctx, s.Embedder, m, getenv)
	if err != nil {
		return nil, err
	}
	return newRetriever(s, embedder, store, 0)
}

// newRetriever searches at most maxText bytes of text at a time; 0: any number.
func newRetriever(s searchSettings, embedder embed.Embedder, store cache.Store, maxText int) (*retrieve.Retriever, error) {
	splitter, err := openSplitter(s.Chunk)
	if err != nil {
		return nil, err
	}
	if !(s.Relative >= 0 && s.Relative <= 1) {
		return nil, &fault.Error{Code: fault.Usage, Subject: "--relative", Reason: fmt.Sprintf("is %v, want 0 to 1", s.Relative)}
	}
	return retrieve.New(retrieve.Options{
		Embedder: embedder, Splitter: splitter, Cache: store, Relative: s.Relative, MaxText: maxText,
		NewIndex: func() (retrieve.Index, error) { return openIndex(), nil },
	}), nil
}

// openIndex is an index in memory: chromem-go's, and from a thousand chunks on
// our own.
func openIndex() retrieve.Index {
	return &flat.Growing{Small: func() retrieve.Index { return chromem.New() }}
}

// cacheBytes bounds the store: what was used longest ago makes room.
const cacheBytes = 2 << 30

// openStore is the cache in force: a folder, or nothing.
func openStore(dir string) (cache.Store, error) {
	if dir == "" {
		return &cache.Memory{}, nil
	}
	return cache.OpenDir(dir, cache.Options{MaxBytes: cacheBytes})
}

// openSplitter is the chunking in force.
func openSplitter(chunking string) (retrieve.Splitter, error) {
	if chunking == "" {
		return retrieve.Splitter{}, nil
	}
	return retrieve.ParseSplitter(chunking)
}

// preferred is the embedder that a server's list of models makes the default (RET-1).
const preferred = "nomic-embed-text"

// defaultEmbedder is nomic-embed-text where the server that the user named for
// the model lists it, else the built-in one. Nobody else is asked (SEC-6). A
// server that does not answer lists nothing: measuring the model says why.
func defaultEmbedder(ctx context.Context, m modelSettings, getenv func(string) string) string {
	provider, name := llm.SplitModel(m.Model)
	listed := ""
	switch {
	case provider == "ollama":
		listed, _ = ollama.Listed(ctx, ollama.Config{Model: preferred, URL: ollamaURL(m.BaseURL, getenv)})
	case isOpenAI(provider) && m.BaseURL != "":
		provider = "openai"
		listed, _ = openai.ListedByLMStudio(ctx, openai.Config{Model: name, BaseURL: m.BaseURL, Key: getenv(keyVariable)}, preferred)
	}
	if listed == "" {
		return "builtin"
	}
	return provider + ":" + listed
}

// openEmbedder finds an embedder by its name; an empty one is the default. One
// of the provider that serves the model is looked for at the same address.
func openEmbedder(ctx context.Context, name string, m modelSettings, getenv func(string) string) (embed.Embedder, error) {
	if name == "" {
		name = defaultEmbedder(ctx, m, getenv)
	}
	if name == "builtin" {
		return embed.NewBuiltin(), nil
	}
	if dir, ok := strings.CutPrefix(name, "static:"); ok {
		return embed.OpenStatic(dir)
	}
	provider, model := llm.SplitModel(name)
	base := ""
	if of, _ := llm.SplitModel(m.Model); of == provider || isOpenAI(of) && isOpenAI(provider) {
		base = m.BaseURL
	}
	switch provider {
	case "ollama":
		return ollama.NewEmbedder(ctx, ollama.Config{Model: model, URL: ollamaURL(base, getenv)})
	case "openai":
		return openai.NewEmbedder(ctx, openai.Config{Model: model, BaseURL: base, Key: getenv(keyVariable)})
	}
	return nil, &fault.Error{Code: fault.Usage, Subject: "--embedder", Reason: fmt.Sprintf("is %q, want builtin, static:DIR, ollama:NAME or openai:NAME", name)}
}
