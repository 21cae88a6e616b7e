package ollama

import (
	"math"

	"inlay/tokens"
)

// slice is how much text is counted before the budget is looked at again.
const slice = 4 << 10

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

// count counts text cut where no token can reach across, so that its time
// grows with the text and no faster.
func (v *vocabulary) count(text string) int {
	n := 0
	for text != "" {
		head := v.head(text)
		n += v.encode(head)
		text = text[len(head):]
	}
	return n
}

// head returns the first part of text, at least a slice, that ends at a safe
// cut, or all of it.
func (v *vocabulary) head(text string) string {
	if !v.cuts {
		return text
	}
	for i := slice; i < len(text); i++ {
		if isASCIILetter(rune(text[i-1])) && (text[i] == ' ' || text[i] == '\n') {
			return text[:i]
		}
	}
	return text
}

func (v *vocabulary) encode(text string) int {
	ids, err := v.plain.Encode(text, false)
	if err != nil {
		return len(text) // no vocabulary has more tokens than bytes
	}
	return len(ids)
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
			head := c.vocabulary.head(text)
			n += c.vocabulary.encode(head)
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
