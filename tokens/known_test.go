package tokens_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/tokens"
)

// asked notes what reaches the counter behind a memory.
type asked struct {
	tokens.Counter
	times int
}

func (a *asked) Count(text string) tokens.Count {
	a.times++
	return a.Counter.Count(text)
}

func (a *asked) Exceeds(budget int, texts ...string) (bool, tokens.Count) {
	a.times++
	return a.Counter.Exceeds(budget, texts...)
}

func (a *asked) Identity() any { return a }

// A memory answers as the counter does, whatever was asked before, and asks it
// once for what it knows.
func TestKnown(t *testing.T) {
	base, err := tokens.NewEncoding("cl100k_base")
	require.NoError(t, err)
	estimator, err := tokens.NewEstimator(base, tokens.Gemma)
	require.NoError(t, err)
	text := strings.Repeat("The notice period is one month. ", 400)
	for _, counter := range []tokens.Counter{base, estimator} {
		var k tokens.Known
		behind := &asked{Counter: counter}
		for range 2 {
			for _, budget := range []int{-1, 0, 100, 2000, 2001, 2800, 2801, 100_000} {
				wantOver, want := counter.Exceeds(budget, text)
				over, got := k.Exceeds(behind, budget, text)
				require.Equal(t, wantOver, over, "budget %d", budget)
				require.Equal(t, want, got, "budget %d", budget)
			}
			require.Equal(t, counter.Count(text), k.Count(behind, text))
		}
		require.LessOrEqual(t, behind.times, 9, "the second round asks for nothing")
		var none *tokens.Known
		require.Equal(t, counter.Count(text), none.Count(counter, text))
	}
}
