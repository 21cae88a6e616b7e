// Package wire is the one place that names concrete types: parsers, embedders,
// indexes, stores, models. The command and package inlay are made of what it
// opens. Everywhere getenv is the environment: OPENAI_API_KEY, OLLAMA_HOST, and
// HOME and XDG_CACHE_HOME for what can be made again.
package wire

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"inlay/cache"
	"inlay/embed"
	"inlay/fault"
	"inlay/injection"
	"inlay/llm"
	"inlay/llm/ollama"
	"inlay/llm/openai"
	"inlay/parse"
	"inlay/parse/pdf"
	"inlay/retrieve"
	"inlay/retrieve/chromem"
	"inlay/retrieve/flat"
)

// Search shapes reading and retrieval. The zero value has the limits' defaults,
// reads no scans and keeps nothing.
type Search struct {
	Embedder string  // a name; empty: the default of the model's server
	Relative float64 // leave out passages below this share of the best score
	Chunk    string  // SIZE/OVERLAP or a preset; empty: the splitter's own
	Store    string  // a folder; empty: memory
	MaxText  int     // bytes of text searched at a time; 0: any number
	Limits   parse.Limits
	OCR      *pdf.Tesseract // reads scanned pages; nil: nobody
	Reranker Reranker       // reads passages again; zero: nobody
}

// OpenInjector puts the parts together.
func OpenInjector(ctx context.Context, s Search, m ModelSettings, getenv func(string) string) (*injection.Injector, error) {
	registry, err := OpenParsers(s.Limits, s.OCR, getenv)
	if err != nil {
		return nil, err
	}
	embedder, err := OpenEmbedder(ctx, s.Embedder, m, getenv)
	if err != nil {
		return nil, err
	}
	second, err := OpenReranker(s.Reranker, m, getenv)
	if err != nil {
		return nil, err
	}
	return NewInjector(s, registry, embedder, second)
}

// NewInjector reads with a registry and searches with an embedder and a second
// reader, which may be nil, over the cache that s names.
func NewInjector(s Search, registry *parse.Registry, embedder embed.Embedder, second retrieve.Reranker) (*injection.Injector, error) {
	store, err := OpenStore(s.Store)
	if err != nil {
		return nil, err
	}
	retriever, err := NewRetriever(s, embedder, store, second)
	if err != nil {
		return nil, err
	}
	reader := parse.Cached{Registry: registry, Store: store, Limits: s.Limits}
	if s.Store == "" { // documents themselves instead of copies of them
		reader.Store, reader.Recent = nil, &parse.Recent{MaxBytes: keptDocuments}
	}
	return &injection.Injector{Reader: reader, Retriever: retriever}, nil
}

// keptDocuments is how many bytes of documents a command without a store keeps
// in memory; one takes at most a quarter of it.
const keptDocuments = 512 << 20

// NewRetriever is the search in force, over a cache; second may be nil.
func NewRetriever(s Search, embedder embed.Embedder, store cache.Store, second retrieve.Reranker) (*retrieve.Retriever, error) {
	splitter, err := OpenSplitter(s.Chunk)
	if err != nil {
		return nil, err
	}
	return retrieve.New(retrieve.Options{
		Embedder: embedder, Splitter: splitter, Cache: store, Relative: s.Relative, MaxText: s.MaxText,
		NewIndex: func() (retrieve.Index, error) { return OpenIndex(), nil },
		Reranker: second, RerankTime: s.Reranker.Time,
	}), nil
}

// BuiltinName is what users call the built-in embedder.
const BuiltinName = "builtin"

// smallest is the smallest size of passages, in tokens, that a request may ask a service for: a document
// of many pages would come to a passage for every word.
const smallest = 32

// Embedders are those that requests may choose between, the one that is configured first.
func Embedders(embedder embed.Embedder) []string {
	if _, builtin := embedder.(*embed.Builtin); builtin {
		return []string{BuiltinName}
	}
	return []string{embedder.Spec().Model, BuiltinName}
}

// OpenSearching opens searches that requests ask for instead of the one in force. No server is asked
// that is not configured.
func OpenSearching(s Search, embedder embed.Embedder, store cache.Store, second retrieve.Reranker) func(injection.Search) (injection.Retriever, error) {
	return func(want injection.Search) (injection.Retriever, error) {
		s, with := s, embedder
		if want.Chunk != "" {
			if splitter, err := OpenSplitter(want.Chunk); err != nil || splitter.Size < smallest {
				return nil, &fault.Error{
					Code: fault.Usage, Subject: "chunk", Reason: "is invalid", Err: err,
					Next: fmt.Sprintf("want SIZE/OVERLAP in tokens, of %d or more and at most half of it, or rag-v1", smallest),
				}
			}
			s.Chunk = want.Chunk
		}
		if names := Embedders(embedder); want.Embedder != "" && !slices.Contains(names, want.Embedder) {
			return nil, fault.Invalid("embedder", strings.Join(names, " or "))
		}
		if want.Embedder == BuiltinName {
			with = embed.NewBuiltin()
		}
		return NewRetriever(s, with, store, second)
	}
}

// OpenIndex is an index in memory: chromem-go's, and from a thousand chunks on
// our own.
func OpenIndex() retrieve.Index {
	return &flat.Growing{Small: func() retrieve.Index { return chromem.New() }}
}

// CacheBytes bounds the store: what was used longest ago makes room.
const CacheBytes = 2 << 30

// OpenStore is the cache in force: a folder, or nothing.
func OpenStore(dir string) (cache.Store, error) {
	if dir == "" {
		return &cache.Memory{}, nil
	}
	return cache.OpenDir(dir, cache.Options{MaxBytes: CacheBytes})
}

// OpenSplitter is the chunking in force.
func OpenSplitter(chunking string) (retrieve.Splitter, error) {
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
func defaultEmbedder(ctx context.Context, m ModelSettings, getenv func(string) string) string {
	provider, name := llm.SplitModel(m.Model)
	listed := ""
	switch {
	case provider == "ollama":
		listed, _ = ollama.Listed(ctx, ollama.Config{Model: preferred, URL: OllamaURL(m.BaseURL, getenv)})
	case IsOpenAI(provider) && m.BaseURL != "":
		provider = "openai"
		listed, _ = openai.ListedByLMStudio(ctx, openai.Config{Model: name, BaseURL: m.BaseURL, Key: getenv(KeyVariable)}, preferred)
	}
	if listed == "" {
		return BuiltinName
	}
	return provider + ":" + listed
}

// OpenEmbedder finds an embedder by its name; an empty one is the default. With
// --base-url the embedder is at that address: documents are never sent to a
// server that was not named (SEC-6).
func OpenEmbedder(ctx context.Context, name string, m ModelSettings, getenv func(string) string) (embed.Embedder, error) {
	if name == "" {
		name = defaultEmbedder(ctx, m, getenv)
	}
	if name == BuiltinName {
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
		return ollama.NewEmbedder(ctx, ollama.Config{Model: model, URL: OllamaURL(m.BaseURL, getenv)})
	}
	return openai.NewEmbedder(ctx, openai.Config{Model: model, BaseURL: m.BaseURL, Key: getenv(KeyVariable)})
}

// serves refuses an embedder of a provider that --base-url cannot be the address
// of, since it is that of a model of another provider.
func (s ModelSettings) serves(provider string) error {
	of, _ := llm.SplitModel(s.Model)
	if s.BaseURL == "" || s.Model == "" || of == provider || IsOpenAI(of) && IsOpenAI(provider) {
		return nil
	}
	return &fault.Error{
		Code: fault.Usage, Subject: "--embedder", Reason: fmt.Sprintf("is of %s, and --base-url is the address of a model of %s, so that it is not known where documents may be sent", provider, cmp.Or(of, "another provider")),
		Next: "name an embedder of the model's provider, builtin or static:DIR; Ollama's address can also be given as OLLAMA_HOST, without --base-url",
	}
}
