package tokens

import (
	"math"
	"sort"

	"inlay/fault"
)

// Family is a group of models whose vocabularies count alike.
type Family string

// The families whose vocabularies were measured. Any other model is Unknown.
const (
	Unknown  Family = ""
	Llama3   Family = "llama3"   // Llama 3 to 3.3: 128k tokens, cl100k_base and more
	Qwen     Family = "qwen"     // Qwen 2 to 3: 152k tokens, digits one by one
	Gemma    Family = "gemma"    // Gemma 1 to 3: 256k tokens, digits one by one
	DeepSeek Family = "deepseek" // DeepSeek V3 and R1: 129k tokens
	Llama2   Family = "llama2"   // Llama 2 and the 32k vocabularies made like its own
)

// ratio is how many tokens a vocabulary makes of a text for each one of
// cl100k_base: the median of the samples, and how far the worst of them lay
// above it.
type ratio struct{ factor, margin float64 }

// ratios holds what was measured, in the order of Kind: factor and margin cover
// every one of the samples of testdata/ratios.json, of which scripts/tokens/ratios.mjs
// tells where they come from. The factor of an unknown vocabulary is 1, and
// its margins cover all families and Claude 2's vocabulary.
func ratios(f Family) (r [kinds]ratio, ok bool) {
	switch f { // prose, accented, code, table, CJK, other script
	case Unknown:
		r = [kinds]ratio{{1, .38}, {1, .50}, {1, .56}, {1, .70}, {1, .34}, {1, .53}}
	case Llama3:
		r = [kinds]ratio{{1, .02}, {1, .02}, {1, .02}, {1, .02}, {.79, .15}, {.77, .30}}
	case Qwen:
		r = [kinds]ratio{{1.01, .20}, {1.01, .14}, {1.01, .20}, {1.40, .22}, {.76, .30}, {.87, .18}}
	case Gemma:
		r = [kinds]ratio{{1.02, .22}, {.94, .21}, {1.20, .18}, {1.41, .21}, {.72, .28}, {.65, .41}}
	case DeepSeek:
		r = [kinds]ratio{{.99, .15}, {1, .11}, {1.08, .16}, {1.02, .06}, {.74, .22}, {.75, .17}}
	case Llama2:
		r = [kinds]ratio{{1.16, .19}, {1.19, .17}, {1.31, .19}, {1.46, .17}, {1.13, .19}, {1.06, .22}}
	default:
		return r, false
	}
	return r, true
}

// Estimator counts for a vocabulary that is not at hand: the tokens that
// cl100k_base makes, times what the family of the model made of such text when
// measured. The margin depends on the content ([KindOf]): prose is estimated
// far better than tables of numbers. An Estimator does not change and is safe
// for concurrent use.
type Estimator struct {
	base     *Encoding
	by       string
	measured [kinds]ratio // of the family
	ratios   [kinds]ratio // after what was learnt
	seen     [kinds]evidence
}

var _ Counter = (*Estimator)(nil)

// NewEstimator makes an estimator for a family. base must be cl100k_base, on
// which the ratios were measured; anything else is fault.Usage.
func NewEstimator(base *Encoding, f Family) (*Estimator, error) {
	if base == nil || base.name != estimateBase {
		return nil, &fault.Error{Code: fault.Usage, Subject: "token estimator", Reason: "its ratios hold for " + estimateBase + " only"}
	}
	r, ok := ratios(f)
	if !ok {
		return nil, &fault.Error{Code: fault.Usage, Subject: string(f), Reason: "no such family of vocabularies", Next: "leave it empty for an unknown one"}
	}
	name := string(f)
	if f == Unknown {
		name = "unknown vocabulary"
	}
	return &Estimator{base: base, by: name + ", estimated by " + estimateBase, measured: r, ratios: r}, nil
}

const estimateBase = "cl100k_base"

// Count implements [Counter]. N is the most likely number; the true one is at
// most N * (1 + Margin) for all texts the ratio was measured on.
func (s *Estimator) Count(text string) Count {
	k := KindOf(text)
	return s.count(k, s.base.Count(text).N)
}

func (s *Estimator) count(k Kind, base int) Count {
	c := Count{N: s.scale(k, base), Method: Estimated, By: s.by}
	if base > 0 {
		c.Margin = s.ratios[k].margin
	}
	return c
}

func (s *Estimator) scale(k Kind, base int) int {
	return int(math.Ceil(s.ratios[k].factor * float64(base)))
}

// Exceeds implements [Counter]: the texts exceed if the sum of their counts
// ([Count.Add]) does with its margin on top ([Count.Budgeted]), as an estimate
// enters a decision (INJ-4). Where it stopped early, N has the margin on top.
func (s *Estimator) Exceeds(budget int, texts ...string) (bool, Count) {
	sum := Count{Method: Estimated, By: s.by}
	left := make([]int, len(texts)+1) // least tokens of the texts from here on
	found := make([]Kind, len(texts))
	for i := len(texts) - 1; i >= 0; i-- {
		found[i] = KindOf(texts[i])
		least, _ := s.base.Bounds(len(texts[i]))
		left[i] = left[i+1] + s.scale(found[i], least)
		if texts[i] != "" {
			sum.Margin = max(sum.Margin, s.ratios[found[i]].margin)
		}
	}
	for i, text := range texts {
		rest := sum
		rest.N += left[i+1]
		room := s.room(rest, found[i], budget)
		over, c := s.base.Exceeds(room, text)
		sum.N += s.scale(found[i], c.N)
		if over {
			sum.N += left[i+1]
			sum.N, sum.Method = sum.Budgeted(), AtLeast
			return true, sum
		}
	}
	return sum.Budgeted() > budget, sum
}

// room returns the most tokens of the base that a text of kind k can have so
// that, added to sum, the budget holds; -1 if even none is too many.
func (s *Estimator) room(sum Count, k Kind, budget int) int {
	fits := func(base int) bool {
		c := sum
		c.N += s.scale(k, base)
		return c.Budgeted() <= budget
	}
	limit := 1
	for limit < math.MaxInt/8 && fits(limit) {
		limit *= 2
	}
	return sort.Search(limit, func(base int) bool { return !fits(base) }) - 1
}

// evidence is what a server has reported so far about one kind of text.
type evidence struct {
	base, reported int
	worst          float64 // highest reported/base
}

const (
	fewestTokens = 64  // a shorter prompt tells more of its template than of the vocabulary
	halfTrust    = 500 // tokens reported after which the measured margin counts half
	leastMargin  = .02
)

// fewest is the least tokens that a vocabulary makes of a text for each one of
// cl100k_base: a little below the least of the samples, of any family. Scripts
// that cl100k_base cuts into bytes are far cheaper elsewhere.
func fewest(k Kind) float64 {
	if k == Script {
		return .15
	}
	return .45
}

// plausible reports whether a vocabulary can make so many tokens of text: none
// makes more than one of each byte.
func plausible(k Kind, text string, base, reported int) bool {
	return float64(reported) >= fewest(k)*float64(base) && reported <= len(text)
}

// Calibrated returns an estimator that has learnt from one answer of the
// server: it reported so many tokens (usage.prompt_tokens, less the template's)
// for text. From then on the factor for texts of that kind is what the server
// has reported for each token of cl100k_base; the margin shrinks from the
// measured one towards the worst report as evidence grows, by half for each
// 500 tokens reported, and never below .02. Texts of under 64 tokens teach
// nothing, and neither do reports that no vocabulary can make true: of a server
// that counts only what its cache did not have, or always says the same.
func (s *Estimator) Calibrated(text string, reported int) *Estimator {
	k := KindOf(text)
	base := s.base.Count(text).N
	if base < fewestTokens || !plausible(k, text, base, reported) {
		return s
	}
	c := *s
	e := &c.seen[k]
	e.base += base
	e.reported += reported
	e.worst = max(e.worst, float64(reported)/float64(base))
	factor := float64(e.reported) / float64(e.base)
	doubt := math.Exp2(-float64(e.reported) / halfTrust)
	first := s.measured[k]
	highest := e.worst + doubt*max(0, first.factor*(1+first.margin)-e.worst)
	c.ratios[k] = ratio{factor, max(leastMargin, highest/factor-1)}
	return &c
}
