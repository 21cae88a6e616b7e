package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"inlay/embed"
	"inlay/fault"
	"inlay/internal/lexis"
	"inlay/internal/plural"
	"inlay/parse"
)

// Corpus is a set of documents made searchable once, for any number of
// queries. It is safe for concurrent use.
type Corpus struct {
	r           *Retriever
	files       []*prepared
	words       []*lexicalFile // of files, in order
	index       Index
	ids         []string       // of files, in order
	place       map[string]int // file id to its place in files
	total       int            // chunks
	collections []Collection
	warnings    []parse.Warning
	lone        *lone // nil with documents of collections

	// Of the corpus of one query, with what its collections have for it:
	outside []Candidates
	asked   embed.Vector // the query's
	failure *failure     // of reading documents of collections
	shared  map[lexis.Language]*vocabulary
}

// Prepare chunks and embeds the request's documents as far as the cache does
// not have them. Documents of the same bytes count once. The request's query,
// limit and threshold are not looked at. More text than [Options].MaxText is
// fault.LimitExceeded.
func (r *Retriever) Prepare(ctx context.Context, req Request) (*Corpus, error) {
	docs := distinctFiles(req.Documents)
	if err := r.bounded(docs); err != nil {
		return nil, err
	}
	key := r.keyOf(docs, req.Namespace)
	if c := r.keptCorpus(key, docs); c != nil {
		return c.again(docs, req), ctx.Err()
	}
	index, err := r.newIndex()
	if err != nil {
		return nil, fmt.Errorf("open an index: %w", err)
	}
	c := &Corpus{r: r, index: index, place: map[string]int{}, lone: new(lone)}
	if err := r.each(ctx, docs, req, func(f *prepared) error { return c.add(ctx, f) }); err != nil {
		return nil, err
	}
	r.keepCorpus(key, c)
	a := *c
	a.collections = req.Collections
	return &a, nil
}

// bounded refuses more text than may be searched, and names the largest file.
func (r *Retriever) bounded(docs []parse.Document) error {
	total, largest := 0, parse.Document{}
	for _, d := range docs {
		total += len(d.Text)
		if len(d.Text) > len(largest.Text) {
			largest = d
		}
	}
	if r.maxText <= 0 || total <= r.maxText {
		return nil
	}
	return &fault.Error{
		Code: fault.LimitExceeded, Subject: largest.Name,
		Reason: fmt.Sprintf("has %d bytes of the %d bytes of text to be searched, and at most %d may be", len(largest.Text), total, r.maxText),
		Next:   "split it, attach fewer files, or have the limit raised (--max-search)",
	}
}

func distinctFiles(all []parse.Document) []parse.Document {
	docs := make([]parse.Document, 0, len(all))
	seen := make(map[string]bool, len(all))
	for _, d := range all {
		if !seen[d.FileID] {
			seen[d.FileID] = true
			docs = append(docs, d)
		}
	}
	return docs
}

// each prepares documents, req.Parallel at a time, and hands them on in order.
func (r *Retriever) each(ctx context.Context, docs []parse.Document, req Request, add func(*prepared) error) error {
	type outcome struct {
		file *prepared
		err  error
	}
	ctx, stop := context.WithCancel(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer stop() // before waiting
	if report := req.Report; report != nil {
		var mu sync.Mutex
		req.Report = func(s Step) {
			mu.Lock()
			defer mu.Unlock()
			report(s)
		}
	}
	outcomes := make([]chan outcome, len(docs))
	for i := range outcomes {
		outcomes[i] = make(chan outcome, 1)
	}
	var next atomic.Int64
	for range min(max(req.Parallel, 1), len(docs)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(docs); i = int(next.Add(1)) - 1 {
				f, err := r.prepare(ctx, docs[i], req)
				if outcomes[i] <- (outcome{f, err}); err != nil {
					return
				}
			}
		})
	}
	for i := range docs {
		o := <-outcomes[i]
		if o.err != nil {
			return o.err
		}
		if err := add(o.file); err != nil {
			return fmt.Errorf("index %s: %w", o.file.doc.Name, err)
		}
	}
	return nil
}

// add puts a prepared file into the index and the lexical leg.
func (c *Corpus) add(ctx context.Context, f *prepared) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	chunks, vectors := f.chunks, f.vectors
	if f.missing > 0 {
		chunks, vectors = embedded(f)
		c.warnings = append(c.warnings, parse.Warning{
			Code:    "partly_embedded",
			Message: fmt.Sprintf("%s: %s could not be embedded and %s found by %s words alone", f.doc.Name, plural.OfAll(f.missing, len(f.chunks), "passage"), plural.Pick(f.missing, "is", "are"), plural.Pick(f.missing, "its", "their")),
		})
	}
	if len(chunks) > 0 && !c.r.embedder.Spec().Lexical { // else they are compared where they are
		if err := c.index.Add(ctx, chunks, vectors); err != nil {
			return err
		}
	}
	c.place[f.doc.FileID] = len(c.files)
	c.files = append(c.files, f)
	c.words = append(c.words, f.words)
	c.ids = append(c.ids, f.doc.FileID)
	c.total += len(f.chunks)
	return nil
}

// Subset is the corpus of some of the files, in the order given, as if these
// alone had been prepared; nothing is chunked or embedded. An unknown file is
// fault.FileNotFound.
func (c *Corpus) Subset(ctx context.Context, fileIDs ...string) (*Corpus, error) {
	index, err := c.r.newIndex()
	if err != nil {
		return nil, fmt.Errorf("open an index: %w", err)
	}
	s := &Corpus{r: c.r, index: index, place: map[string]int{}, lone: new(lone)}
	for _, id := range fileIDs {
		at, ok := c.place[id]
		if !ok {
			return nil, &fault.Error{Code: fault.FileNotFound, Subject: id, Reason: "is not in the corpus"}
		}
		if _, taken := s.place[id]; taken {
			continue
		}
		if err := s.add(ctx, c.files[at]); err != nil {
			return nil, fmt.Errorf("index %s: %w", c.files[at].doc.Name, err)
		}
	}
	return s, nil
}

// Files says what was done for each file, in order; those of collections are not
// among them.
func (c *Corpus) Files() []FileStats {
	stats := make([]FileStats, 0, len(c.files))
	for _, f := range c.files {
		if f.open == nil {
			stats = append(stats, f.stats)
		}
	}
	return stats
}

// embedded returns the chunks that have vectors, and these.
func embedded(f *prepared) (chunks []Chunk, vectors []embed.Vector) {
	for i, v := range f.vectors {
		if v != nil {
			chunks, vectors = append(chunks, f.chunks[i]), append(vectors, v)
		}
	}
	return chunks, vectors
}

// Search finds the passages that bear on the query: the limit best (0 means
// [DefaultLimit]) with an affinity strictly above the threshold (nil means the
// embedder's own).
func (c *Corpus) Search(ctx context.Context, query string, limit int, threshold *float64) (Passages, error) {
	return c.Find(ctx, Request{Query: query, Limit: limit, Threshold: threshold})
}

// Find is Search by the query, limit, threshold, budget and reranking of a
// request; the rest of it is not looked at.
func (c *Corpus) Find(ctx context.Context, req Request) (Passages, error) {
	if err := req.validate(); err != nil {
		return Passages{}, err
	}
	c, err := c.withCollections(ctx, req.Query)
	if err != nil {
		return Passages{}, err
	}
	spec := c.r.embedder.Spec()
	p := Passages{
		Total: c.total, Embedder: spec.Model, Threshold: spec.Threshold, Limit: cmp.Or(req.Limit, DefaultLimit),
		Warnings: c.warnings, Candidates: []float64{},
	}
	if req.Threshold != nil {
		p.Threshold = *req.Threshold
	}
	p.Files = c.Files()
	c.lone.question(c)
	ranking, words, err := c.rank(ctx, req.Query)
	if err != nil {
		return Passages{}, err
	}
	if !req.NoRerank {
		var warnings []parse.Warning
		if p.Reranking, warnings, err = c.rerankOpen(ctx, req.Query, ranking); err != nil {
			return Passages{}, err
		}
		p.Warnings = slices.Concat(p.Warnings, warnings)
	}
	c.choose(ranking, words, &p, req.Budget)
	if len(p.Citations) == 0 {
		p.Warnings = slices.Concat(p.Warnings, c.foreign(req.Query))
	}
	return p, c.failure.first()
}
