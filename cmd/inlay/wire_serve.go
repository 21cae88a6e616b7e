package main

// What the service is made of: see package wire.

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"inlay/cache"
	"inlay/embed"
	"inlay/eval"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/httpapi"
	"inlay/internal/service"
	"inlay/internal/state"
	"inlay/internal/stores"
	"inlay/internal/tracing"
	"inlay/internal/upstream"
	"inlay/internal/wire"
	"inlay/llm"
	"inlay/llm/ollama"
	"inlay/llm/openai"
	"inlay/parse"
	"inlay/retrieve"
	"inlay/route"
	"inlay/strategy"
	"inlay/tokens"
)

// openService puts the service together.
func (c *serveCmd) openService(ctx context.Context, a *app, store state.Store, metrics *httpapi.Metrics, tracer *tracing.Tracer, log *slog.Logger) (*service.Service, error) {
	defaults, err := c.options()
	if err != nil {
		return nil, err
	}
	bytes, err := openBlobs(ctx, c.Blobs, c.Data, a.getenv)
	if err != nil {
		return nil, err
	}
	if err := wire.CompileLater("", a.getenv); err != nil {
		log.WarnContext(ctx, "PDFium is not compiled ahead", "code", string(fault.CodeOf(err)))
	}
	recent := &parse.Recent{MaxBytes: c.Memory, Observe: func(hit bool) { metrics.Lookup("document", hit) }}
	caches, err := c.openCaches(ctx, bytes, recent, log)
	if err != nil {
		return nil, err
	}
	kept := caches.store(metrics)
	upstreams, err := c.upstreams(a, tracer, log, metrics.UpstreamRetried)
	if err != nil {
		return nil, err
	}
	embedder, err := wire.OpenEmbedder(ctx, c.Embedder, c.ModelSettings, a.getenv)
	if err != nil {
		return nil, err
	}
	embedder = traced(embedder, tracer)
	second, err := wire.OpenReranker(c.reranker(), c.ModelSettings, a.getenv)
	if err != nil {
		return nil, err
	}
	libraries, err := c.libraries(embedder, kept, second)
	if err != nil {
		return nil, err
	}
	libraries.Index, err = c.openLibraries(ctx, store, bytes, a.getenv, log)
	if err != nil {
		return nil, err
	}
	search, err := c.boundedSearch()
	if err != nil {
		return nil, err
	}
	injector, err := c.injectors(a, libraries, wire.OpenSearching(search, embedder, kept, second), kept, recent, tracer)
	if err != nil {
		return nil, err
	}
	router, err := c.router(c.workspace, c.ModelSettings, a.getenv, log)
	if err != nil {
		return nil, err
	}
	chains, err := c.chains(a, c.workspace, injector)
	if err != nil {
		return nil, err
	}
	mode, _ := route.FindMode(c.RouteAs)
	limits, err := c.limits()
	if err != nil {
		return nil, err
	}
	return service.Open(ctx, service.Config{
		Apart:   apart{Cache: filepath.Join(c.Data, cacheFolder), Limits: limits, OCR: c.tesseract(), push: caches.push}.read,
		Deleted: caches.deleted,
		Data:    c.Data, State: store, Blobs: bytes, Libraries: libraries, Injector: injector, Embedder: embedder, Searches: c.searches(search, embedder),
		Evaluator: c.evaluator(injector, embedder, kept), Upstreams: upstreams, Cache: kept, Defaults: defaults, Intent: c.Intent, Chains: chains,
		Router: router, Mode: mode, Place: place(c.workspace, a.getenv), Measure: c.measure(a.getenv),
		Quota: state.Quota{Files: c.MaxKept, Bytes: c.MaxTotal}, Load: c.Load, Questions: c.Questions, Logger: log, Observe: metrics,
		Strategies: func(ctx context.Context, r *strategy.Registry) (strategy.Set, error) { return c.load(ctx, r) },
	})
}

// upstreams are those of --upstream, then the one that --model names.
func (c *serveCmd) upstreams(a *app, tracer *tracing.Tracer, log *slog.Logger, retried func(upstream string)) (upstream.Servers, error) {
	var list upstream.Servers
	if err := c.CheckProvider(); err != nil {
		return nil, err
	}
	named := slices.Clone(c.Upstream)
	if provider, _ := llm.SplitModel(c.Model); provider == "ollama" {
		named = append(named, "ollama=ollama:"+cmp.Or(c.BaseURL, wire.OllamaURL("", a.getenv), ollama.DefaultURL))
	} else if wire.IsOpenAI(provider) {
		named = append(named, provider+"="+provider+":"+cmp.Or(c.BaseURL, openai.DefaultURL))
	}
	for _, one := range named {
		name, server, _ := strings.Cut(one, "=")
		provider, address, _ := strings.Cut(server, ":")
		if name == "" || strings.ContainsAny(name, "/ ") || address == "" || slices.ContainsFunc(list, func(u upstream.Server) bool { return u.Name == name }) {
			return nil, &fault.Error{Code: fault.Usage, Subject: "--upstream", Reason: "must be NAME=PROVIDER:URL, with each name once", Next: "write it like local=ollama:" + ollama.DefaultURL}
		}
		key := a.getenv("INLAY_UPSTREAM_KEY_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
		again := func() { retried(name) }
		switch provider {
		case "ollama":
			list = append(list, ollamaUpstream(name, ollama.Config{URL: address, Fallback: c.window(), Patience: relayPatience, Retried: again, Logger: log, Around: tracer.Around(name)}))
		case "openai", openai.ResponsesProvider:
			if key == "" && strings.HasPrefix(address, openai.DefaultURL) {
				key = a.getenv(wire.KeyVariable) // never to another server
			}
			list = append(list, openaiUpstream(name, provider, openai.Config{
				BaseURL: address, Key: key, Fallback: c.window(), Patience: relayPatience,
				Retried: again, Logger: log, Around: tracer.Around(name),
			}))
		default:
			return nil, &fault.Error{
				Code: fault.Usage, Subject: "--upstream " + name,
				Reason: "names neither ollama nor openai nor openai-responses as its provider",
				Next:   "write it like " + name + "=ollama:" + ollama.DefaultURL,
			}
		}
	}
	return list, nil
}

// relayPatience is how long pauses before a busy server of models is asked again
// may take together: the client has been told when to come again by then.
const relayPatience = 2 * time.Second

func ollamaUpstream(name string, c ollama.Config) upstream.Server {
	c.Library = &tokens.Library{}
	return upstream.Server{
		Name: name,
		Open: func(model string, length int) (upstream.Model, error) {
			c := c
			c.Model, c.Length = model, length
			return ollama.New(c)
		},
		Models: func(ctx context.Context) ([]string, error) {
			return ollama.Models(ctx, c)
		},
	}
}

func openaiUpstream(name, provider string, c openai.Config) upstream.Server {
	c.Library = &tokens.Library{}
	return upstream.Server{
		Name: name,
		Open: func(model string, length int) (upstream.Model, error) {
			c := c
			c.Model, c.Length = model, length
			if provider == openai.ResponsesProvider {
				return openai.NewResponses(c)
			}
			return openai.New(c)
		},
		Models: func(ctx context.Context) ([]string, error) { return openai.Models(ctx, c) },
	}
}

// window is what is taken where neither a request nor a server nor the table of
// models says how long the window is: --context-length, else 4096, and said.
func (c *serveCmd) window() tokens.Count {
	if c.ContextLength > 0 {
		return tokens.Count{N: c.ContextLength, By: "configuration"}
	}
	return wire.AssumedWindow()
}

// measure tells what is known of a model that no upstream serves. Without a name
// it is the configured one, whose server is asked.
func (c *serveCmd) measure(getenv func(string) string) func(model string, length int) (llm.Measurer, error) {
	library := &tokens.Library{}
	return func(model string, length int) (llm.Measurer, error) {
		if model != "" {
			return wire.OpenKnown(wire.ModelSettings{Model: model, ContextLength: length}, c.window(), library)
		}
		s := c.ModelSettings
		s.ContextLength = cmp.Or(length, s.ContextLength)
		return wire.OpenModel(s, getenv)
	}
}

// injectors are alike but for the part of the caches that they see.
func (c *serveCmd) injectors(
	a *app, libraries stores.Config, searching func(injection.Search) (injection.Retriever, error), kept cache.Store, recent *parse.Recent, tracer *tracing.Tracer,
) (func(owner string) *injection.Injector, error) {
	search, err := c.boundedSearch()
	if err != nil {
		return nil, err
	}
	registry, err := wire.OpenParsers(search.Limits, search.OCR, a.getenv)
	if err != nil {
		return nil, err
	}
	return func(owner string) *injection.Injector {
		return &injection.Injector{Libraries: libraries.Index, Reader: parse.Cached{
			Registry: registry, Store: kept, Namespace: owner,
			Limits: search.Limits, Recent: recent,
		}, Retriever: libraries.Retriever, Searching: searching, Stages: tracer}
	}, nil
}

// boundedSearch is the search of the settings, of as much text at a time as they allow.
func (c *serveCmd) boundedSearch() (wire.Search, error) {
	search, err := c.search()
	search.MaxText = c.MaxSearch
	return search, err
}

// searches are what clients see of the search, and may choose of it.
func (c *serveCmd) searches(s wire.Search, embedder embed.Embedder) service.Searches {
	out := service.Searches{Embedders: wire.Embedders(embedder), Reranker: s.Reranker.At != ""}
	if size, overlap, err := wire.ChunkSize(s); err == nil {
		out.Chunk = fmt.Sprintf("%d/%d", size, overlap)
	}
	return out
}

// libraries are those of all owners, and the search over them.
func (c *serveCmd) libraries(embedder embed.Embedder, kept cache.Store, second retrieve.Reranker) (s stores.Config, err error) {
	search, err := c.boundedSearch()
	if err != nil {
		return s, err
	}
	s.Settings, s.Chunked = wire.LibrarySettings(search, embedder), wire.OpenChunked(search, embedder, kept)
	if s.Usual.Size, s.Usual.Overlap, err = wire.ChunkSize(search); err != nil {
		return s, err
	}
	s.Retriever, err = wire.NewRetriever(search, embedder, kept, second)
	if store, ok := kept.(*forgetting); ok {
		store.search = s.Retriever
	}
	return s, err
}

// evaluator is what evaluations run with: the search of the questions, as far
// as they do not ask for another one.
func (c *serveCmd) evaluator(injector func(owner string) *injection.Injector, embedder embed.Embedder, kept cache.Store) func(owner string) eval.Options {
	build := buildName()
	splitter, _ := wire.OpenSplitter(c.Chunk) // the retriever has it already
	return func(owner string) eval.Options {
		return eval.Options{
			Reader: injector(owner).Reader, Embedders: []embed.Embedder{embedder}, Chunkings: []retrieve.Splitter{splitter}, Store: kept, Build: build,
			Parallel: max(1, runtime.GOMAXPROCS(0)/2), MaxText: c.MaxSearch,
			NewIndex: func() (retrieve.Index, error) { return wire.OpenIndex(), nil },
		}
	}
}

// traced is an embedder whose work has spans. The built-in one takes no time
// worth one, and the search knows it by its type.
func traced(e embed.Embedder, tracer *tracing.Tracer) embed.Embedder {
	if _, builtin := e.(*embed.Builtin); builtin || tracer == nil {
		return e
	}
	return tracedEmbedder{e, tracer}
}

type tracedEmbedder struct {
	embed.Embedder
	tracer *tracing.Tracer
}

// Embed implements embed.Embedder.
func (t tracedEmbedder) Embed(ctx context.Context, task embed.Task, texts []string) ([]embed.Vector, error) {
	ctx, end := t.tracer.Stage(ctx, "embed")
	defer end()
	return t.Embedder.Embed(ctx, task, texts)
}

// closeTracer sends the last spans, also when the service was told to stop.
func closeTracer(ctx context.Context, tracer *tracing.Tracer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return tracer.Close(ctx)
}
