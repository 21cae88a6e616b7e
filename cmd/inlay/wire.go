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
	"inlay/options"
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
	row, _ := options.Find("prompt_set")
	if err != nil {
		return nil, &fault.Error{Code: fault.Usage, Subject: "--prompt-set", Reason: "must be " + row.WantsText(), Next: "name a folder with full.tmpl, retrieval.tmpl and none.tmpl", Err: err}
	}
	return set, nil
}

// openModel is the model that will answer, to be measured. A server is asked
// only where the user named one: any model of Ollama, and models of an
// OpenAI-compatible server with --base-url. Of other models inlay knows what
// its table knows. Where nothing says how long the window is, 4096 is assumed,
// and the result says so.
func openModel(s modelSettings, getenv func(string) string) (llm.Measurer, error) {
	provider, _ := llm.SplitModel(s.Model)
	if provider == "ollama" || isOpenAI(provider) && s.BaseURL != "" {
		return openAnswerer(s, getenv)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return openKnown(s, assumedWindow(), &tokens.Library{})
}

// check refuses a model of an unknown provider. What stands before a colon is
// part of a name that the table of models knows.
func (s modelSettings) check() error {
	provider, name := llm.SplitModel(s.Model)
	first, _, ok := strings.Cut(name, ":")
	if _, known := llm.LookupModel(name); provider != "" || !ok || known {
		return nil
	}
	return &fault.Error{
		Code: fault.Usage, Subject: "--model", Reason: fmt.Sprintf("names %q, which is not a provider", first),
		Next: "providers are " + strings.Join(llm.Providers(), ", ") + "; a model of another server is openai:NAME with --base-url",
	}
}

// openKnown measures with what is known without asking a server.
func openKnown(s modelSettings, fallback tokens.Count, library *tokens.Library) (_ llm.Measurer, err error) {
	o := llm.StaticOptions{Model: s.Model, Length: s.ContextLength, Fallback: fallback, Library: library}
	if s.Model == "" {
		if o.Counter, err = o.Library.Encoding(defaultEncoding); err != nil {
			return nil, err
		}
		o.Overhead = &llm.MessageOverhead{PerMessage: 3, Once: 3}
	}
	return llm.NewStatic(o)
}

// assumedWindow is the window where nothing says how long it is.
func assumedWindow() tokens.Count { return tokens.Count{N: assumedLength, By: llm.Assumed} }

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
		return ollama.New(ollama.Config{Model: name, URL: ollamaURL(s.BaseURL, getenv), Length: s.ContextLength, Fallback: assumedWindow(), Library: &tokens.Library{}})
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
	return openai.Config{Model: name, BaseURL: s.BaseURL, Key: getenv(keyVariable), Length: s.ContextLength, Fallback: assumedWindow(), Library: &tokens.Library{}}
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

// openEmbedder finds an embedder by its name; an empty one is the default. With
// --base-url the embedder is at that address: documents are never sent to a
// server that was not named (SEC-6).
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
	if provider != "ollama" && provider != "openai" {
		return nil, &fault.Error{Code: fault.Usage, Subject: "--embedder", Reason: fmt.Sprintf("is %q, want builtin, static:DIR, ollama:NAME or openai:NAME", name)}
	}
	if err := m.serves(provider); err != nil {
		return nil, err
	}
	if provider == "ollama" {
		return ollama.NewEmbedder(ctx, ollama.Config{Model: model, URL: ollamaURL(m.BaseURL, getenv)})
	}
	return openai.NewEmbedder(ctx, openai.Config{Model: model, BaseURL: m.BaseURL, Key: getenv(keyVariable)})
}

// serves refuses an embedder of a provider that --base-url cannot be the address
// of, since it is that of a model of another provider.
func (s modelSettings) serves(provider string) error {
	of, _ := llm.SplitModel(s.Model)
	if s.BaseURL == "" || s.Model == "" || of == provider || isOpenAI(of) && isOpenAI(provider) {
		return nil
	}
	return &fault.Error{
		Code: fault.Usage, Subject: "--embedder", Reason: fmt.Sprintf("is of %s, and --base-url is the address of a model of %s, so that it is not known where documents may be sent", provider, cmp.Or(of, "another provider")),
		Next: "name an embedder of the model's provider, builtin or static:DIR; Ollama's address can also be given as OLLAMA_HOST, without --base-url",
	}
}
