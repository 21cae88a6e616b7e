// Package eval finds out with which threshold, limit and chunk size retrieval
// works on somebody's own documents: it asks questions with known answers under
// every combination and says what each one finds, misses, cites in vain and
// costs.
//
// [Load] reads a set of documents and questions, [Run] evaluates it. Each
// document is parsed once, and chunked and embedded once for each chunking and
// embedder; thresholds and limits are all judged on one ranking of each
// question. With a store, an evaluation that was ended goes on where it was.
package eval

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"inlay/cache"
	"inlay/embed"
	"inlay/fault"
	"inlay/parse"
	"inlay/retrieve"
)

// Options say what to evaluate. Set is required, and Reader where the set has
// documents to be parsed.
type Options struct {
	Set        *Set
	Reader     Reader
	Embedders  []embed.Embedder               // none means the built-in one
	Chunkings  []retrieve.Splitter            // none means the default one
	Rerankers  []retrieve.Reranker            // each is compared with the search without one
	RerankTime time.Duration                  // that one may take for a question; 0 means retrieve.DefaultRerankTime
	Limits     []int                          // 1..retrieve.MaxLimit; none means 1, 3, 5 and 10
	Thresholds []float64                      // 0..1; none means 0, 0.01 ... 1
	Aim        Aim                            // the zero value is AimCost
	Cost       Cost                           // the zero value is DefaultCost
	Store      cache.Store                    // keeps parses, chunks, vectors and rankings; nil keeps nothing
	Build      string                         // names the program's build: rankings are kept only under a name, and found only under the same
	Namespace  string                         // separates callers' entries in the store
	NewIndex   func() (retrieve.Index, error) // nil means an exact one in memory
	MaxText    int                            // most bytes of text that may be searched, as [retrieve.Options] has it; 0 means any number
	Parallel   int                            // documents and questions worked on at a time; 0 means one for each processor
	Folds      int                            // of cross-validation; 0 means 5, negative none
	Resamples  int                            // of the bootstrap; 0 means 1000
	Seed       uint64                         // of folds and bootstrap; the same seed gives the same report
	Failures   int                            // most failures to list; 0 means 500
	Report     func(Progress)                 // may be nil; called from one goroutine at a time
	Logger     *slog.Logger                   // nil means none
}

// Reader parses documents; *parse.Registry and parse.Cached are readers.
type Reader interface {
	Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error)
}

// Run evaluates a set. It ends early with the context's error; what a store
// holds by then is not done again.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	r := &run{o: &o, progress: newProgress(&o), began: time.Now()}
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	for i := range r.settings {
		if err := r.settings[i].rank(ctx, r); err != nil {
			return nil, fmt.Errorf("evaluate %s: %w", r.settings[i].name(), err)
		}
	}
	return r.report(ctx)
}

// run is one evaluation under way.
type run struct {
	o          *Options
	progress   *progress
	began      time.Time
	lib        *library
	questions  []asked
	groups     []*group
	settings   []setting
	parseTime  time.Duration
	embedded   int
	ranked     atomic.Int64
	answerable int
	byPassage  bool
	best       choice // the recommended point
}

// Check is nil when [Run] would begin: it looks at the options and opens nothing.
func (o *Options) Check() error {
	copied := *o
	return copied.complete()
}

// complete fills in defaults and checks the rest.
func (o *Options) complete() error {
	if o.Set == nil || len(o.Set.Documents) == 0 || len(o.Set.Questions) == 0 {
		return &fault.Error{Code: fault.Usage, Subject: "evaluation", Reason: "has no documents or no questions"}
	}
	if len(o.Embedders) == 0 {
		o.Embedders = []embed.Embedder{embed.NewBuiltin()}
	}
	if len(o.Chunkings) == 0 {
		o.Chunkings = []retrieve.Splitter{{}}
	}
	if len(o.Limits) == 0 {
		o.Limits = []int{1, 3, 5, 10}
	}
	if len(o.Thresholds) == 0 {
		o.Thresholds = Thresholds(0, 1, 100)
	}
	o.Limits, o.Thresholds = ascending(o.Limits), ascending(o.Thresholds)
	o.Aim.Kind = cmp.Or(o.Aim.Kind, AimCost)
	if o.Cost == (Cost{}) {
		o.Cost = DefaultCost
	}
	if o.Store == nil {
		o.Store = &cache.Memory{MaxBytes: 1} // nothing is asked for twice
	}
	o.Parallel = cmp.Or(o.Parallel, runtime.GOMAXPROCS(0))
	o.Folds = cmp.Or(o.Folds, 5)
	o.Resamples = cmp.Or(o.Resamples, 1000)
	o.Failures = cmp.Or(o.Failures, 500)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o.validate()
}

// mostThresholds bounds a sweep: a step of a thousandth.
const mostThresholds = 1001

func ascending[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

func (o *Options) validate() error {
	if o.Cost.Miss < 0 || o.Cost.False < 0 || o.Cost.Tokens < 0 {
		return &fault.Error{Code: fault.Usage, Subject: "costs", Reason: "are below 0", Next: "use 0 or more"}
	}
	if l := o.Limits; l[0] < 1 || l[len(l)-1] > retrieve.MaxLimit {
		return &fault.Error{Code: fault.Usage, Subject: "limits", Reason: "are out of range", Next: fmt.Sprintf("use 1..%d", retrieve.MaxLimit)}
	}
	if n := len(o.Thresholds); n > mostThresholds {
		return &fault.Error{Code: fault.Usage, Subject: "thresholds", Reason: fmt.Sprintf("are %d, more than %d", n, mostThresholds), Next: "use a larger step"}
	}
	for _, t := range o.Thresholds {
		if !(t >= 0 && t <= 1) {
			return &fault.Error{Code: fault.Usage, Subject: fmt.Sprintf("threshold %v", t), Reason: "is out of range", Next: "use 0..1"}
		}
	}
	names := map[string]bool{}
	for _, s := range o.Chunkings {
		if err := s.Validate(); err != nil {
			return err
		}
		name := chunkName(s)
		if names[name] {
			return &fault.Error{Code: fault.Usage, Subject: "chunk " + name, Reason: "is asked for twice"}
		}
		names[name] = true
	}
	return o.Aim.validate()
}

// Thresholds are steps+1 thresholds from low to high, evenly parted.
func Thresholds(low, high float64, steps int) []float64 {
	all := make([]float64, steps+1)
	for i := range all {
		all[i] = math.Round(1e9*(low+(high-low)*float64(i)/float64(max(steps, 1)))) / 1e9
	}
	return all
}

// chunkName is a chunking as the user writes it.
func chunkName(s retrieve.Splitter) string {
	if s.Size == 0 {
		s.Size, s.Overlap = retrieve.DefaultSize, retrieve.DefaultOverlap
	}
	return fmt.Sprintf("%d/%d", s.Size, s.Overlap)
}

// open parses the documents, finds what the questions expect, and lays out the
// settings.
func (r *run) open(ctx context.Context) (err error) {
	start := time.Now()
	if r.lib, err = openLibrary(ctx, r.o, r.progress); err != nil {
		return err
	}
	if r.lib.parsed > 0 {
		r.parseTime = time.Since(start)
	}
	if r.questions, err = r.lib.resolve(r.o.Set.Questions); err != nil {
		return err
	}
	for _, q := range r.questions {
		if len(q.items) > 0 {
			r.answerable++
		}
		r.byPassage = r.byPassage || q.byPassage()
	}
	r.groups = r.group()
	for _, second := range append([]retrieve.Reranker{nil}, r.o.Rerankers...) {
		for _, e := range r.o.Embedders {
			for _, s := range r.o.Chunkings {
				r.settings = append(r.settings, setting{embedder: e, splitter: s, reranker: second, results: make([]result, len(r.questions))})
			}
		}
	}
	r.progress.plan(r.lib.size(), len(r.settings))
	return nil
}
