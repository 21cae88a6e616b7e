package metrics_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/eval/metrics"
)

func TestRanking(t *testing.T) {
	// Three are relevant, of grades 2, 1 and 1; the ranking has the 1 second and
	// the 2 fourth.
	r := metrics.Ranking{Gains: []float64{0, 1, 0, 2}, Ideal: []float64{1, 2, 1}}
	dcg := 1/math.Log2(3) + 2/math.Log2(5)
	ideal := 2 + 1/math.Log2(3) + 1/math.Log2(4)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"ndcg@10", r.NDCG(10), dcg / ideal},
		{"ndcg@2", r.NDCG(2), 1 / math.Log2(3) / (2 + 1/math.Log2(3))},
		{"recall@3", r.Recall(3), 1. / 3},
		{"recall", r.Recall(0), 2. / 3},
		{"precision@10", r.Precision(10), .2},
		{"mrr", r.ReciprocalRank(10), .5},
		{"mrr@1", r.ReciprocalRank(1), 0},
		{"success@1", r.Success(1), 0},
		{"map", r.AveragePrecision(), (1./2 + 2./4) / 3},
		{"nothing found", metrics.Ranking{Ideal: []float64{1}}.NDCG(10), 0},
		{"nothing relevant", metrics.Ranking{Gains: []float64{0}}.AveragePrecision(), 0},
		{"auroc", metrics.AUROC([]float64{.9, .5}, []float64{.5, .1}), (1 + 1 + .5 + 1) / 4},
		{"auroc of none", metrics.AUROC(nil, []float64{.5}), 0},
		{"balanced", metrics.BalancedAccuracy([]float64{.9, .5}, []float64{.5, .1}, .5), .75},
	} {
		require.InDelta(t, c.want, c.got, 1e-12, c.name)
	}
}
