// Package tokenstest has a counter for tests that must place a text exactly.
package tokenstest

import (
	"strings"

	"inlay/tokens"
)

// Words counts a token for each word.
type Words struct{}

var _ tokens.Counter = Words{}

// Count implements [tokens.Counter].
func (Words) Count(s string) tokens.Count {
	return tokens.Count{N: len(strings.Fields(s)), By: "words"}
}

// Exceeds implements [tokens.Counter].
func (w Words) Exceeds(budget int, texts ...string) (bool, tokens.Count) {
	c := w.Count(strings.Join(texts, " "))
	return c.N > budget, c
}
