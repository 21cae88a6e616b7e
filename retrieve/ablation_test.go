package retrieve

import (
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
)

// trial is a setting and what else is done to a ranking: ideas that are not in
// the product live here, so that their figures can be made again.
type trial struct {
	set   setting
	after []func(*trialSet, *trialQuery, lexicalHits, []hit)
}

// idea is one change to search and the values tried of it; the first is that
// of the setting all start from.
type idea struct {
	name   string
	values []float64
	apply  func(*trial, float64)
}

type trialSet struct {
	*qualitySet
	corpus  *Corpus
	queries []*trialQuery
	df      map[string]int
}

type trialQuery struct {
	qualityQuery
	half   int
	vector embed.Vector
	near   []Match
}

func loadTrialSet(b *testing.B, name string) *trialSet {
	b.Helper()
	s := &trialSet{qualitySet: loadQuality(b, name)}
	r := qualityRetriever(b, s.cuts)
	var err error
	s.corpus, err = r.Prepare(b.Context(), Request{Documents: s.docs})
	require.NoError(b, err)
	for _, q := range s.qualitySet.queries {
		if s.qrels[q.ID] == nil || len(s.queries) >= queryLimit() {
			continue
		}
		h := fnv.New32a()
		h.Write([]byte(q.ID))
		t := &trialQuery{qualityQuery: q, half: int(h.Sum32()>>4) & 1}
		t.vector, err = r.embedQuery(b.Context(), q.Text)
		require.NoError(b, err)
		s.queries = append(s.queries, t)
	}
	s.each(func(_ int, t *trialQuery) {
		t.near, err = s.corpus.index.Search(b.Context(), Query{Vector: t.vector, Limit: candidates, Files: s.corpus.ids})
		if err != nil {
			panic(err)
		}
	})
	return s
}

// each calls f for every query, two at a time.
func (s *trialSet) each(f func(int, *trialQuery)) {
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for i := w; i < len(s.queries); i += 2 {
				f(i, s.queries[i])
			}
		})
	}
	wg.Wait()
}

// run returns the figure of every query: nDCG@10, of codebase-qa the mean of
// recall at 5, 10 and 20, of chunking-eval the recall of characters by the best five.
func (s *trialSet) run(t *trial) []float64 {
	figures := make([]float64, len(s.queries))
	s.each(func(i int, q *trialQuery) {
		hits, words := s.corpus.gather(q.Text, q.vector, q.near, &t.set)
		s.corpus.rescore(hits, words, &t.set)
		for _, f := range t.after {
			f(s, q, words, hits)
			sortHits(hits)
		}
		figures[i] = s.figure(q, hits)
	})
	return figures
}

func (s *trialSet) figure(q *trialQuery, hits []hit) float64 {
	ranked := make([]Ranked, min(100, len(hits)))
	for i := range ranked {
		ranked[i].Chunk = s.corpus.chunk(hits[i])
	}
	if s.name == "chunking-eval" {
		found, wanted, _ := excerpts(q.qualityQuery, ranked[:min(5, len(ranked))])
		return found / wanted
	}
	r := judged(distinctIDs(ranked, s.chunkID), s.qrels[q.ID])
	if s.name == "codebase-qa" {
		return (r.Recall(5) + r.Recall(10) + r.Recall(20)) / 3
	}
	return r.NDCG(10)
}

func ablationSets() []string {
	if s := os.Getenv("INLAY_SETS"); s != "" {
		return strings.Split(s, ",")
	}
	return []string{"scifact", "xquad-en", "squad2-dev", "clapnq-dev", "covidqa-98", "codebase-qa", "chunking-eval"}
}

// BenchmarkAblation tunes every idea on one half of the questions and scores
// it on the other, both ways round, and prints a table. Environment: INLAY_QUERIES
// is a limit of questions a set, INLAY_SETS and INLAY_IDEA choose among sets and
// ideas, INLAY_ALL prints every value tried.
func BenchmarkAblation(b *testing.B) {
	var sets []*trialSet
	for _, name := range ablationSets() {
		sets = append(sets, loadTrialSet(b, name))
	}
	for b.Loop() {
		base := runAll(sets, &trial{set: formerSetting()})
		fmt.Printf("| %-28s | %-13s |", "idea", "values")
		for _, s := range sets {
			fmt.Printf(" %s |", s.name)
		}
		fmt.Printf(" mean | in sample |\n|")
		fmt.Printf("\n| %-28s | %-13s |", "as it is", "")
		for i := range sets {
			fmt.Printf(" %.4f |", mean(base[i]))
		}
		fmt.Println()
		only := os.Getenv("INLAY_IDEA")
		for _, d := range ideas() {
			if only != "" && !strings.Contains(d.name, only) {
				continue
			}
			runs := make([][][]float64, len(d.values))
			runs[0] = base
			for i, v := range d.values {
				if i == 0 {
					continue
				}
				t := &trial{set: formerSetting()}
				d.apply(t, v)
				runs[i] = runAll(sets, t)
				if os.Getenv("INLAY_ALL") != "" {
					fmt.Printf("    %s %g:", d.name, v)
					for k := range sets {
						fmt.Printf(" %+.4f", mean(runs[i][k])-mean(base[k]))
					}
					fmt.Println()
				}
			}
			report(sets, d, runs)
		}
	}
}

// BenchmarkTogether climbs from the setting that was there before by one idea
// after the other, on each half by itself, and scores the end on the other half.
func BenchmarkTogether(b *testing.B) {
	var sets []*trialSet
	for _, name := range ablationSets() {
		sets = append(sets, loadTrialSet(b, name))
	}
	known := map[string][][]float64{}
	run := func(s setting) [][]float64 {
		key := fmt.Sprint(s)
		if known[key] == nil {
			known[key] = runAll(sets, &trial{set: s})
		}
		return known[key]
	}
	for b.Loop() {
		base := run(formerSetting())
		var ends [2][][]float64
		for half := range 2 {
			s := climb(sets, run, half)
			fmt.Printf("tuned on half %d: %+v\n", half, s)
			ends[half] = run(s)
		}
		for k, s := range sets {
			sum := 0.0
			for i, q := range s.queries {
				sum += ends[1-q.half][k][i]
			}
			fmt.Printf("%-14s before %.4f held out %.4f default %.4f\n", s.name, mean(base[k]), sum/float64(len(s.queries)), mean(run(defaultSetting())[k]))
		}
	}
}

// formerSetting is what search had before ideas were tuned on halves: what
// both benchmarks start from.
func formerSetting() setting {
	s := defaultSetting()
	s.saturation, s.lengthShare, s.headings, s.document = 1.2, .75, 1, .3
	s.pairs, s.pairDistance, s.letters, s.window = .6, 2, .3, 0
	return s
}

func climb(sets []*trialSet, run func(setting) [][]float64, half int) setting {
	s := formerSetting()
	best := halfMean(sets, run(s), half)
	for _, d := range dimensions() {
		for _, v := range d.values {
			t := trial{set: s}
			d.apply(&t, v)
			if m := halfMean(sets, run(t.set), half); m > best+1e-6 {
				best, s = m, t.set
			}
		}
	}
	return s
}

func dimensions() []idea {
	num := func(name string, f func(*setting, float64), values ...float64) idea {
		return idea{name, values, func(t *trial, v float64) { f(&t.set, v) }}
	}
	return []idea{
		num("window", func(s *setting, v float64) { s.window, s.windowWords = v, 30 }, .1, .2, .3),
		num("k1", func(s *setting, v float64) { s.saturation = v }, .7, .9),
		num("pairs", func(s *setting, v float64) { s.pairs = v }, .3, .9, 1.2),
		num("window words", func(s *setting, v float64) { s.windowWords = int(v) }, 20, 40, 60),
		num("letters", func(s *setting, v float64) { s.letters = v }, .15, .45),
		num("document", func(s *setting, v float64) { s.document = v }, .15, .5),
		num("b", func(s *setting, v float64) { s.lengthShare = v }, .6, .9),
		num("window", func(s *setting, v float64) { s.window = v }, .1, .2, .3, .4),
	}
}

func runAll(sets []*trialSet, t *trial) [][]float64 {
	out := make([][]float64, len(sets))
	for i, s := range sets {
		out[i] = s.run(t)
	}
	return out
}

func report(sets []*trialSet, d idea, runs [][][]float64) {
	var chosen [2]int // by half that it was tuned on
	var gain [2]float64
	for half := range 2 {
		best := math.Inf(-1)
		for i := range runs {
			if m := halfMean(sets, runs[i], half); m > best {
				best, chosen[half] = m, i
			}
		}
		gain[half] = best - halfMean(sets, runs[0], half)
	}
	fmt.Printf("| %-28s | %-13s |", d.name, fmt.Sprintf("%g, %g", d.values[chosen[0]], d.values[chosen[1]]))
	total := 0.0
	for k, s := range sets {
		sum := 0.0
		for i, q := range s.queries {
			sum += runs[chosen[1-q.half]][k][i] - runs[0][k][i]
		}
		sum /= float64(len(s.queries))
		total += sum
		fmt.Printf(" %+.4f |", sum)
	}
	fmt.Printf(" %+.4f | %+.4f |\n", total/float64(len(sets)), (gain[0]+gain[1])/2)
}

func halfMean(sets []*trialSet, run [][]float64, half int) float64 {
	total := 0.0
	for k, s := range sets {
		sum, n := 0.0, 0.0
		for i, q := range s.queries {
			if q.half == half {
				sum, n = sum+run[k][i], n+1
			}
		}
		total += sum / max(n, 1)
	}
	return total / float64(len(sets))
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

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
