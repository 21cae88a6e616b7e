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

// Whatever is around a known part, the parts count as their text does.
func TestCountParts(t *testing.T) {
	texts := []string{
		strings.Repeat("The notice period is one month. ", 400), strings.Repeat("x", 5000), strings.Repeat(" ", 5000),
		strings.Repeat("\n\n  a1 'll don't\r\n", 300), strings.Repeat("日本語の文章です。", 500), strings.Repeat("é́ 12345 ", 700),
		"'s" + strings.Repeat(" word\n", 900) + "'", "/" + strings.Repeat("path/to\n/", 600), "short",
	}
	around := []string{"", " ", "\n", "abc", "12", "'", "User query: ", "\n\n---\n", "é", "//", "\r"}
	texts = texts[:max(3, some(len(texts)))]
	for _, name := range tokens.Encodings() {
		e, err := tokens.NewEncoding(name)
		require.NoError(t, err)
		counters := []tokens.Counter{e}
		if name == "cl100k_base" {
			s, err := tokens.NewEstimator(e, tokens.Gemma)
			require.NoError(t, err)
			counters = append(counters, s)
		}
		for _, c := range counters {
			for _, text := range texts {
				var k tokens.Known
				for i, before := range around {
					after := around[(i*7+3)%len(around)]
					parts := []tokens.Part{{Text: before}, {Text: text, Known: &k}, {Text: after}, {Text: text, Known: &k}, {Text: before}}
					require.Equal(t, c.Count(before+text+after+text+before), tokens.CountParts(c, parts), "%s %q %.20q %q", name, before, text, after)
				}
			}
		}
	}
}
