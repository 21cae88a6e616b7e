package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"inlay/cache"
	"inlay/embed"
	"inlay/fault"
	"inlay/internal/lexis"
	"inlay/parse"
)

// DefaultLimit is how many passages are cited where a request does not say (INJ-10).
const DefaultLimit = 3

// MaxLimit is the largest limit of a request.
const MaxLimit = 100

// Chunker cuts documents into chunks; [Splitter] is one.
type Chunker interface {
	// Split cuts a document: exact slices of its text, in order, which together
	// cover it but for white space.
	Split(d parse.Document) []Chunk
	// Fingerprint names the chunking: two of one name cut every document in the same places.
	Fingerprint() string
}

// Options configure a [Retriever]. The zero value is a search that needs
// nothing installed and keeps its work in memory.
type Options struct {
	Embedder embed.Embedder        // nil means embed.NewBuiltin()
	Splitter Chunker               // nil means Splitter{}
	NewIndex func() (Index, error) // makes the index of one search; nil means an exact one in memory
	Cache    cache.Store           // of chunks and vectors; nil means a cache.Memory of the Retriever's own
	Logger   *slog.Logger          // nil means none; gets names, counts and times, never content
	// Reranker reads the best passages again and orders them; nil: nobody does.
	Reranker   Reranker
	RerankTime time.Duration // that it may take for one question; 0 means DefaultRerankTime
	// Relative is the share of the best passage's ranking score that the others
	// must reach to be cited beside it, 0..1; 0 cites all that limit and
	// threshold allow.
	Relative float64
	// MaxText is how many bytes of text one search may be about, because it takes
	// some forty times as many of memory; 0 means any number.
	MaxText int
}

// Retriever finds passages by their words and by their vectors. It is safe for
// concurrent use.
type Retriever struct {
	embedder embed.Embedder
	splitter Chunker
	newIndex func() (Index, error)
	cache    cache.Store
	log      *slog.Logger
	lex      *lexis.Lexicon
	set      setting
	relative float64
	maxText  int
	reranker Reranker

	rerankTime time.Duration

	files   cache.LRU[keptKey, *indexed]
	corpora cache.LRU[keptKey, *Corpus]
	parts   cache.LRU[keptKey, *parts]

	spare  analyzers // of documents
	asking analyzers // of queries

	compactFrom int // chunks of a file
}

// New makes a Retriever.
func New(o Options) *Retriever {
	r := &Retriever{set: defaultSetting(), lex: lexis.Shared(), embedder: o.Embedder, splitter: o.Splitter, newIndex: o.NewIndex, cache: o.Cache, log: o.Logger, relative: o.Relative, maxText: o.MaxText}
	r.compactFrom = compactFrom
	r.reranker, r.rerankTime = o.Reranker, cmp.Or(o.RerankTime, DefaultRerankTime)
	if r.embedder == nil {
		r.embedder = embed.NewBuiltin()
	}
	if r.splitter == nil {
		r.splitter = Splitter{}
	}
	if r.newIndex == nil {
		r.newIndex = func() (Index, error) { return &exactIndex{}, nil }
	}
	if r.cache == nil {
		r.cache = &cache.Memory{}
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	return r
}

// Profile describes the search without doing any work.
func (r *Retriever) Profile() Profile {
	s := r.embedder.Spec()
	return Profile{Embedder: s.Model, Threshold: s.Threshold, Limit: DefaultLimit}
}

// Retrieve finds the passages of the request's documents that bear on its
// query. A limit outside 0..[MaxLimit] that is not [AutoLimit] or a threshold outside 0..1 is
// fault.Usage.
func (r *Retriever) Retrieve(ctx context.Context, req Request) (Passages, error) {
	if err := req.validate(); err != nil {
		return Passages{}, err
	}
	c, err := r.Prepare(ctx, req)
	if err != nil {
		return Passages{}, err
	}
	return c.Find(ctx, req)
}

func (req Request) validate() error {
	if (req.Limit < 0 && req.Limit != AutoLimit) || req.Limit > MaxLimit {
		return &fault.Error{
			Code: fault.Usage, Subject: fmt.Sprintf("retrieval limit %d", req.Limit),
			Reason: "is out of range", Next: fmt.Sprintf("use 1..%d", MaxLimit),
		}
	}
	if t := req.Threshold; t != nil && !(*t >= 0 && *t <= 1) {
		return &fault.Error{
			Code: fault.Usage, Subject: fmt.Sprintf("retrieval affinity threshold %v", *t),
			Reason: "is out of range", Next: "use 0..1",
		}
	}
	return nil
}
