package retrieve

import (
	"cmp"
	"slices"

	"inlay/internal/lexis"
)

// Affinity by words is the BM25 sum of a passage over that of an ideal one
// which holds every term of the query again and again: 0..1. Its term weights
// come from how common a word is in ordinary text, never from the other
// passages or files, so that it means the same whatever is attached (RET-5).
const (
	affinitySaturation  = 1.0  // k1
	affinityLengthShare = 0.3  // b, against passages of passageWords
	affinityPassages    = 1000 // of ordinary text that term weights are taken from
)

// intrinsicWeight is the weight of a term in affinity: its inverse document
// frequency in ordinary text. It is 0 for the words that only make a question.
func intrinsicWeight(lang lexis.Language, t queryTerm) float64 {
	if lang == lexis.English && asks(t.text) {
		return 0
	}
	return inverseFrequency(affinityPassages*t.common, affinityPassages)
}

// asks reports whether an English stem is a question's frame rather than its
// subject.
func asks(stem string) bool {
	switch stem {
	case "what", "which", "who", "whom", "whose", "when", "where", "why", "how",
		"do", "doe", "did", "is", "are", "was", "were", "be", "has", "have", "had", "can",
		"the", "a", "an", "of", "in", "on", "to", "for", "and", "or", "by", "with", "at", "from", "as",
		"it", "that", "this", "i", "me", "my", "you", "your", "tell", "give", "explain", "describ":
		return true
	}
	return false
}

// affinity returns the affinity of a passage of the given number of words in
// which the terms occur counts times.
func affinity(terms []queryTerm, counts []float32, words int) float64 {
	norm := affinitySaturation * (1 - affinityLengthShare + affinityLengthShare*float64(words)/passageWords)
	sum, ideal := 0.0, 0.0
	for i, t := range terms {
		x := float64(counts[i])
		sum += t.intrinsic * x / (x + norm)
		ideal += t.intrinsic
	}
	if ideal == 0 {
		return 0
	}
	return sum / ideal
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
