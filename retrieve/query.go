package retrieve

import (
	"cmp"
	"slices"

	"inlay/internal/lexis"
)

const (
	passageWords = 200 // words of a passage of ordinary text
	queryTerms   = 512 // distinct terms of a query that are searched for, the rarest
)

// queryTerm is one distinct term of a query.
type queryTerm struct {
	text      string
	asked     float64 // what its occurrences in the query count for: 1 for a single one
	chunks    float64 // that hold it
	files     float64 // that hold it
	common    float64 // probability of it in a passage of ordinary text
	weight    float64 // in ranking: inverse document frequency among the passages
	inFiles   float64 // in ranking: the same among whole files
	intrinsic float64 // from the background alone
}

// lexicalQuery is a query analysed as a text of one language, and the counts
// of its terms in the files of that language.
type lexicalQuery struct {
	set     *setting
	terms   []queryTerm // its own, then those of forms
	own     int
	pairs   []termPair // its own, then those of forms
	follows [][]int16  // by term: the pairs that it is the first of
	ownPair int
	units   []queryUnit // for affinity
	phrases []queryPhrase
	counts  []termCounts // by file
	column  [][]int16    // by file: see columns

	places []int16 // of window, used again
	have   []int   // of together, used again
}

// termPair is two terms that a query or a form has side by side.
type termPair struct{ first, second int }

// newLexicalQuery analyses a query by an analyzer of the files' language.
func newLexicalQuery(lex *lexis.Lexicon, an *lexis.Analyzer, query string, files int, set *setting) *lexicalQuery {
	lang := an.Lang
	units := an.Units(query)
	phrases := an.Phrases(units)
	aside := requestOf(an, units, phrases, set)
	q := &lexicalQuery{set: set, counts: make([]termCounts, files), column: make([][]int16, files)}
	order, times := occurrences(units)
	for _, id := range order {
		n, text := times[id], an.Terms[id]
		if number(text) {
			n = 1
		}
		asked := n * (set.repetition + 1) / (n + set.repetition)
		if aside[text] {
			asked = set.request
		}
		if t := newTerm(lex, lang, text, asked); t.intrinsic > 0 {
			q.terms = append(q.terms, t)
		}
	}
	q.terms = rarest(q.terms, queryTerms)
	q.own = len(q.terms)
	for i := 1; i < q.own; i++ {
		q.pairs = append(q.pairs, termPair{i - 1, i})
	}
	q.ownPair = len(q.pairs)
	q.add(lex, lang, units, phrases)
	q.follows = make([][]int16, len(q.terms))
	for i, p := range q.pairs {
		q.follows[p.first] = append(q.follows[p.first], int16(i))
	}
	q.units = q.findUnits(an, units, aside)
	return q
}

func newTerm(lex *lexis.Lexicon, lang lexis.Language, text string, asked float64) queryTerm {
	t := queryTerm{text: text, asked: asked, common: lex.Common(lang, text, passageWords)}
	t.intrinsic = intrinsicWeight(lang, text, t.common)
	return t
}

// occurrences returns the distinct terms of the units, and how often each is asked.
func occurrences(units []lexis.Unit) (order []uint32, times map[uint32]float64) {
	times = map[uint32]float64{}
	for i, u := range units {
		for _, id := range u.Terms {
			if i > 0 && slices.Contains(units[i-1].Terms, id) {
				continue // evidence of both, written once
			}
			if times[id]++; times[id] == 1 {
				order = append(order, id)
			}
		}
	}
	return order, times
}

// rarest returns the n terms of the greatest intrinsic weight, in their order.
func rarest(terms []queryTerm, n int) []queryTerm {
	if len(terms) <= n {
		return terms
	}
	byWeight := slices.Clone(terms)
	slices.SortStableFunc(byWeight, func(a, b queryTerm) int { return cmp.Compare(b.intrinsic, a.intrinsic) })
	limit := byWeight[n-1].intrinsic
	kept := make([]queryTerm, 0, n)
	equal := n
	for _, t := range byWeight[:n] {
		if t.intrinsic > limit {
			equal--
		}
	}
	for _, t := range terms {
		switch {
		case t.intrinsic > limit:
			kept = append(kept, t)
		case t.intrinsic == limit && equal > 0:
			kept = append(kept, t)
			equal--
		}
	}
	return kept
}
