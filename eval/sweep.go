package eval

import (
	"slices"
	"sort"

	"inlay/eval/metrics"
)

// sums are what questions add to a point. Every score is a ratio of them, so
// that questions can be left out or counted twice.
type sums struct {
	answerable, unanswerable float64 // questions
	cited, right             float64 // passages
	tokens                   float64
	recall, mrr, ndcg        float64 // of answerable questions
	hit, silent              float64 // answerable questions
	false                    float64 // unanswerable questions
}

func (s *sums) add(o *sums, weight float64) {
	s.answerable += weight * o.answerable
	s.unanswerable += weight * o.unanswerable
	s.cited += weight * o.cited
	s.right += weight * o.right
	s.tokens += weight * o.tokens
	s.recall += weight * o.recall
	s.mrr += weight * o.mrr
	s.ndcg += weight * o.ndcg
	s.hit += weight * o.hit
	s.silent += weight * o.silent
	s.false += weight * o.false
}

// scores turns sums into scores.
func (s *sums) scores(c Cost) Scores {
	x := Scores{
		Precision: ratio(s.right, s.cited), Recall: ratio(s.recall, s.answerable), HitRate: ratio(s.hit, s.answerable),
		MRR: ratio(s.mrr, s.answerable), NDCG10: ratio(s.ndcg, s.answerable), Silent: ratio(s.silent, s.answerable),
		False: ratio(s.false, s.unanswerable),
	}
	all := s.answerable + s.unanswerable
	x.Passages, x.Tokens = ratio(s.cited, all), ratio(s.tokens, all)
	x.F1 = ratio(2*x.Precision*x.Recall, x.Precision+x.Recall)
	x.Cost = ratio(c.Miss*(s.answerable-s.hit)+c.False*s.false+c.Tokens*s.tokens/1000, all)
	return x
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// unit is one rank of a ranking as it is judged: an expected thing at the
// passage that first gave it, a document at its best passage, or a passage that
// nobody expected.
type unit struct {
	item int // place in asked.items; -1: not expected
	at   int // place in the passages
}

// units judges passages in their order. Where whole documents are expected, a
// document counts once, at its best passage. Where places are expected, each
// counts once; a passage that gives two of them is two ranks, one that gives
// only what was there before is none.
func (q *asked) units(passages []passage, byPassage bool) []unit {
	found := make([]bool, len(q.items))
	docs := map[int]bool{}
	var all []unit
	for at, p := range passages {
		if !byPassage && docs[p.Doc] {
			continue
		}
		docs[p.Doc] = true
		right := false
		for i := range q.items {
			if !q.items[i].matches(p) {
				continue
			}
			right = true
			if !found[i] {
				found[i] = true
				all = append(all, unit{i, at})
			}
		}
		if !right {
			all = append(all, unit{-1, at})
		}
	}
	return all
}

func (it *item) matches(p passage) bool {
	return slices.ContainsFunc(it.spans, func(s span) bool { return s.matches(p.Doc, p.Start, p.End) })
}

// right reports whether a passage is among what the question expects.
func (q *asked) right(p passage) bool {
	for i := range q.items {
		if q.items[i].matches(p) {
			return true
		}
	}
	return false
}

// judge is the ranking of passages as package metrics takes it.
func (q *asked) judge(passages []passage, byPassage bool) metrics.Ranking {
	var r metrics.Ranking
	for _, it := range q.items {
		r.Ideal = append(r.Ideal, it.grade)
	}
	for _, u := range q.units(passages, byPassage) {
		gain := 0.0
		if u.item >= 0 {
			gain = q.items[u.item].grade
		}
		r.Gains = append(r.Gains, gain)
	}
	return r
}

// step is what one question adds to the points of one limit from the threshold
// at place from up to the one before place to.
type step struct {
	from, to int
	sums
}

// steps are what a question adds at each threshold: it changes only where the
// affinity of one of its passages is passed.
func (q *asked) steps(best []passage, thresholds []float64, byPassage bool) []step {
	levels := make([]float64, 0, len(best)+1)
	for _, p := range best {
		levels = append(levels, p.Affinity)
	}
	slices.Sort(levels)
	levels = append(slices.Compact(levels), 2) // above every threshold
	var all []step
	from := 0
	for _, level := range levels {
		to := sort.SearchFloat64s(thresholds, level) // the first threshold that is not below
		if to > from {
			all = append(all, step{from, to, q.at(best, level, byPassage)})
		}
		from = to
	}
	return all
}

// at is what a question adds where passages of at least an affinity are cited.
func (q *asked) at(best []passage, affinity float64, byPassage bool) sums {
	kept := make([]passage, 0, len(best))
	var s sums
	for _, p := range best {
		if p.Affinity < affinity {
			continue
		}
		kept = append(kept, p)
		s.tokens += float64(p.Tokens)
		if q.right(p) {
			s.right++
		}
	}
	s.cited = float64(len(kept))
	if len(q.items) == 0 {
		s.unanswerable = 1
		s.false = min(1, s.cited)
		return s
	}
	s.answerable = 1
	r := q.judge(kept, byPassage)
	s.recall, s.mrr, s.ndcg, s.hit = r.Recall(0), r.ReciprocalRank(0), r.NDCG(10), r.Success(0)
	if len(kept) == 0 {
		s.silent = 1
	}
	return s
}

// best are the passages that a limit lets through: the first that do not repeat.
func best(passages []passage, limit int) []passage {
	kept := make([]passage, 0, limit)
	for _, p := range passages {
		if len(kept) == limit {
			break
		}
		if !p.Again {
			kept = append(kept, p)
		}
	}
	return kept
}

// grid holds the sums of a setting: by limit, threshold and fold.
type grid [][][]sums

// sweep sums all questions of a setting.
func (r *run) sweep(s *setting, folds []int, n int) grid {
	g := make(grid, len(r.o.Limits))
	for l := range g {
		g[l] = make([][]sums, len(r.o.Thresholds))
		for t := range g[l] {
			g[l][t] = make([]sums, n)
		}
	}
	for i := range r.questions {
		for l, limit := range r.o.Limits {
			for _, step := range r.steps(s, i, limit) {
				for t := step.from; t < step.to; t++ {
					g[l][t][folds[i]].add(&step.sums, 1)
				}
			}
		}
	}
	return g
}

// steps are those of a question under a setting.
func (r *run) steps(s *setting, question, limit int) []step {
	return r.questions[question].steps(best(s.results[question].Passages, limit), r.o.Thresholds, r.byPassage)
}

// all sums the folds but one; -1 leaves out none.
func (g grid) all(limit, threshold, without int) sums {
	var s sums
	for f := range g[limit][threshold] {
		if f != without {
			s.add(&g[limit][threshold][f], 1)
		}
	}
	return s
}
