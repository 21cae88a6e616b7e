// Package session is the service's work without its protocol: files that are
// uploaded and read, requests that lay them into prompts, chats, models to
// route to. Everything belongs to an owner, and owners never meet: not in the
// state, not in the bytes, not in what is derived from them.
package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"inlay/cache"
	"inlay/eval"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/durable"
	"inlay/internal/state"
	"inlay/llm"
	"inlay/processor"
	"inlay/route"
	"inlay/strategy"
	"inlay/turn"
)

// Local is the owner of everything where no keys were made.
const Local = "local"

// Config is what a [Service] works with.
type Config struct {
	Data      string      // folder of everything that stays
	State     state.Store // in that folder, or shared
	Cache     cache.Store // of what is derived from files
	Upstreams Upstreams   // models that answer
	// Injector makes the injector of one owner, whose cache entries nobody else finds.
	Injector func(owner string) *injection.Injector
	// Apart reads the upload at a path in a process of its own, whose reader leaves it in the cache for owner's
	// injector, so that large files take no memory here; nil: all are read here.
	Apart    func(ctx context.Context, owner, name, path string) (Reading, error)
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
	// Evaluator is what an evaluation of one owner runs with: reader, embedder, store. Nil: there are none.
	Evaluator func(owner string) eval.Options
	// OpenFile reads a file that a file manager's selection names, below roots that the operator allows; nil reads none.
	OpenFile    func(ctx context.Context, path string) ([]byte, error)
	Evaluations int          // run at once; 0 means one
	Parallel    int          // files read at once after upload; 0 means half of the processors
	Logger      *slog.Logger // ids, codes and times, never names or content
	Observe     Observer     // told of what happened; nil: nobody
}

// Service does the work. Open one with [Open].
type Service struct {
	config   Config
	log      *slog.Logger
	blobs    blobs
	uploads  uploads
	said     recall
	memo     turn.Memo
	queue    *queue[state.File]
	load     *load
	evals    evaluations
	known    strategies
	router   router
	measured opened[llm.Measurer] // models that no upstream serves
	release  func()
	content  sync.Mutex // held while bytes and the record that names them come or go together
}

// Open takes the data folder for this process alone, clears what a killed
// process left behind and goes on reading the files that it had accepted. A
// folder that another process serves is fault.Usage.
func Open(ctx context.Context, c Config) (*Service, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Observe == nil {
		c.Observe = nobody{}
	}
	c.Parallel = cmp.Or(c.Parallel, max(1, runtime.GOMAXPROCS(0)/2))
	release, err := occupy(c.Data)
	if err != nil {
		return nil, err
	}
	s := &Service{config: c, log: c.Logger, blobs: blobs{root: filepath.Join(c.Data, "files")}, release: release, load: newLoad(c.Load), router: router{upstreams: c.Upstreams, observe: c.Observe}}
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

func (s *Service) begin(ctx context.Context) error {
	if err := s.known.load(ctx, s.config.Strategies); err != nil {
		return err
	}
	if err := s.sweep(ctx); err != nil {
		return err
	}
	waiting, err := s.config.State.WaitingFiles(ctx)
	if err != nil {
		return err
	}
	unfinished, err := s.config.State.WaitingEvaluations(ctx)
	if err != nil {
		return err
	}
	s.queue = startQueue(s.config.Parallel, nil, s.read)
	for _, f := range waiting {
		s.queue.add(f)
	}
	s.evals.start(max(1, s.config.Evaluations), s.evaluate)
	for _, e := range unfinished {
		s.evals.add(e)
	}
	return nil
}

// Close stops reading files and evaluating; the next process goes on with both.
func (s *Service) Close() error {
	s.evals.queue.stop()
	s.queue.stop()
	s.release()
	return nil
}

// Ready is nil when requests can be answered.
func (s *Service) Ready(ctx context.Context) error { return s.config.State.Ping(ctx) }

// Defaults are the options that requests start from.
func (s *Service) Defaults() injection.Options { return s.config.Defaults }

// newID makes an id that cannot be guessed.
func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()) }

// now is the time as records keep it.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// missing turns ErrNotFound into a fault that does not say whether the record
// is nobody's or somebody else's.
func missing(code fault.Code, kind, id string, err error) error {
	if errors.Is(err, state.ErrNotFound) {
		return &fault.Error{Code: code, Subject: kind + " " + id, Reason: "there is no such " + kind, Next: "see the list of yours"}
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, id, err)
	}
	return nil
}
