package disk

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"inlay/embed"
	"inlay/library"
	"inlay/parse"
	"inlay/retrieve"
)

// Extent implements [library.Searcher].
func (s *Store) Extent(ctx context.Context, owner, name string, f library.Filter) (library.Extent, error) {
	v, err := s.view(ctx, owner, name)
	if err != nil {
		return library.Extent{}, err
	}
	a, err := v.arrange(f)
	if err != nil {
		return library.Extent{}, err
	}
	return library.Extent{Documents: a.size.Documents, Passages: a.size.Passages, Text: a.text}, nil
}

// Candidates implements [library.Searcher].
func (s *Store) Candidates(ctx context.Context, owner, name string, q retrieve.Question, f library.Filter) (retrieve.Candidates, error) {
	v, err := s.view(ctx, owner, name)
	if err != nil {
		return retrieve.Candidates{}, err
	}
	a, err := v.arrange(f)
	if err != nil {
		return retrieve.Candidates{}, err
	}
	x := &search{q: q, v: v, a: a, rankers: map[string]*retrieve.Ranker{}, found: map[string][]retrieve.Frequency{}}
	return x.run(ctx)
}

// search is one question to one library.
type search struct {
	q       retrieve.Question
	v       *view
	a       *arrangement
	parts   []*piece
	rankers map[string]*retrieve.Ranker // by language
	found   map[string][]retrieve.Frequency
	mu      sync.Mutex // of found
}

// piece is the part of a search that one segment answers.
type piece struct {
	*held
	order []int32 // of each document, its place among those searched; -1: it is not
	whole bool    // every document is searched
	lists map[string][]asked
	top   hits
	total map[int]totals      // of documents with hits
	rows  map[place][]float32 // of chunks with hits and those beside them: counts of the terms
	near  []hit               // by vectors
}

// place is a chunk of a document.
type place struct{ doc, chunk int }

// asked is a term of a segment that counts as a term of the query.
type asked struct {
	entry
	term int
}

// hit is a passage.
type hit struct {
	score float64
	order int // of its document
	chunk int // in the document
	doc   int
}

func (x *search) run(ctx context.Context) (retrieve.Candidates, error) {
	x.split()
	if err := x.each(ctx, x.count); err != nil {
		return retrieve.Candidates{}, err
	}
	return x.weighed(ctx)
}

// split makes a piece of each segment, and the rankers of their languages.
func (x *search) split() {
	for i, s := range x.v.segments {
		p := &piece{held: s, order: x.a.order[i], whole: x.a.whole[i], lists: map[string][]asked{}, total: map[int]totals{}, rows: map[place][]float32{}}
		x.parts = append(x.parts, p)
		for language := range s.spoken {
			if x.rankers[language] == nil {
				x.rankers[language] = x.q.Ranker(language)
				x.found[language] = make([]retrieve.Frequency, len(x.rankers[language].Terms()))
			}
		}
	}
}

// weighed ranks, now that it is known how many hold each term.
func (x *search) weighed(ctx context.Context) (retrieve.Candidates, error) {
	for language, k := range x.rankers {
		k.Weigh(x.a.size, x.found[language])
	}
	if err := x.each(ctx, x.rank); err != nil {
		return retrieve.Candidates{}, err
	}
	docs, err := x.gather(ctx)
	return retrieve.Candidates{Documents: docs, Size: x.a.size, Terms: x.found}, err
}

// each does the work of all segments, some at a time.
func (x *search) each(ctx context.Context, work func(context.Context, *piece) error) error {
	return sideBySide(ctx, len(x.parts), func(i int) error { return work(ctx, x.parts[i]) })
}

// sideBySide does n pieces of work, as many at a time as there are processors,
// and returns the first failure.
func sideBySide(ctx context.Context, n int, work func(i int) error) error {
	errs := make([]error, n)
	var wait sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), n) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = work(i)
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// look finds the terms of a segment in one language that the query asks for.
func (x *search) look(p *piece, language string) error {
	t := newTerms(p.segment, language)
	for term, i := range x.rankers[language].Places(t) {
		if e, ok := t.find(term); ok {
			p.lists[language] = append(p.lists[language], asked{e, i})
		}
	}
	return t.err
}

// count adds up how many passages and documents hold each term. A term that no
// other counts as, in a segment that is searched wholly, needs no walk.
func (x *search) count(ctx context.Context, p *piece) error {
	for language := range p.spoken {
		if err := x.look(p, language); err != nil {
			return err
		}
		found := make([]retrieve.Frequency, len(x.found[language]))
		walked, err := x.countLists(ctx, p, language, found)
		if err != nil {
			return err
		}
		x.mu.Lock()
		for i, f := range found {
			x.found[language][i].Passages += f.Passages
			x.found[language][i].Documents += f.Documents
		}
		for _, a := range p.lists[language] {
			if !walked[a.term] {
				x.found[language][a.term].Passages += a.passages
				x.found[language][a.term].Documents += a.documents
			}
		}
		x.mu.Unlock()
	}
	return nil
}

// countLists walks over the postings of the terms that need it.
func (x *search) countLists(ctx context.Context, p *piece, language string, found []retrieve.Frequency) (walked []bool, err error) {
	walked = make([]bool, len(found))
	times := make([]int, len(found))
	for _, a := range p.lists[language] {
		times[a.term]++
		walked[a.term] = !p.whole || times[a.term] > 1
	}
	var lists []asked
	for _, a := range p.lists[language] {
		if walked[a.term] {
			lists = append(lists, a)
		}
	}
	t, err := x.newTally(p, language, lists)
	if err != nil {
		return nil, err
	}
	seen := make([]bool, t.terms)
	return walked, t.walk(ctx, func(_ int, counts []float32) {
		clear(seen)
		for at := 0; at < len(counts); at += t.terms {
			for i, n := range counts[at : at+t.terms] {
				if n > 0 {
					found[i].Passages++
					seen[i] = true
				}
			}
		}
		for i, s := range seen {
			if s {
				found[i].Documents++
			}
		}
	})
}

// rank keeps the best passages of a segment by words, and by vectors.
func (x *search) rank(ctx context.Context, p *piece) error {
	if err := x.rankVectors(ctx, p); err != nil {
		return err
	}
	wanted := map[int]bool{}
	for _, h := range p.near {
		wanted[h.doc] = true
		p.total[h.doc] = totalsOf(nil, len(x.found[p.docs[h.doc].language]))
	}
	near := map[place]bool{}
	for _, h := range p.near {
		near[place{h.doc, h.chunk}] = true
	}
	for language, lists := range p.lists {
		t, err := x.newTally(p, language, lists)
		if err != nil {
			return err
		}
		var scores []float64
		k := x.rankers[language]
		err = t.walk(ctx, func(doc int, counts []float32) {
			scores = k.Score(scores, counts, p.docs[doc].lengths)
			kept := wanted[doc]
			for chunk, score := range scores {
				found := score > 0 && p.top.keep(hit{score, int(p.order[doc]), chunk, doc}, x.q.Limit)
				if found || near[place{doc, chunk}] {
					kept = true
					p.keepRows(doc, chunk, counts, t.terms)
				}
			}
			if kept {
				p.total[doc] = totalsOf(counts, t.terms)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// keepRows keeps the counts of a chunk with a hit, and of those beside it.
func (p *piece) keepRows(doc, chunk int, counts []float32, terms int) {
	for k := max(chunk-1, 0); k <= chunk+1 && (k+1)*terms <= len(counts); k++ {
		if at := (place{doc, k}); p.rows[at] == nil {
			p.rows[at] = slices.Clone(counts[k*terms : (k+1)*terms])
		}
	}
}

// totals are the occurrences of each term in a document, and the passages of it
// that hold the term.
type totals struct {
	sums    []float64
	holding []int
}

func totalsOf(counts []float32, terms int) totals {
	t := totals{make([]float64, terms), make([]int, terms)}
	for at := 0; at < len(counts); at += terms {
		for i, n := range counts[at : at+terms] {
			if n > 0 {
				t.sums[i] += float64(n)
				t.holding[i]++
			}
		}
	}
	return t
}

// rankVectors keeps the passages of a segment that are nearest to the question:
// it compares all of them.
func (x *search) rankVectors(ctx context.Context, p *piece) error {
	if x.q.Vector == nil || p.dims == 0 {
		return nil
	}
	if p.dims != len(x.q.Vector) {
		return retrieve.CheckVector("the query's vector", x.q.Vector, p.dims)
	}
	var top hits
	for doc := range p.docs {
		if p.order[doc] < 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		vectors, err := p.readVectors(doc)
		if err != nil {
			return err
		}
		for k, v := range vectors {
			if v != nil {
				top.keep(hit{cosine(x.q.Vector, v), int(p.order[doc]), k, doc}, x.q.Limit)
			}
		}
	}
	p.near = top
	return nil
}

func cosine(a, b embed.Vector) float64 {
	var s0, s1 float32
	for i := 0; i+1 < len(a) && i+1 < len(b); i += 2 {
		s0 += float32(a[i] * b[i])
		s1 += float32(a[i+1] * b[i+1])
	}
	if len(a)%2 == 1 {
		s0 += float32(a[len(a)-1] * b[len(a)-1])
	}
	return float64(s0) + float64(s1)
}

// gather reads the best passages of all segments.
func (x *search) gather(ctx context.Context) ([]retrieve.Candidate, error) {
	var words, near hits
	for _, p := range x.parts {
		for _, h := range p.top {
			words.keep(h, x.q.Limit)
		}
		for _, h := range p.near {
			near.keep(h, x.q.Limit)
		}
	}
	byDoc := map[int][]int{}
	for _, h := range slices.Concat(words, near) {
		byDoc[h.order] = append(byDoc[h.order], h.chunk)
	}
	orders := make([]int, 0, len(byDoc))
	for order := range byDoc {
		orders = append(orders, order)
	}
	slices.Sort(orders)
	out := make([]retrieve.Candidate, len(orders))
	err := sideBySide(ctx, len(orders), func(i int) (err error) {
		out[i], err = x.candidate(x.v.paths[x.a.places[orders[i]]], sortUnique(byDoc[orders[i]]))
		return err
	})
	return out, err
}

// candidate reads a document's passages that are ranked. Of those beside them the
// counts of terms are enough.
func (x *search) candidate(at placed, hits []int) (retrieve.Candidate, error) {
	p := x.parts[at.segment]
	t, err := p.readTable(at.doc)
	chunks := t.chunks
	if err != nil {
		return retrieve.Candidate{}, err
	}
	if err := p.fill(at.doc, chunks, hits); err != nil {
		return retrieve.Candidate{}, err
	}
	counts := map[int][]float32{}
	for _, k := range hits {
		for o := k - 1; o <= k+1; o++ {
			if row := p.rows[place{at.doc, o}]; row != nil {
				counts[o] = row
			}
		}
	}
	m := &p.docs[at.doc]
	c := retrieve.Candidate{
		Document: parse.Document{FileID: m.fileID, Name: at.Path, MediaType: at.MediaType},
		Language: m.language, Words: m.words, Chunks: chunks, Hits: hits, Titles: t.titles, Pages: t.pages,
		Totals: p.total[at.doc].sums, Holding: p.total[at.doc].holding, Counts: counts, Lengths: m.lengths,
		Open: func(context.Context) (parse.Document, error) { return x.v.document(at) },
	}
	if x.q.Vector == nil {
		return c, nil
	}
	vectors, err := p.readVectors(at.doc)
	if err != nil || vectors == nil {
		return c, err
	}
	for _, k := range hits {
		c.Vectors = append(c.Vectors, vectors[k])
	}
	return c, nil
}
