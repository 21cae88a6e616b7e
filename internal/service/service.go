// Package service is the doors of the service without their protocol: what
// requests ask for becomes a turn of their owner. Everything belongs to an
// owner, and owners never meet.
package service

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"inlay/cache"
	"inlay/embed"
	"inlay/eval"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/blobs"
	"inlay/internal/chats"
	"inlay/internal/durable"
	"inlay/internal/files"
	"inlay/internal/jobs"
	"inlay/internal/state"
	"inlay/internal/stores"
	"inlay/internal/upstream"
	"inlay/llm"
	"inlay/processor"
	"inlay/route"
	"inlay/strategy"
	"inlay/tokens"
	"inlay/turn"
)

// Config is what a [Service] works with.
type Config struct {
	Data  string      // folder of everything that stays
	State state.Store // in that folder, or shared
	Blobs blobs.Store // of the bytes of uploads; nil: in that folder
	Cache cache.Store // of what is derived from files
	// Deleted forgets here what was derived from something that was deleted, maybe at another server; nil: nothing is here.
	Deleted   func(ctx context.Context, d state.Deletion)
	Upstreams upstream.Servers // models that answer
	// Injector makes the injector of one owner, whose cache entries nobody else finds.
	Injector func(owner string) *injection.Injector
	// Apart reads the upload at a path in a process of its own, whose reader leaves it in the cache for owner's
	// injector, so that large files take no memory here; nil: all are read here.
	Apart    func(ctx context.Context, owner, name, path string) (files.Reading, error)
	Embedder embed.Embedder    // of requests for embeddings; nil: the built-in one
	Searches Searches          // what requests may choose of the search
	Defaults injection.Options // what requests start from
	Intent   string            // off, builtin or model, where a request does not say; empty: off
	// Chains are the processors that messages and answers of one owner go through; nil: none.
	Chains func(owner string, model llm.Generator) (*processor.Chains, error)
	Router *route.Router      // routes turns of clients that offer tools it knows; nil: nothing is routed
	Rules  strategy.ToolRules // for the tools of all turns; strategies and chats are stronger
	Mode   route.Mode         // of the router: which tools it may propose
	Place  route.Environment  // of the router: where its clients work, if that is known
	// Measure is a model that no upstream serves, from what is known of it; nil: none is known.
	Measure func(model string, length int) (llm.Measurer, error)
	// Strategies are those of the host, checked against registry.
	Strategies func(ctx context.Context, registry *strategy.Registry) (strategy.Set, error)
	Quota      state.Quota // of each owner
	Load       int64       // bytes of documents that questions under way may be about; 0 means DefaultLoad
	Questions  int         // about documents, let in at once; 0 means 24 for each processor
	// Evaluator is what an evaluation of one owner runs with: reader, embedder, store. Nil: there are none.
	Evaluator func(owner string) eval.Options
	// OpenFile reads a file that a file manager's selection names, below roots that the operator allows; nil reads none.
	OpenFile func(ctx context.Context, path string) ([]byte, error)
	// Libraries are those of all owners; its State, Parser, Quota and Logger are the service's. Without an index there are none; it is closed with the service.
	Libraries   stores.Config
	Evaluations int          // run at once; 0 means one
	Parallel    int          // files read at once after upload; 0 means half of the processors
	Logger      *slog.Logger // ids, codes and times, never names or content
	Observe     Observer     // told of what happened; nil: nobody
}

// Searches are what clients see of the search in force, and may choose of it.
type Searches struct {
	Embedders []string `json:"embedders" doc:"those that the field embedder takes, the one in force first"`
	Chunk     string   `json:"chunk" doc:"size and overlap of passages in tokens"`
	Reranker  bool     `json:"reranker" doc:"whether passages are read again by a reranker, unless the field rerank is false"`
}

// Searches are what requests may choose of the search.
func (s *Service) Searches() Searches { return s.config.Searches }

// Service does the work. Open one with [Open].
type Service struct {
	*files.Files
	*chats.Chats
	*jobs.Jobs
	*upstream.Router

	config   Config
	log      *slog.Logger
	memo     turn.Memo
	load     *load
	stores   *stores.Stores // nil: there are no libraries
	known    strategies
	measured upstream.Opened[llm.Measurer] // models that no upstream serves
	builtin  embed.Embedder
	counters tokens.Library
	swept    atomic.Int64 // when old responses were looked for, in seconds since 1970
	release  func()
	unfollow func() // ends following what other servers delete; nil: there are none
}

// Open takes the data folder for this process alone, clears what a killed
// process left behind and goes on with what it had accepted. A folder that
// another process serves is fault.Usage.
func Open(ctx context.Context, c Config) (*Service, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Observe == nil {
		c.Observe = nobody{}
	}
	release, err := occupy(c.Data)
	if err != nil {
		return nil, err
	}
	s := &Service{
		config: c, log: c.Logger, release: release, load: newLoad(c.Load, c.Questions), builtin: embed.NewBuiltin(), Chats: &chats.Chats{State: c.State},
		Router: &upstream.Router{Servers: c.Upstreams, Failed: c.Observe.UpstreamFailed},
	}
	if err := s.begin(ctx); err != nil {
		release()
		return nil, err
	}
	return s, nil
}

// occupy holds the folder's lock.
func occupy(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, durable.Explain(dir, err)
	}
	release, ok, err := durable.TryExclude(filepath.Join(dir, "serve.lock"))
	if err != nil {
		return nil, durable.Explain(dir, err)
	}
	if !ok {
		return nil, &fault.Error{Code: fault.Usage, Subject: dir, Reason: "another server works in this data folder", Next: "stop it, or name another folder with --data"}
	}
	return release, nil
}

func (s *Service) begin(ctx context.Context) (err error) {
	if err := s.known.load(ctx, s.config.Strategies); err != nil {
		return err
	}
	c := s.config
	s.openStores()
	s.Files, err = files.Open(ctx, files.Config{
		Deleting: s.deleting, Read: s.arrived,
		Data: c.Data, State: c.State, Blobs: c.Blobs, Cache: c.Cache, Apart: c.Apart, Quota: c.Quota, Parallel: c.Parallel, Logger: c.Logger,
		Reader:      func(owner string) injection.Reader { return c.Injector(owner).Reader },
		ParseFailed: c.Observe.ParseFailed, Forgotten: s.memo.Clear,
	})
	if err != nil {
		return err
	}
	if err := s.sweepNow(ctx); err != nil {
		s.Files.Stop()
		return err
	}
	if s.stores != nil {
		if err := s.stores.Start(ctx, s.Files); err != nil {
			s.Files.Stop()
			return err
		}
	}
	s.Jobs, err = jobs.Open(ctx, jobs.Config{
		State: c.State, Files: s.Files, Evaluator: c.Evaluator, Defaults: c.Defaults, Evaluations: c.Evaluations,
		Evaluated: c.Observe.Evaluated, Logger: c.Logger,
	})
	if b, ok := c.State.(state.Bulletin); ok && err == nil {
		err = s.follow(ctx, b)
	}
	if work, ok := c.State.(state.Work); ok && err == nil {
		err = work.Start(ctx)
	}
	if err != nil {
		s.stopFiles()
	}
	return err
}

// Close stops reading files and evaluating; the next process goes on with both.
func (s *Service) Close() error {
	if work, ok := s.config.State.(state.Work); ok {
		work.Stop()
	}
	if s.unfollow != nil {
		s.unfollow()
	}
	s.Jobs.Stop()
	s.stopFiles()
	s.release()
	if c, ok := s.config.Libraries.Index.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// ClearCache erases all that was derived from the documents of an owner, also of
// those that came inside requests. It is made again when it is needed.
func (s *Service) ClearCache(ctx context.Context, owner string) error {
	s.memo.Clear()
	if b, ok := s.config.State.(state.Bulletin); ok {
		if err := b.Announce(ctx, state.Deletion{Owner: owner}); err != nil {
			return err
		}
	}
	if e, ok := s.config.Cache.(cache.Eraser); ok {
		return e.Erase(ctx, owner)
	}
	return nil
}

// Readiness is whether requests can be answered, and why not.
type Readiness struct {
	State     error // the state, or the bytes of uploads, cannot be read
	Full      bool  // there is no room left to keep anything
	Upstreams []upstream.Health
}

// OK reports that the state can be read and written and, where there are servers of models,
// that one of them works.
func (r Readiness) OK() bool {
	return r.State == nil && !r.Full && (len(r.Upstreams) == 0 || slices.ContainsFunc(r.Upstreams, upstream.Health.Working))
}

// probeTime is how long the stores may take to answer a probe.
const probeTime = 2 * time.Second

// Ready looks at what requests need.
func (s *Service) Ready(ctx context.Context) Readiness {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	err := s.config.State.Ping(ctx)
	if err == nil && s.config.Blobs != nil {
		err = blobs.Ping(ctx, s.config.Blobs)
	}
	if index, ok := s.config.Libraries.Index.(interface{ Ping(context.Context) error }); ok && err == nil {
		err = index.Ping(ctx)
	}
	return Readiness{State: err, Full: durable.Low(s.config.Data), Upstreams: s.Health(ctx)}
}

// Defaults are the options that requests start from.
func (s *Service) Defaults() injection.Options { return s.config.Defaults }
