package eval

import (
	"context"
	"math/rand/v2"
	"slices"
)

// choice is a point by places.
type choice struct{ setting, limit, threshold int }

// choose is the best point of all grids by an aim, on all folds but one.
func (r *run) choose(grids []grid, a Aim, without int) choice {
	var c choice
	var top Scores
	row := make([]Scores, len(r.o.Thresholds))
	for s := range grids {
		for l := range grids[s] {
			for t := range row {
				sum := grids[s].all(l, t, without)
				row[t] = sum.scores(r.o.Cost)
			}
			t := a.pick(smooth(row, r.o.Thresholds))
			if s == 0 && l == 0 || a.compare(row[t], top) > 0 {
				c, top = choice{s, l, t}, row[t]
			}
		}
	}
	return c
}

// bestOfEach is the best threshold of each setting and limit.
func (r *run) bestOfEach(grids []grid) []Point {
	var all []Point
	row := make([]Scores, len(r.o.Thresholds))
	for s := range grids {
		for l := range grids[s] {
			for t := range row {
				sum := grids[s].all(l, t, -1)
				row[t] = sum.scores(r.o.Cost)
			}
			all = append(all, r.point(grids, s, l, r.o.Aim.pick(smooth(row, r.o.Thresholds))))
		}
	}
	return all
}

// recommend chooses a point by an aim and says how far to trust it.
func (r *run) recommend(ctx context.Context, grids []grid, a Aim, folds int) (Recommendation, choice, error) {
	c := r.choose(grids, a, -1)
	s := &r.settings[c.setting]
	sum := grids[c.setting].all(c.limit, c.threshold, -1)
	scores := sum.scores(r.o.Cost)
	rec := Recommendation{
		Aim: a.String(), Reached: a.reached(scores), Embedder: s.embedder.Spec().Model, Reranker: s.rerankerName(), Chunk: chunkName(s.splitter),
		Point: r.point(grids, c.setting, c.limit, c.threshold), Score: a.score(scores),
	}
	if folds > 1 {
		var held sums
		for f := range folds {
			c := r.choose(grids, a, f)
			held.add(&grids[c.setting][c.limit][c.threshold][f], 1)
		}
		rec.Folds, rec.HeldOut = folds, held.scores(r.o.Cost)
		rec.HeldOutScore = a.score(rec.HeldOut)
	}
	thresholds, values, err := r.bootstrap(ctx, c, a)
	if err != nil {
		return rec, c, err
	}
	rec.ThresholdRange, rec.ScoreRange = middle(thresholds), middle(values)
	return rec, c, nil
}

func (r *run) point(grids []grid, setting, limit, threshold int) Point {
	sum := grids[setting].all(limit, threshold, -1)
	return Point{Setting: setting, Limit: r.o.Limits[limit], Threshold: r.o.Thresholds[threshold], Scores: sum.scores(r.o.Cost)}
}

// bootstrap draws the questions again and again, with replacement, and returns
// for each draw the threshold that the aim chooses at the same setting and
// limit, and the aim's score at the chosen point (Efron 1979).
func (r *run) bootstrap(ctx context.Context, c choice, a Aim) (thresholds, scores []float64, err error) {
	steps := make([][]step, len(r.questions))
	for i := range steps {
		steps[i] = r.steps(&r.settings[c.setting], i, r.o.Limits[c.limit])
	}
	n := len(r.o.Thresholds)
	random := rand.New(rand.NewPCG(r.o.Seed, 0x626f6f74))
	changes, row := make([]sums, n+1), make([]Scores, n)
	for range r.o.Resamples {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		clear(changes)
		for range steps {
			for _, s := range steps[random.IntN(len(steps))] {
				changes[s.from].add(&s.sums, 1)
				changes[s.to].add(&s.sums, -1)
			}
		}
		var sum sums
		for t := range row {
			sum.add(&changes[t], 1)
			row[t] = sum.scores(r.o.Cost)
		}
		thresholds = append(thresholds, r.o.Thresholds[a.pick(smooth(row, r.o.Thresholds))])
		scores = append(scores, a.score(row[c.threshold]))
	}
	return thresholds, scores, nil
}

// middle is the range of the middle 95 % of values.
func middle(values []float64) [2]float64 {
	slices.Sort(values)
	n := len(values)
	return [2]float64{values[n*25/1000], values[min(n-1, n*975/1000)]}
}

// folds parts the questions for cross-validation, answerable and unanswerable
// ones alike: the fold of each, and how many there are. Every fold has at least
// two answerable questions; where there are too few of them, there is one fold.
func (r *run) folds() (of []int, n int) {
	of = make([]int, len(r.questions))
	if n = min(r.o.Folds, r.answerable/2); n < 2 {
		return of, 1
	}
	random := rand.New(rand.NewPCG(r.o.Seed, 0x666f6c64))
	order := random.Perm(len(of))
	next := [2]int{}
	for _, i := range order {
		kind := 0
		if len(r.questions[i].items) == 0 {
			kind = 1
		}
		of[i] = next[kind] % n
		next[kind]++
	}
	return of, n
}
