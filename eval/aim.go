package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"inlay/fault"
	"inlay/retrieve"
)

// Aim says what makes one point better than another.
type Aim struct {
	Kind      AimKind // empty means AimCost
	Precision float64 // of AimRecall: the precision that must be reached, above 0 and at most 1
}

// AimKind is a kind of aim.
type AimKind string

// The aims. Of points that are equal by the aim, the one with fewer tokens wins.
const (
	AimF1     AimKind = "f1"     // the highest F1
	AimRecall AimKind = "recall" // the highest recall among points that reach a precision
	AimCost   AimKind = "cost"   // the lowest Cost
)

// Cost is what faults cost, in any unit.
type Cost struct {
	Miss   float64 `json:"miss"`   // an answerable question without an expected passage
	False  float64 `json:"false"`  // an unanswerable question with passages
	Tokens float64 `json:"tokens"` // a thousand tokens
}

// DefaultCost holds a question without its right passage to be as bad as ten
// thousand tokens, and passages in vain half as bad: a model that reads them may
// still say that they do not answer.
var DefaultCost = Cost{Miss: 1, False: 0.5, Tokens: 0.1} //nolint:gochecknoglobals // a value to read

// ParseAim reads "f1", "recall@0.8" or "cost". Anything else is fault.Usage.
func ParseAim(text string) (Aim, error) {
	kind, precision, at := strings.Cut(text, "@")
	a := Aim{Kind: AimKind(kind)}
	if at {
		var err error
		if a.Precision, err = strconv.ParseFloat(precision, 64); err != nil {
			a.Precision = -1
		}
	}
	if at != (a.Kind == AimRecall) {
		a.Kind = "?"
	}
	if err := a.validate(); err != nil {
		return Aim{}, &fault.Error{Code: fault.Usage, Subject: "aim", Reason: fmt.Sprintf("is %q, want f1, cost or recall@P with a precision P above 0 and at most 1", text), Next: "for example recall@0.5"}
	}
	return a, nil
}

func (a Aim) validate() error {
	ok := a.Kind == AimF1 || a.Kind == AimCost || a.Kind == AimRecall && a.Precision > 0 && a.Precision <= 1
	if !ok {
		return &fault.Error{Code: fault.Usage, Subject: fmt.Sprintf("aim %v", a), Reason: "is unknown, or its precision is not above 0 and at most 1"}
	}
	return nil
}

// String is the aim as [ParseAim] reads it.
func (a Aim) String() string {
	if a.Kind == AimRecall {
		return fmt.Sprintf("recall@%g", a.Precision)
	}
	return string(a.Kind)
}

// score is what the aim looks at.
func (a Aim) score(s Scores) float64 {
	switch a.Kind {
	case AimRecall:
		return s.Recall
	case AimCost:
		return s.Cost
	default:
		return s.F1
	}
}

// reached reports whether a point has the precision that the aim asks for.
func (a Aim) reached(s Scores) bool { return a.Kind != AimRecall || s.Precision >= a.Precision }

// equal is how near scores are that differ by rounding alone.
const equal = 1e-9

// compare orders points: above 0 where x is better than y.
func (a Aim) compare(x, y Scores) int {
	if p, q := a.reached(x), a.reached(y); p != q {
		if p {
			return 1
		}
		return -1
	} else if !p {
		if c := near(x.Precision, y.Precision); c != 0 {
			return c
		}
	}
	c := near(a.score(x), a.score(y))
	if a.Kind == AimCost {
		c = -c
	}
	if c != 0 {
		return c
	}
	return near(y.Tokens, x.Tokens)
}

func near(x, y float64) int {
	switch {
	case x > y+equal:
		return 1
	case x < y-equal:
		return -1
	}
	return 0
}

// smoothing is how far, in threshold, neighbours count in choosing one.
const smoothing = 0.1

// smooth replaces what aims look at by its mean over the neighbouring
// thresholds, nearer ones weighing more. The highest single point of few
// questions is often the last one before an answer is lost; docs/evaluation.md
// has the measurements. Precision stays, so that an aim's floor holds.
func smooth(row []Scores, thresholds []float64) []Scores {
	out := make([]Scores, len(row))
	for i, x := range row {
		x.Recall, x.F1, x.Cost = 0, 0, 0
		sum := 0.0
		from, _ := slices.BinarySearch(thresholds, thresholds[i]-smoothing)
		for k := from; k < len(row) && thresholds[k] < thresholds[i]+smoothing; k++ {
			weight := 1 - math.Abs(thresholds[k]-thresholds[i])/smoothing
			sum += weight
			x.Recall += weight * row[k].Recall
			x.F1 += weight * row[k].F1
			x.Cost += weight * row[k].Cost
		}
		x.Recall, x.F1, x.Cost = x.Recall/sum, x.F1/sum, x.Cost/sum
		out[i] = x
	}
	return out
}

// pick is the best of a row of points by ascending threshold: of neighbours that
// are equal, the one in the middle of the longest stretch.
func (a Aim) pick(row []Scores) int {
	at, length := 0, 0
	for i := 0; i < len(row); {
		end := i + 1
		for end < len(row) && a.compare(row[end], row[i]) == 0 {
			end++
		}
		c := 1
		if length > 0 {
			c = a.compare(row[i], row[at])
		}
		if c > 0 || c == 0 && end-i > length {
			at, length = i+(end-i-1)/2, end-i
		}
		i = end
	}
	return at
}

// ParseThresholds reads thresholds as the user writes them: values and ranges
// LOW:HIGH:STEP, separated by commas. Anything else is fault.Usage.
func ParseThresholds(text string) ([]float64, error) {
	var all []float64
	for part := range strings.SplitSeq(text, ",") {
		var n [3]float64
		fields := strings.Split(part, ":")
		ok := len(fields) == 1 || len(fields) == 3
		for i, f := range fields[:min(3, len(fields))] {
			var err error
			n[i], err = strconv.ParseFloat(strings.TrimSpace(f), 64)
			ok = ok && err == nil && n[i] >= 0 && n[i] <= 1
		}
		if len(fields) == 1 {
			n[1], n[2] = n[0], 1
		}
		if !ok || n[1] < n[0] || n[2] < 1e-3 {
			return nil, &fault.Error{
				Code: fault.Usage, Subject: "threshold",
				Reason: fmt.Sprintf("is %q, want values from 0 to 1 or LOW:HIGH:STEP with a step of 0.001 or more", part),
				Next:   "for example 0:1:0.01",
			}
		}
		steps := int((n[1]-n[0])/n[2] + equal)
		all = append(all, Thresholds(n[0], n[0]+float64(steps)*n[2], steps)...)
	}
	return all, nil
}

// ParseLimits reads limits separated by commas. Anything else is fault.Usage.
func ParseLimits(text string) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > retrieve.MaxLimit {
			return nil, &fault.Error{Code: fault.Usage, Subject: "limit", Reason: fmt.Sprintf("is %q, want numbers from 1 to %d", part, retrieve.MaxLimit), Next: "for example 1,3,5,10"}
		}
		all = append(all, n)
	}
	return all, nil
}
