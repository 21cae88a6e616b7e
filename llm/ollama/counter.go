package ollama

import (
	"math"

	"inlay/tokens"
)

// counter counts plain text with a model's vocabulary. It implements [tokens.Counter].
type counter struct {
	vocabulary *vocabulary
	sure       calibration
	by         string
}

// Identity implements [tokens.Lasting].
func (c *counter) Identity() any { return *c }

// Count implements [tokens.Counter].
func (c *counter) Count(text string) tokens.Count {
	return c.sure.count(c.vocabulary.count(text), c.by)
}

func (v *vocabulary) count(text string) int {
	n, err := v.plain.count(text)
	if err != nil {
		return len(text) // no vocabulary has more tokens than bytes
	}
	return n
}

// Exceeds implements [tokens.Counter]. A token has no more bytes than the
// vocabulary's longest, so the rest of the text bounds what is still to come.
func (c *counter) Exceeds(budget int, texts ...string) (bool, tokens.Count) {
	limit := c.sure.largest(budget)
	rest, n := 0, 0
	for _, t := range texts {
		rest += len(t)
	}
	atLeast := func() int { return n + rest/max(1, c.vocabulary.longest) }
	for _, text := range texts {
		for text != "" {
			if atLeast() > limit {
				return true, c.sure.atLeast(atLeast(), c.by)
			}
			head := c.vocabulary.plain.head(text)
			n += c.vocabulary.count(head)
			text, rest = text[len(head):], rest-len(head)
		}
	}
	return n > limit, c.sure.count(n, c.by)
}

// calibration says how counts in process compare with the server's.
type calibration struct {
	checked bool
	margin  float64 // 0: equal, the counts are exact
}

// estimateFloor is added to the difference that was seen, because the checked
// prompt is one of many.
const estimateFloor = .05

// calibrated compares one prompt's two counts.
func calibrated(here, there int) calibration {
	if here == there {
		return calibration{checked: true}
	}
	apart := math.Abs(float64(there-here)) / float64(max(1, here))
	return calibration{checked: true, margin: math.Ceil((apart+estimateFloor)*100-1e-9) / 100}
}

func (s calibration) count(n int, by string) tokens.Count {
	if s.margin > 0 {
		return tokens.Count{N: n, Method: tokens.Estimated, Margin: s.margin, By: by}
	}
	return tokens.Count{N: n, Method: tokens.Exact, By: by}
}

func (s calibration) atLeast(n int, by string) tokens.Count {
	if s.margin > 0 {
		return s.count(n, by)
	}
	return tokens.Count{N: n, Method: tokens.AtLeast, By: by}
}

// largest is the largest count whose budgeted number is within budget.
func (s calibration) largest(budget int) int {
	n := int(float64(budget) / (1 + s.margin))
	for s.count(n+1, "").Budgeted() <= budget {
		n++
	}
	for n > 0 && s.count(n, "").Budgeted() > budget {
		n--
	}
	return n
}
