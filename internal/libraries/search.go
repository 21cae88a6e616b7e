package libraries

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"inlay/fault"
	"inlay/internal/blobs"
	"inlay/internal/state/tables"
	"inlay/internal/weaviate"
	"inlay/library"
	"inlay/library/disk"
	"inlay/retrieve"
)

// Extent implements [library.Searcher].
func (s *Store) Extent(ctx context.Context, owner, name string, f library.Filter) (library.Extent, error) {
	v, err := s.look(ctx, at(owner, name))
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
	var c retrieve.Candidates
	for try := 0; ; try++ {
		v, err := s.look(ctx, at(owner, name))
		if err != nil {
			return c, err
		}
		a, err := v.arrange(f)
		if err != nil {
			return c, err
		}
		x := &search{s: s, q: q, v: v, a: a}
		c, err = x.run(ctx)
		if !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
		if now, e := s.look(ctx, v.place); e != nil || now.generation == v.generation || try == 5 {
			return c, errors.Join(e, blobs.Missing(err))
		}
	}
}

// search is one question to one library.
type search struct {
	s *Store
	q retrieve.Question
	v *view
	a *arrangement
}

// directText bounds the text of what is ranked without the index.
const directText = 8 << 20

func (x *search) run(ctx context.Context) (retrieve.Candidates, error) {
	if len(x.a.places) == 0 {
		return retrieve.Candidates{Size: x.a.size}, nil
	}
	if len(x.a.places) <= x.s.Direct && x.a.text <= directText {
		every := make([]int, len(x.a.places))
		for i := range every {
			every[i] = i
		}
		return x.rank(ctx, every, nil)
	}
	words, err := x.lookUp(ctx)
	if err != nil {
		return retrieve.Candidates{}, err
	}
	var byWords, byVector []int64
	var found map[string][]retrieve.Frequency
	err = together(
		func() (err error) { byWords, err = x.nearest(ctx, weaviate.Query{Terms: tokensOf(words)}); return err },
		func() (err error) { byVector, err = x.nearest(ctx, weaviate.Query{Vector: x.q.Vector}); return err },
		func() (err error) { found, err = x.frequencies(ctx, words); return err },
	)
	if err != nil {
		return retrieve.Candidates{}, err
	}
	var chosen []int
	for _, doc := range slices.Concat(byWords, byVector) {
		if i, ok := x.a.place[doc]; ok { // else it is not committed, or deleted, or not chosen
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	return x.rank(ctx, slices.Compact(chosen), found)
}

// together does pieces of work side by side and returns the first failure.
func together(work ...func() error) error {
	errs := make([]error, len(work))
	var wait sync.WaitGroup
	for i, f := range work {
		wait.Go(func() { errs[i] = f() })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// readAtOnce is how many documents a question reads at a time.
const readAtOnce = 16

// rank ranks the passages of chosen documents.
func (x *search) rank(ctx context.Context, chosen []int, found map[string][]retrieve.Frequency) (retrieve.Candidates, error) {
	docs := make([]disk.Placed, len(chosen))
	errs := make([]error, len(chosen))
	room := make(chan struct{}, readAtOnce)
	var wait sync.WaitGroup
	for i, at := range chosen {
		p := x.v.paths[x.a.places[at]]
		docs[i].Entry = p.Entry
		if one, ok := x.s.docs.Get(p.doc); ok {
			docs[i].Single = one
			continue
		}
		room <- struct{}{}
		wait.Go(func() {
			defer func() { <-room }()
			docs[i].Single, errs[i] = x.s.single(ctx, x.v.place.owner, p.doc)
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return retrieve.Candidates{}, err
		}
	}
	return disk.Rank(ctx, x.q, docs, x.a.size, found)
}

// docsAtOnce is how many documents one condition lists.
const docsAtOnce = 2000

// wheres are the conditions that choose what is searched.
func (x *search) wheres() []weaviate.Where {
	if x.a.whole {
		return []weaviate.Where{{Library: x.v.id}}
	}
	docs := make([]int64, len(x.a.places))
	for i, at := range x.a.places {
		docs[i] = x.v.paths[at].doc
	}
	var list []weaviate.Where
	for some := range slices.Chunk(docs, docsAtOnce) {
		list = append(list, weaviate.Where{Library: x.v.id, Docs: some})
	}
	return list
}

func (x *search) tenant() string { return tenantOf(x.v.place.owner) }

// nearest asks the index for documents.
func (x *search) nearest(ctx context.Context, q weaviate.Query) ([]int64, error) {
	if len(q.Terms) == 0 && q.Vector == nil {
		return nil, nil
	}
	q.Limit = x.s.Beyond * x.q.Limit
	var docs []int64
	for _, q.Where = range x.wheres() {
		some, err := x.s.Index.Nearest(ctx, x.v.class, x.tenant(), q)
		if fault.Is(err, fault.NotFound) {
			continue // nothing was ever put
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, some...)
	}
	return docs, nil
}

// asked are the words of a question in one language, as a library has them.
type asked struct {
	language string
	forms    [][]string // by term of the ranker
	counts   map[string]retrieve.Frequency
}

// lookUp finds out what of the library's vocabulary the question asks for.
func (x *search) lookUp(ctx context.Context) ([]asked, error) {
	var list []asked
	for _, language := range slices.Sorted(maps.Keys(x.a.langs)) {
		ranker := x.q.Ranker(language)
		wanted := &vocabulary{asked: map[string]bool{}, begun: map[string]bool{}}
		ranker.Places(wanted) // it answers nothing, and notes what it is asked
		known := &vocabulary{known: map[string]retrieve.Frequency{}}
		err := x.s.read(ctx, func(row tables.Row) error {
			var term string
			var n retrieve.Frequency
			err := row.Scan(&term, &n.Passages, &n.Documents)
			known.known[term] = n
			return err
		}, `SELECT term, passages, documents FROM library_terms WHERE library = $1 AND language = $2 AND term = ANY($3)
			UNION SELECT t.term, t.passages, t.documents FROM unnest($4::text[]) AS b (beginning) JOIN library_terms t
				ON t.library = $1 AND t.language = $2 AND t.term >= b.beginning COLLATE "C" AND t.term < (b.beginning || chr(1114111)) COLLATE "C"`,
			x.v.id, language, wanted.list(wanted.asked), wanted.list(wanted.begun))
		if err != nil {
			return nil, err
		}
		known.sort()
		a := asked{language, make([][]string, len(ranker.Terms())), known.known}
		for term, i := range ranker.Places(known) {
			a.forms[i] = append(a.forms[i], term)
		}
		list = append(list, a)
	}
	return list, nil
}

// tokensOf are all words, as the index has them.
func tokensOf(words []asked) []string {
	var tokens []string
	for _, a := range words {
		for _, forms := range a.forms {
			for _, term := range forms {
				tokens = append(tokens, token(a.language, term))
			}
		}
	}
	slices.Sort(tokens)
	return tokens
}

// frequencies are how many passages and documents, of those searched, hold each
// term. The database knows it of one form of a word in the whole library; what
// holds one of several, or is chosen by a filter, the index counts.
func (x *search) frequencies(ctx context.Context, words []asked) (map[string][]retrieve.Frequency, error) {
	found := map[string][]retrieve.Frequency{}
	var count []weaviate.Where
	var into []*int
	for _, a := range words {
		list := make([]retrieve.Frequency, len(a.forms))
		found[a.language] = list
		for i, forms := range a.forms {
			if len(forms) == 0 {
				continue
			}
			if len(forms) == 1 && x.a.whole {
				list[i] = a.counts[forms[0]]
				continue
			}
			tokens := make([]string, len(forms))
			for k, form := range forms {
				tokens[k] = token(a.language, form)
			}
			for _, w := range x.wheres() {
				passages, documents := w, w
				passages.Terms, documents.Holding = tokens, tokens
				count = append(count, passages, documents)
				into = append(into, &list[i].Passages, &list[i].Documents)
			}
		}
	}
	counts, err := x.s.Index.Count(ctx, x.v.class, x.tenant(), count)
	if fault.Is(err, fault.NotFound) {
		return found, nil
	}
	for i, n := range counts {
		*into[i] += n
	}
	return found, err
}

// vocabulary implements [retrieve.Vocabulary]: it answers from what is known, or
// notes what is asked.
type vocabulary struct {
	known  map[string]retrieve.Frequency
	sorted []string

	asked, begun map[string]bool
}

func (v *vocabulary) sort() { v.sorted = slices.Sorted(maps.Keys(v.known)) }

// list is what can be asked of the database.
func (*vocabulary) list(set map[string]bool) []string {
	list := []string{}
	for term := range set {
		if searchable(term) {
			list = append(list, term)
		}
	}
	slices.Sort(list)
	return list
}

// Has implements [retrieve.Vocabulary].
func (v *vocabulary) Has(term string) bool {
	if v.asked != nil {
		v.asked[term] = true
		return false
	}
	_, ok := v.known[term]
	return ok
}

// Beginning implements [retrieve.Vocabulary].
func (v *vocabulary) Beginning(prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if v.begun != nil {
			v.begun[prefix] = true
			return
		}
		at, _ := slices.BinarySearch(v.sorted, prefix)
		for _, term := range v.sorted[at:] {
			if !strings.HasPrefix(term, prefix) || !yield(term) {
				return
			}
		}
	}
}
