package retrieve

import (
	"math"
	"slices"
	"strings"
	"sync"

	"inlay/embed"
)

func ideas() []idea {
	num := func(name string, f func(*setting, float64), values ...float64) idea {
		return idea{name, values, func(t *trial, v float64) { f(&t.set, v) }}
	}
	return []idea{
		num("k1", func(s *setting, v float64) { s.saturation = v }, 1.2, .7, .9, 1.6, 2),
		num("b", func(s *setting, v float64) { s.lengthShare = v }, .75, .2, .4, .6, .9),
		num("headings", func(s *setting, v float64) { s.headings = float32(v) }, 1, 0, .5, 2),
		num("document", func(s *setting, v float64) { s.document = v }, .3, 0, .15, .5, .8),
		num("pairs", func(s *setting, v float64) { s.pairs = v }, .6, 0, .3, .9, 1.2),
		num("pair distance", func(s *setting, v float64) { s.pairDistance = int(v) }, 2, 1, 3, 5),
		num("background", func(s *setting, v float64) { s.background = v }, 50, 0, 200, 1000),
		num("letters", func(s *setting, v float64) { s.letters = v }, .3, 0, .15, .5, .8),
		num("window of 20", func(s *setting, v float64) { s.window, s.windowWords = v, 20 }, 0, .05, .1, .2, .4),
		num("window of 40", func(s *setting, v float64) { s.window, s.windowWords = v, 40 }, 0, .05, .1, .2, .4),
		num("window of 80", func(s *setting, v float64) { s.window, s.windowWords = v, 80 }, 0, .05, .1, .2, .4),
		{"length prior", []float64{0, -.05, -.02, .02, .05}, rescoring(lengthPrior)},
		{"coverage (BM25+)", []float64{0, .05, .1, .2, .4}, rescoring(coverage)},
		{"numbers", []float64{0, .05, .1, .2}, rescoring(numbers)},
		{"near pairs, any order", []float64{0, .05, .1, .2, .4}, rescoring(nearPairs)},
		{"lead", []float64{0, .02, .05, .1}, rescoring(lead)},
		{"vector feedback", []float64{0, .1, .2, .4}, vectorFeedback},
		{"word feedback", []float64{0, .05, .1, .2, .4}, wordFeedback},
	}
}

// feature is a number of a hit for a query.
type feature func(s *trialSet, q *lexicalQuery, h hit, f *lexicalFile) float64

// rescoring adds a feature times the idea's value to the first hits.
func rescoring(x feature) func(*trial, float64) {
	return func(t *trial, v float64) {
		t.after = append(t.after, func(s *trialSet, _ *trialQuery, words lexicalHits, hits []hit) {
			for i := range hits[:min(rescored, len(hits))] {
				h := &hits[i]
				f := s.corpus.words[h.file]
				h.score += v * x(s, words.asked[f.terms.Lang], *h, f)
			}
		})
	}
}

func lengthPrior(_ *trialSet, _ *lexicalQuery, h hit, f *lexicalFile) float64 {
	return math.Log(float64(1+len(f.body[h.chunk])) / passageWords)
}

func (q *lexicalQuery) row(h hit) []float32 {
	if q.counts[h.file].terms == nil {
		return make([]float32, len(q.terms))
	}
	n := len(q.terms)
	return q.counts[h.file].terms[h.chunk*n : (h.chunk+1)*n]
}

func (q *lexicalQuery) ideal() float64 {
	sum := 1e-9
	for _, t := range q.terms {
		sum += t.weight
	}
	return sum
}

func coverage(_ *trialSet, q *lexicalQuery, h hit, _ *lexicalFile) float64 {
	sum := 0.0
	for i, x := range q.row(h) {
		if x > 0 {
			sum += q.terms[i].weight
		}
	}
	return sum / q.ideal()
}

func numbers(_ *trialSet, q *lexicalQuery, h hit, _ *lexicalFile) float64 {
	n, got := 0.0, 0.0
	for i, x := range q.row(h) {
		if number(q.terms[i].text) {
			if n++; x > 0 {
				got++
			}
		}
	}
	return got / max(n, 1)
}

func nearPairs(_ *trialSet, q *lexicalQuery, h hit, f *lexicalFile) float64 {
	column := q.column[h.file]
	if column == nil {
		return 0
	}
	best := map[[2]int16]float64{}
	last := map[int16]int{}
	for at, id := range f.body[h.chunk] {
		c := column[id]
		if c == 0 {
			continue
		}
		for o, when := range last {
			if o != c && at-when <= 8 {
				k := [2]int16{min(o, c), max(o, c)}
				best[k] = max(best[k], 1/float64(at-when))
			}
		}
		last[c] = at
	}
	sum := 0.0
	for k, v := range best {
		sum += v * min(q.terms[k[0]-1].weight, q.terms[k[1]-1].weight)
	}
	return sum / q.ideal()
}

func lead(_ *trialSet, q *lexicalQuery, h hit, f *lexicalFile) float64 {
	column := q.column[h.file]
	if column == nil {
		return 0
	}
	for at, id := range f.body[h.chunk] {
		if column[id] > 0 {
			return 1 - float64(at)/float64(len(f.body[h.chunk]))
		}
	}
	return 0
}

// vectorFeedback adds the cosine to the mean of the first three hits' vectors.
func vectorFeedback(t *trial, v float64) {
	t.after = append(t.after, func(s *trialSet, _ *trialQuery, _ lexicalHits, hits []hit) {
		var sum embed.Vector
		for _, h := range hits[:min(3, len(hits))] {
			x := s.corpus.files[h.file].vectors[h.chunk]
			if sum == nil {
				sum = make(embed.Vector, len(x))
			}
			for i := range x {
				sum[i] += x[i]
			}
		}
		if sum == nil {
			return
		}
		unit(sum)
		for i := range hits {
			h := &hits[i]
			h.score += v * dot(sum, s.corpus.files[h.file].vectors[h.chunk])
		}
	})
}

// wordFeedback adds the words that the first five hits share: the twenty of
// the greatest tf.idf, as further terms of the query (Rocchio).
func wordFeedback(t *trial, v float64) {
	t.after = append(t.after, func(s *trialSet, _ *trialQuery, _ lexicalHits, hits []hit) {
		s.frequencies()
		weight := map[string]float64{}
		for _, h := range hits[:min(5, len(hits))] {
			f := s.corpus.words[h.file]
			seen := map[uint32]float64{}
			for _, id := range f.body[h.chunk] {
				seen[id]++
			}
			for id, n := range seen {
				text := f.terms.Terms[id]
				weight[text] += n / (n + 1.2) * inverseFrequency(float64(s.df[text]), float64(s.corpus.total)) / 5
			}
		}
		terms := make([]string, 0, len(weight))
		for x := range weight {
			terms = append(terms, x)
		}
		slices.SortFunc(terms, func(a, b string) int {
			if weight[a] != weight[b] {
				if weight[a] > weight[b] {
					return -1
				}
				return 1
			}
			return strings.Compare(a, b)
		})
		terms = terms[:min(20, len(terms))]
		ideal := 1e-9
		for _, x := range terms {
			ideal += weight[x]
		}
		for i := range hits {
			h := &hits[i]
			f := s.corpus.words[h.file]
			wanted := map[uint32]float64{}
			for _, x := range terms {
				if id, ok := f.terms.Find(x); ok {
					wanted[id] = weight[x]
				}
			}
			counts := map[uint32]float64{}
			for _, id := range f.body[h.chunk] {
				if _, ok := wanted[id]; ok {
					counts[id]++
				}
			}
			sum := 0.0
			for id, n := range counts {
				sum += wanted[id] * n / (n + 1.2)
			}
			h.score += v * sum / ideal
		}
	})
}

var dfOnce sync.Mutex

func (s *trialSet) frequencies() {
	dfOnce.Lock()
	defer dfOnce.Unlock()
	if s.df != nil {
		return
	}
	s.df = map[string]int{}
	for _, f := range s.corpus.words {
		for _, body := range f.body {
			seen := map[uint32]bool{}
			for _, id := range body {
				if !seen[id] {
					seen[id] = true
					s.df[f.terms.Terms[id]]++
				}
			}
		}
	}
}
