// Package tokens counts tokens, bounds them and measures a context window's room.
package tokens

import "math"

// Method says how a count was made.
type Method uint8

// The three kinds of count a result may report (INJ-15).
const (
	Exact     Method = iota // all of the text was counted with the model's own vocabulary
	AtLeast                 // counting stopped once the answer was known; N is a proven lower bound
	Estimated               // the vocabulary is unknown; the true number lies within Margin of N
)

// String returns the method's name in inlay's JSON.
func (m Method) String() string {
	switch m {
	case Exact:
		return "exact"
	case AtLeast:
		return "at_least"
	default:
		return "estimated"
	}
}

// MarshalText implements encoding.TextMarshaler.
func (m Method) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Count is a number of tokens and how it came to be.
type Count struct {
	N      int     `json:"n"`
	Method Method  `json:"method"`
	Margin float64 `json:"margin,omitempty"` // of an estimate: relative, .15 means up to 15 % more
	By     string  `json:"by,omitempty"`     // what counted: "cl100k_base", "ollama:llama3"
}

// Budgeted is the number that enters a decision: N, or for an estimate
// N * (1 + Margin) rounded up (INJ-4).
func (c Count) Budgeted() int {
	if c.Method != Estimated || c.Margin <= 0 {
		return c.N
	}
	return int(math.Ceil(float64(c.N) * (1 + c.Margin)))
}

// Add sums two counts. The sum is exact only if both are; a lower bound makes
// a lower bound, and an estimate keeps the larger margin.
func (c Count) Add(d Count) Count {
	s := Count{N: c.N + d.N, Method: max(c.Method, d.Method), Margin: max(c.Margin, d.Margin), By: c.By}
	if s.By == "" {
		s.By = d.By
	}
	return s
}

// Counter counts tokens of plain text. Special-token strings inside the text
// are ordinary text (TOK-4). Implementations are safe for concurrent use.
type Counter interface {
	// Count counts all of text.
	Count(text string) Count
	// Exceeds reports whether the texts together have more than budget tokens,
	// always as a full count would, and the count as far as it was made: exact
	// when everything was counted, at least N where it stopped early. Its cost
	// is bounded by the budget, not by the texts.
	Exceeds(budget int, texts ...string) (bool, Count)
}
