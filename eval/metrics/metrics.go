// Package metrics holds the measures of search quality, by the conventions of
// trec_eval: linear gains, discount 1/log2(rank+1), ideals from everything that
// is judged relevant, whether it was found or not.
package metrics

import (
	"cmp"
	"math"
	"slices"
)

// Ranking is what one query found, seen through its judgements.
type Ranking struct {
	Gains []float64 // of what was found, best first; 0 where it is not relevant
	Ideal []float64 // gains of everything relevant, each above 0, in any order
}

// cut is the first k gains; k 0 means all.
func (r Ranking) cut(k int) []float64 {
	if k == 0 {
		return r.Gains
	}
	return r.Gains[:min(k, len(r.Gains))]
}

// NDCG is the discounted cumulative gain of the first k over that of an ideal
// ranking (Järvelin and Kekäläinen 2002, with log2), 0..1; trec_eval's ndcg_cut.
func (r Ranking) NDCG(k int) float64 {
	ideal := slices.SortedFunc(slices.Values(r.Ideal), func(a, b float64) int { return cmp.Compare(b, a) })
	best := gain(ideal[:min(k, len(ideal))])
	if best == 0 {
		return 0
	}
	return gain(r.cut(k)) / best
}

func gain(gains []float64) float64 {
	sum := 0.0
	for i, g := range gains {
		sum += g / math.Log2(float64(i)+2)
	}
	return sum
}

// hits is how many of the first k are relevant.
func (r Ranking) hits(k int) float64 {
	n := 0.0
	for _, g := range r.cut(k) {
		if g > 0 {
			n++
		}
	}
	return n
}

// Recall is the share of what is relevant among the first k, 0..1; k 0 means all.
func (r Ranking) Recall(k int) float64 {
	if len(r.Ideal) == 0 {
		return 0
	}
	return r.hits(k) / float64(len(r.Ideal))
}

// Precision is the share of k ranks that hold something relevant, 0..1.
func (r Ranking) Precision(k int) float64 { return r.hits(k) / float64(k) }

// ReciprocalRank is 1 over the rank of the first relevant one among the first
// k, or 0; k 0 means all. Its mean over queries is MRR.
func (r Ranking) ReciprocalRank(k int) float64 {
	i := slices.IndexFunc(r.cut(k), func(g float64) bool { return g > 0 })
	if i < 0 {
		return 0
	}
	return 1 / float64(i+1)
}

// Success is 1 if something relevant is among the first k, else 0; k 0 means all.
func (r Ranking) Success(k int) float64 { return b2f(r.hits(k) > 0) }

// AveragePrecision is the mean, over everything relevant, of the precision at
// its rank, 0..1. Its mean over queries is MAP.
func (r Ranking) AveragePrecision() float64 {
	n, sum := 0.0, 0.0
	for i, g := range r.Gains {
		if g > 0 {
			n++
			sum += n / float64(i+1)
		}
	}
	if len(r.Ideal) == 0 {
		return 0
	}
	return sum / float64(len(r.Ideal))
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// AUROC is the probability that one of positives is above one of negatives,
// ties counting half (the area under the ROC curve, by rank sums). It is 0 when
// either is empty.
func AUROC(positives, negatives []float64) float64 {
	if len(positives) == 0 || len(negatives) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(negatives))
	wins := 0.0
	for _, p := range positives {
		below, _ := slices.BinarySearch(sorted, p)
		upTo, _ := slices.BinarySearchFunc(sorted, p, func(x, p float64) int {
			if x <= p {
				return -1
			}
			return 1
		})
		wins += (float64(below) + float64(upTo)) / 2
	}
	return wins / float64(len(positives)*len(negatives))
}

// Above is the share of values strictly above a threshold, 0..1.
func Above(values []float64, threshold float64) float64 {
	n := 0
	for _, v := range values {
		if v > threshold {
			n++
		}
	}
	return float64(n) / float64(max(len(values), 1))
}

// BalancedAccuracy is the mean of the shares of positives above and negatives
// not above a threshold, 0..1.
func BalancedAccuracy(positives, negatives []float64, threshold float64) float64 {
	return (Above(positives, threshold) + 1 - Above(negatives, threshold)) / 2
}
