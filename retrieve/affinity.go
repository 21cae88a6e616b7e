package retrieve

import (
	"math"
	"slices"

	"inlay/internal/lexis"
)

// Affinity by words is the share of a query that a passage answers to: each
// unit of the query, a word or a character of a script without spaces, counts
// by how rare it is in ordinary text of its language or script, as far as BM25's
// saturation of its occurrences goes: 0..1. Weights never come from the other
// passages or files, so that it means the same whatever is attached (RET-5).
const (
	affinitySaturation  = 1.0  // k1
	affinityLengthShare = 0.3  // b, against passages of passageWords
	affinityPassages    = 1000 // of ordinary text that weights are taken from

	// What a unit that is found counts for, so that one threshold means the same:
	// English has by far the fullest table of common words, which makes what is
	// found by chance weigh more, and the stemmers of other languages miss forms.
	// Measured on none-set and languages, see docs/retrieval.md.
	englishFound = .92
	foreignFound = 1.1

	// A file of subjectChunks or more is about a term as a whole if one in
	// subjectShare of them holds it: the company of a report. A passage need not
	// repeat it.
	subjectChunks = 20
	subjectShare  = 8
)

// queryUnit is a unit of a query: its weight and the places in the query's
// terms of what is evidence of it.
type queryUnit struct {
	weight float64
	found  float64 // what it counts for where it is found, about 1
	terms  []int   // any one of these
	phrase int     // that it is part of, -1 for none
}

// intrinsicWeight is the inverse document frequency in ordinary text of what
// has the probability common in a passage of it. It is 0 for the words that only
// make a question.
func intrinsicWeight(lang lexis.Language, text string, common float64) float64 {
	if (lang == lexis.English || lang == "hi") && asks(text) {
		return 0
	}
	return inverseFrequency(affinityPassages*common, affinityPassages)
}

// findUnits returns the distinct units of the query with any weight.
func (q *lexicalQuery) findUnits(an *lexis.Analyzer, found []lexis.Unit, aside map[string]bool) []queryUnit {
	place := make(map[string]int, len(q.terms))
	for i, t := range q.terms {
		place[t.text] = i
	}
	places := func(ids []uint32) []int {
		var found []int
		for _, id := range ids {
			if i, ok := place[an.Terms[id]]; ok {
				found = append(found, i)
			}
		}
		return found
	}
	var units []queryUnit
	seen := map[string]bool{}
	phrase := make([]int, len(found))
	for i := range phrase {
		phrase[i] = slices.IndexFunc(q.phrases, func(p queryPhrase) bool { return p.first <= i && i <= p.last })
	}
	for i, u := range found {
		if aside[u.Text] {
			continue
		}
		weight := intrinsicWeight(an.Lang, u.Text, 1-math.Exp(-passageWords*u.Share))
		if seen[u.Text] && !lexis.Unspaced(u.Text) {
			continue
		}
		seen[u.Text] = true
		units = append(units, queryUnit{weight, calibrated(an.Lang, u.Text), places(u.Terms), phrase[i]})
	}
	return units
}

// affinity returns the affinity of a chunk of a file.
func (q *lexicalQuery) affinity(file int, f *lexicalFile, chunk int) float64 {
	if q.counts[file].terms == nil {
		return 0
	}
	row := q.context(make([]float64, len(q.terms)), q.counts[file], len(f.body), chunk, q.set.around)
	norm := affinitySaturation * (1 - affinityLengthShare + affinityLengthShare*float64(len(f.body[chunk]))/passageWords)
	sum, ideal := 0.0, 0.0
	for _, u := range q.units {
		most := 0.0
		for _, i := range u.terms {
			x := row[i]
			most = max(most, x/(x+norm))
			if q.counts[file].holding[i] {
				most = max(most, q.set.subject)
			}
		}
		if u.phrase >= 0 && q.set.evidence > 0 {
			most = max(most, q.set.evidence*q.share(q.phrases[u.phrase], row, q.pairsOf(file, chunk), norm, ofItself))
		}
		sum += u.weight * u.found * most
		ideal += u.weight
	}
	if ideal == 0 {
		return 0
	}
	return min(1, sum/ideal)
}

func calibrated(lang lexis.Language, text string) float64 {
	switch {
	case lexis.Unspaced(text):
		return 1
	case lang == lexis.English:
		return englishFound
	}
	return foreignFound
}

// context fills row with the counts of a chunk and, for the given weight, of its
// neighbours.
func (q *lexicalQuery) context(row []float64, counts termCounts, chunks, chunk int, weight float64) []float64 {
	n := len(q.terms)
	all := counts.terms
	for i, x := range all[chunk*n : (chunk+1)*n] {
		row[i] = float64(x)
	}
	if weight == 0 {
		return row
	}
	for _, k := range beside(chunk, chunks) {
		if k < 0 {
			continue
		}
		for i, x := range all[k*n : (k+1)*n] {
			row[i] += weight * float64(x)
		}
	}
	return row
}

// asks reports whether an English stem is a question's frame rather than its
// subject.
func asks(stem string) bool {
	switch stem {
	case "what", "which", "who", "whom", "whose", "when", "where", "why", "how",
		"do", "doe", "did", "is", "are", "was", "were", "be", "has", "have", "had", "can",
		"the", "a", "an", "of", "in", "on", "to", "for", "and", "or", "by", "with", "at", "from", "as",
		"it", "that", "this", "i", "me", "my", "you", "your", "tell", "give", "explain", "describ", "क्य":
		return true
	}
	return false
}
