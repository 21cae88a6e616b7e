package retrieve

import (
	"slices"

	"inlay/internal/lexis"
)

// queryPhrase is a phrase of a query that documents also write otherwise: what
// a passage is to have, each in any of its forms.
type queryPhrase struct {
	terms       []int // of the query's own terms
	first, last int   // units
	wanted      [][]form
}

// form is one way to write what is wanted.
type form struct {
	terms, pairs []int
}

// requestOf returns the terms of a query that say how it is to be answered
// rather than what about: words of requests that are not part of a phrase, if
// enough else is asked.
func requestOf(an *lexis.Analyzer, units []lexis.Unit, phrases []lexis.Phrase, set *setting) map[string]bool {
	aside, content, inPhrase := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range phrases {
		for _, u := range units[p.First : p.Last+1] {
			inPhrase[u.Text] = true
		}
	}
	told := false
	for _, u := range units {
		says, tells := an.Requests(u.Text)
		told = told || tells
		switch {
		case says && !inPhrase[u.Text]:
			aside[u.Text] = true
		case !asks(u.Text):
			content[u.Text] = true
		}
	}
	if !told || len(content) < set.requestFrom {
		return nil
	}
	return aside
}

// add adds the forms of the phrases that the query has.
func (q *lexicalQuery) add(lex *lexis.Lexicon, lang lexis.Language, units []lexis.Unit, phrases []lexis.Phrase) {
	place := make(map[string]int, len(q.terms))
	for i, t := range q.terms {
		place[t.text] = i
	}
	pairs := map[termPair]int{}
	for i, p := range q.pairs {
		pairs[p] = i
	}
	for _, p := range phrases {
		added := queryPhrase{first: p.First, last: p.Last}
		for _, u := range units[p.First : p.Last+1] {
			if i, ok := place[u.Text]; ok && i < q.own && !slices.Contains(added.terms, i) {
				added.terms = append(added.terms, i)
			}
		}
		for _, forms := range p.Wanted {
			var wanted []form
			for _, texts := range forms {
				wanted = append(wanted, q.form(lex, lang, texts, place, pairs))
			}
			added.wanted = append(added.wanted, wanted)
		}
		q.phrases = append(q.phrases, added)
	}
}

// form adds the terms and pairs of a form to those that are counted.
func (q *lexicalQuery) form(lex *lexis.Lexicon, lang lexis.Language, texts []string, place map[string]int, pairs map[termPair]int) form {
	var f form
	for _, text := range texts {
		i, ok := place[text]
		if !ok {
			t := newTerm(lex, lang, text, 1)
			if t.intrinsic == 0 {
				continue
			}
			i = len(q.terms)
			place[text] = i
			q.terms = append(q.terms, t)
		}
		if n := len(f.terms); n > 0 {
			pair := termPair{f.terms[n-1], i}
			k, ok := pairs[pair]
			if !ok {
				k = len(q.pairs)
				pairs[pair] = k
				q.pairs = append(q.pairs, pair)
			}
			f.pairs = append(f.pairs, k)
		}
		f.terms = append(f.terms, i)
	}
	return f
}

// share is how far a passage has what a phrase wants, 0..1: of each thing the
// form that it has most of.
func (q *lexicalQuery) share(p queryPhrase, row []float64, pairs []float32, norm float64, weight func(queryTerm) float64) float64 {
	sum := 0.0
	for _, forms := range p.wanted {
		most := 0.0
		for _, f := range forms {
			most = max(most, q.formShare(f, row, pairs, norm, weight))
		}
		sum += most
	}
	return sum / float64(len(p.wanted))
}

func (q *lexicalQuery) formShare(f form, row []float64, pairs []float32, norm float64, weight func(queryTerm) float64) float64 {
	found, ideal := 0.0, 0.0
	for _, i := range f.terms {
		w := weight(q.terms[i])
		found += w * row[i] / (row[i] + norm)
		ideal += w
	}
	if ideal == 0 {
		return 0
	}
	share := found / ideal
	if len(f.pairs) == 0 {
		return share
	}
	together := 0.0
	for _, i := range f.pairs {
		y := float64(pairs[i])
		together += y / (y + norm)
	}
	return float64(q.set.together*together/float64(len(f.pairs))) + float64((1-q.set.together)*share)
}

func inRanking(t queryTerm) float64 { return t.weight / max(t.asked, 1e-9) }

func ofItself(t queryTerm) float64 { return t.intrinsic }
