package eval

import (
	"context"
	"time"

	"inlay/eval/metrics"
	"inlay/internal/plural"
)

// bins of the affinity histograms.
const bins = 50

// report judges what was found.
func (r *run) report(ctx context.Context) (*Report, error) {
	folds, n := r.folds()
	grids := make([]grid, len(r.settings))
	rep := &Report{Schema: Schema, Set: r.summary(), Cost: r.o.Cost, Failures: []Failure{}, Others: []Recommendation{}}
	for i := range r.settings {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		grids[i] = r.sweep(&r.settings[i], folds, n)
		rep.Settings = append(rep.Settings, r.setting(&r.settings[i]))
		for l := range r.o.Limits {
			for t := range r.o.Thresholds {
				rep.Points = append(rep.Points, r.point(grids, i, l, t))
			}
		}
	}
	rec, at, err := r.recommend(ctx, grids, r.o.Aim, n)
	if err != nil {
		return nil, err
	}
	rep.Recommended, rep.Best = rec, r.bestOfEach(grids)
	for _, kind := range []AimKind{AimF1, AimCost} {
		if kind == r.o.Aim.Kind {
			continue
		}
		other, _, err := r.recommend(ctx, grids, Aim{Kind: kind}, n)
		if err != nil {
			return nil, err
		}
		rep.Others = append(rep.Others, other)
	}
	r.details(rep, at)
	r.best = at
	rep.Run, rep.Qrels = r.lines()
	rep.Warnings = r.warnings(rep)
	rep.ParseMillis, rep.ElapsedMillis = millis(r.parseTime), millis(time.Since(r.began))
	rep.ParsedNow, rep.EmbeddedNow, rep.RankedNow = r.lib.parsed, r.embedded, int(r.ranked.Load())
	return rep, nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (r *run) summary() Summary {
	s := Summary{
		Name: r.o.Set.Name, Layout: r.o.Set.Layout, Documents: len(r.lib.docs), Questions: len(r.questions),
		Answerable: r.answerable, Unanswerable: len(r.questions) - r.answerable, Unjudged: r.o.Set.Unjudged, ByPassage: r.byPassage,
	}
	for _, err := range r.lib.errs {
		if err != nil {
			s.Unreadable++
		}
	}
	return s
}

// warnings says what makes the figures less than they seem.
func (r *run) warnings(rep *Report) []string {
	var all []string
	if rep.Set.Unanswerable == 0 {
		all = append(all, "There is no question that the documents cannot answer, so the threshold is judged by what it keeps out for answerable ones alone. Add some.")
	}
	if rep.Set.Answerable == 0 {
		all = append(all, "There is no question that the documents can answer: recall and hit rate are empty.")
	}
	if rep.Set.Questions < 50 {
		all = append(all, plural.Of(rep.Set.Questions, "question")+plural.Pick(rep.Set.Questions, " is", " are")+" few: look at the intervals, and ask more (100 are a good number).")
	}
	if n := rep.Set.Unreadable; n > 0 {
		all = append(all, plural.OfAll(n, rep.Set.Documents, "document")+" could not be read; the table by document says why.")
	}
	if n := rep.Set.Unjudged; n > 0 {
		all = append(all, plural.Of(n, "question")+plural.Pick(n, " was", " were")+" left out, since nothing says which documents answer "+plural.Pick(n, "it", "them")+".")
	}
	if !rep.Recommended.Reached {
		all = append(all, "No point reaches the precision that the aim asks for; the nearest is recommended.")
	}
	return all
}

// setting describes a setting and judges its rankings.
func (r *run) setting(s *setting) Setting {
	spec := s.embedder.Spec()
	out := Setting{
		Embedder: spec.Model, Reranker: s.rerankerName(), Chunk: chunkName(s.splitter), Threshold: spec.Threshold,
		Affinities: Histogram{make([]int, bins), make([]int, bins)}, IndexMillis: millis(s.took),
	}
	for i := range s.chunks {
		out.Chunks += s.chunks[i]
		out.Tokens += s.tokens[i]
	}
	var positives, negatives []float64
	took := time.Duration(0)
	for i := range r.questions {
		q, res := &r.questions[i], s.results[i]
		took += res.Took
		top := highest(res.Passages)
		bin := min(int(top*bins), bins-1)
		if len(q.items) == 0 {
			negatives = append(negatives, top)
			out.Affinities.Unanswerable[bin]++
			continue
		}
		positives = append(positives, top)
		out.Affinities.Answerable[bin]++
		out.Ranking.add(q.judge(res.Passages, r.byPassage))
	}
	out.Ranking.divide(float64(max(len(positives), 1)))
	out.Ranking.AUROC = metrics.AUROC(positives, negatives)
	out.SearchMillis = millis(took) / float64(max(len(r.questions), 1))
	return out
}

// highest is the best affinity of a ranking.
func highest(passages []passage) float64 {
	top := 0.0
	for _, p := range passages {
		top = max(top, p.Affinity)
	}
	return top
}

// fields are the means of a ranking.
func (x *Ranking) fields() []*float64 {
	return []*float64{&x.NDCG10, &x.MRR10, &x.MAP, &x.Recall5, &x.Recall10, &x.Recall20, &x.Recall100, &x.Precision1, &x.Success5}
}

// runDepth is how many ranks are judged and written to run files.
const runDepth = 100

func (x *Ranking) add(r metrics.Ranking) {
	r.Gains = r.Gains[:min(runDepth, len(r.Gains))]
	values := []float64{
		r.NDCG(10), r.ReciprocalRank(10), r.AveragePrecision(), r.Recall(5), r.Recall(10), r.Recall(20), r.Recall(100),
		r.Precision(1), r.Success(5),
	}
	for i, f := range x.fields() {
		*f += values[i]
	}
}

func (x *Ranking) divide(n float64) {
	for _, f := range x.fields() {
		*f /= n
	}
}
