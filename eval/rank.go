package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"inlay/cache"
	"inlay/embed"
	"inlay/parse"
	"inlay/retrieve"
)

// depth is how many passages of a question are kept.
const depth = 200

// batchSize is how many questions are stored together.
const batchSize = 8

// rankVersion changes with the form of stored rankings.
const rankVersion = "ranking1"

// passage is one passage of a ranking.
type passage struct {
	Doc      int     `json:"d"` // place in library.docs
	Start    int     `json:"s"`
	End      int     `json:"e"`
	Tokens   int     `json:"t"`
	Affinity float64 `json:"a"`
	Again    bool    `json:"r,omitempty"` // its words are those of one before: it is not cited
}

// result is the ranking of one question.
type result struct {
	Passages []passage     `json:"p"`
	Took     time.Duration `json:"ns"`
}

// group is questions that are asked of the same documents.
type group struct {
	docs    []int
	batches [][]int // places of questions
	print   string  // of the documents
}

// group parts the questions by scope, in the order of their first.
func (r *run) group() []*group {
	var groups []*group
	byScope := map[string]*group{}
	for i, q := range r.questions {
		key := fmt.Sprint(q.scope == nil, q.scope)
		g := byScope[key]
		if g == nil {
			g = &group{docs: r.lib.searched(q.scope)}
			g.print = r.lib.print(g.docs)
			byScope[key] = g
			groups = append(groups, g)
		}
		if n := len(g.batches) - 1; n >= 0 && len(g.batches[n]) < batchSize {
			g.batches[n] = append(g.batches[n], i)
		} else {
			g.batches = append(g.batches, []int{i})
		}
	}
	return groups
}

// print names documents by their content and order.
func (lib *library) print(docs []int) string {
	h := sha256.New()
	for _, i := range docs {
		d := lib.docs[i]
		_, _ = fmt.Fprintf(h, "%d %q %q %q\n", i, d.FileID, d.Parser, d.Name)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// setting is an embedder and a chunking at work.
type setting struct {
	embedder embed.Embedder
	splitter retrieve.Splitter
	reranker retrieve.Reranker // nil: none
	results  []result          // by question
	chunks   []int             // by document
	tokens   []int             // by document
	took     time.Duration
}

func (s *setting) name() string {
	return searchName(s.embedder.Spec().Model, s.rerankerName()) + " " + chunkName(s.splitter)
}

// rerankerName is empty without a reranker.
func (s *setting) rerankerName() string {
	if s.reranker == nil {
		return ""
	}
	return s.reranker.Name()
}

// rank ranks all questions: from the store, or by making the documents searchable.
func (s *setting) rank(ctx context.Context, r *run) error {
	todo, known := s.missing(ctx, r)
	counted := r.loadCounts(ctx, s)
	if len(todo) == 0 && counted {
		r.progress.begin(1, s.name(), len(r.lib.docs))
		r.progress.step(len(r.lib.docs), float64(r.lib.size()), false)
		return ctx.Err()
	}
	corpus, err := s.prepare(ctx, r)
	if err != nil {
		return err
	}
	r.progress.begin(2, s.name(), len(r.questions))
	r.progress.step(known, float64(known), false)
	narrowed := map[*group]*scoped{}
	for _, t := range todo {
		if narrowed[t.group] == nil {
			narrowed[t.group] = &scoped{open: func() (*retrieve.Corpus, error) { return s.narrow(ctx, r, corpus, t.group) }}
		}
		narrowed[t.group].left++
	}
	return parallel(ctx, r.o.Parallel, len(todo), func(i int) error {
		t, c := todo[i], narrowed[todo[i].group]
		corpus, err := c.get()
		if err != nil {
			return err
		}
		if err := s.search(ctx, r, corpus, t.batch); err != nil {
			return err
		}
		c.done()
		return r.save(ctx, s, t)
	})
}

// task is a batch of a group that is to be searched.
type task struct {
	group *group
	batch []int // places of questions
}

// missing takes what the store has and returns the rest, and how many questions
// are known.
func (s *setting) missing(ctx context.Context, r *run) (todo []task, known int) {
	for _, g := range r.groups {
		for _, batch := range g.batches {
			if t := (task{g, batch}); r.load(ctx, s, t) {
				known += len(batch)
			} else {
				todo = append(todo, t)
			}
		}
	}
	return todo, known
}

// scoped is the corpus of a group, made when first asked for and let go after
// its last batch.
type scoped struct {
	open   func() (*retrieve.Corpus, error)
	mu     sync.Mutex
	corpus *retrieve.Corpus
	left   int // batches
}

func (c *scoped) get() (*retrieve.Corpus, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.corpus != nil {
		return c.corpus, nil
	}
	corpus, err := c.open()
	c.corpus = corpus
	return corpus, err
}

func (c *scoped) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		c.corpus = nil
	}
}

// narrow is the corpus of a group.
func (s *setting) narrow(ctx context.Context, r *run, all *retrieve.Corpus, g *group) (*retrieve.Corpus, error) {
	if len(g.docs) == len(r.lib.searched(nil)) {
		return all, nil
	}
	ids := make([]string, len(g.docs))
	for i, d := range g.docs {
		ids[i] = r.lib.docs[d].FileID
	}
	return all.Subset(ctx, ids...)
}

// prepare makes all documents searchable.
func (s *setting) prepare(ctx context.Context, r *run) (*retrieve.Corpus, error) {
	start := time.Now()
	searched := r.lib.searched(nil)
	docs := make([]parse.Document, len(searched))
	for i, d := range searched {
		docs[i] = r.lib.docs[d]
	}
	r.progress.begin(1, s.name(), len(docs))
	retriever := retrieve.New(retrieve.Options{
		Embedder: s.embedder, Splitter: s.splitter, NewIndex: r.o.NewIndex, Cache: r.o.Store,
		Logger: r.o.Logger, MaxText: r.o.MaxText, Reranker: s.reranker, RerankTime: r.o.RerankTime,
	})
	done := map[string]float64{} // bytes reported of a file
	size := map[string]float64{}
	for _, d := range docs {
		size[d.FileID] = float64(len(d.Text))
	}
	corpus, err := retriever.Prepare(ctx, retrieve.Request{Documents: docs, Namespace: r.o.Namespace, Parallel: r.o.Parallel, Report: func(step retrieve.Step) {
		all, before := size[step.FileID], done[step.FileID]
		switch step.Stage {
		case retrieve.Embedding:
			done[step.FileID] = all * step.Done
			r.progress.step(0, done[step.FileID]-before, true)
		case retrieve.Processed:
			done[step.FileID] = all
			r.progress.step(1, all-before, !step.Cached)
		default: // the shorter stages
		}
	}})
	if err != nil {
		return nil, err
	}
	s.chunks, s.tokens = make([]int, len(r.lib.docs)), make([]int, len(r.lib.docs))
	for i, f := range corpus.Files() {
		s.chunks[searched[i]], s.tokens[searched[i]] = f.Chunks, f.Tokens
		if !f.Cached {
			r.embedded++
			s.took = time.Since(start)
		}
	}
	return corpus, r.saveCounts(ctx, s)
}

// search ranks a batch of questions.
func (s *setting) search(ctx context.Context, r *run, c *retrieve.Corpus, batch []int) error {
	place := map[string]int{}
	for _, i := range batch {
		start := time.Now()
		ranked, err := c.Rank(ctx, r.questions[i].Text, depth)
		if err != nil {
			return fmt.Errorf("question %s: %w", r.questions[i].ID, err)
		}
		res := result{Took: time.Since(start), Passages: make([]passage, len(ranked))}
		for k, p := range ranked {
			doc, ok := place[p.Chunk.FileID]
			if !ok {
				doc = r.lib.byFile[p.Chunk.FileID]
				place[p.Chunk.FileID] = doc
			}
			res.Passages[k] = passage{Doc: doc, Start: p.Chunk.Start, End: p.Chunk.End, Tokens: p.Chunk.Tokens, Affinity: p.Affinity, Again: p.Again}
		}
		s.results[i] = res
		r.progress.step(1, 1, true)
	}
	return nil
}

// rankKey names the rankings of a batch by all they depend on.
func (r *run) rankKey(s *setting, t task) cache.Key {
	h := sha256.New()
	for _, i := range t.batch {
		_, _ = fmt.Fprintf(h, "%q\n", r.questions[i].Text)
	}
	return cache.Key{Namespace: r.o.Namespace, Kind: "rankings", Parts: []string{
		rankVersion, r.o.Build, s.embedder.Spec().Fingerprint, s.splitter.Fingerprint(), s.rerankerName(), t.group.print, hex.EncodeToString(h.Sum(nil)),
	}}
}

// load takes a batch from the store.
func (r *run) load(ctx context.Context, s *setting, t task) bool {
	var stored []result
	if !r.get(ctx, r.rankKey(s, t), &stored) || len(stored) != len(t.batch) {
		return false
	}
	for k, i := range t.batch {
		for _, p := range stored[k].Passages {
			if p.Doc < 0 || p.Doc >= len(r.lib.docs) || p.Start < 0 || p.End < p.Start || p.End > len(r.lib.docs[p.Doc].Text) {
				return false
			}
		}
		s.results[i] = stored[k]
	}
	return true
}

func (r *run) save(ctx context.Context, s *setting, t task) error {
	results := make([]result, len(t.batch))
	for k, i := range t.batch {
		results[k] = s.results[i]
	}
	r.ranked.Add(int64(len(t.batch)))
	return r.put(ctx, r.rankKey(s, t), results)
}

// counts are the numbers of a setting that outlive its corpus.
type counts struct {
	Chunks []int         `json:"chunks"`
	Tokens []int         `json:"tokens"`
	Took   time.Duration `json:"ns"`
}

func (r *run) countsKey(s *setting) cache.Key {
	return cache.Key{Namespace: r.o.Namespace, Kind: "rankings", Parts: []string{
		rankVersion, r.o.Build, s.embedder.Spec().Fingerprint, s.splitter.Fingerprint(), r.lib.print(r.lib.searched(nil)), "counts",
	}}
}

func (r *run) loadCounts(ctx context.Context, s *setting) bool {
	var c counts
	if !r.get(ctx, r.countsKey(s), &c) || len(c.Chunks) != len(r.lib.docs) || len(c.Tokens) != len(r.lib.docs) {
		return false
	}
	s.chunks, s.tokens, s.took = c.Chunks, c.Tokens, c.Took
	return true
}

func (r *run) saveCounts(ctx context.Context, s *setting) error {
	return r.put(ctx, r.countsKey(s), counts{s.chunks, s.tokens, s.took})
}

// get reads JSON from the store. What cannot be read counts as not there.
func (r *run) get(ctx context.Context, key cache.Key, into any) bool {
	if r.o.Build == "" {
		return false
	}
	data, ok, err := r.o.Store.Get(ctx, key)
	if err != nil {
		r.o.Logger.WarnContext(ctx, "rankings not readable", "err", err)
	}
	return err == nil && ok && json.Unmarshal(data, into) == nil
}

// put stores JSON. A store that fails costs only the saving.
func (r *run) put(ctx context.Context, key cache.Key, value any) error {
	if r.o.Build == "" {
		return ctx.Err()
	}
	data, err := json.Marshal(value)
	if err == nil {
		err = r.o.Store.Put(ctx, key, data)
	}
	if err != nil && ctx.Err() == nil {
		r.o.Logger.WarnContext(ctx, "rankings not kept", "err", err)
	}
	return ctx.Err()
}

// shown is a passage as an excerpt.
func shown(text string) (excerpt string, cut bool) {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= excerptBytes {
		return text, false
	}
	end := excerptBytes
	for end > 0 && text[end]&0xC0 == 0x80 {
		end--
	}
	return text[:end], true
}

// excerptBytes bounds a passage's text in a report.
const excerptBytes = 300
