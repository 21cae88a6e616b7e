package retrieve

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"os"
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
	near   []neighbour
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
		t.near, err = s.corpus.neighbours(b.Context(), t.vector)
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
		hits, words, err := s.corpus.gather(context.Background(), q.Text, q.vector, q.near, &t.set)
		if err != nil {
			panic(err)
		}
		s.corpus.rescore(hits, words, &t.set)
		promote(hits, t.set.promoted)
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
