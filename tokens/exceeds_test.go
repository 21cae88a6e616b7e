package tokens_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/tokens"
)

// edges are budgets near the places where a decision turns.
func edges(r *rand.Rand, full, bytes int) []int {
	return []int{-1, 0, 1, full - 1, full, full + 1, full / 2, 2 * full, bytes, bytes - 1, bytes / 128, bytes/128 + 1, r.IntN(full + 10)}
}

// The decision is always the one that a full count gives, and the count it
// comes with is true.
func TestExceedsAsAFullCount(t *testing.T) {
	for _, name := range tokens.Encodings() {
		t.Run(name, func(t *testing.T) {
			e := encoding(t, name)
			r := rand.New(rand.NewPCG(21, 22))
			for range some(60) {
				var texts []string
				full, bytes := 0, 0
				for range r.IntN(4) {
					text := someText(r)
					texts = append(texts, text)
					full += len(e.Encode(text))
					bytes += len(text)
				}
				for _, budget := range edges(r, full, bytes) {
					over, c := e.Exceeds(budget, texts...)
					requireTrue(t, full, budget, over, c)
				}
			}
		})
	}
}

func requireTrue(t *testing.T, full, budget int, over bool, c tokens.Count) {
	t.Helper()
	require.Equal(t, full > budget, over, "%d tokens, budget %d", full, budget)
	switch {
	case !over || c.Method == tokens.Exact:
		require.Equal(t, tokens.Exact, c.Method)
		require.Equal(t, full, c.N)
	default:
		require.Equal(t, tokens.AtLeast, c.Method)
		require.Greater(t, c.N, budget)
		require.LessOrEqual(t, c.N, full)
	}
}

// someText mixes what splits well with what is one piece for kilobytes, in
// sizes around those of the steps in which texts are counted.
func someText(r *rand.Rand) string {
	var b strings.Builder
	size := []int{10, 500, 5000, 20_000, 90_000}[r.IntN(5)]
	for b.Len() < size {
		switch r.IntN(4) {
		case 0:
			b.WriteString(strings.Repeat(parts[r.IntN(len(parts))], 1+r.IntN(3000)))
		case 1:
			b.WriteString(strings.Repeat("The rain in Spain, 1234 times. ", r.IntN(50)))
		default:
			b.WriteString(randomText(r, r.IntN(800)))
		}
	}
	return b.String()[:min(size, b.Len())]
}

// A large text is shared out to goroutines; the result is as if it were not.
func TestExceedsInParallel(t *testing.T) {
	e := encoding(t, "o200k_base")
	r := rand.New(rand.NewPCG(23, 24))
	var b strings.Builder
	for b.Len() < some(1<<20) {
		b.WriteString(someText(r))
	}
	text := b.String()
	full := len(e.Encode(text))
	for _, budget := range []int{full / 3, full / 2, full - 1, full, full + 1} {
		var counts []tokens.Count
		for _, processors := range []int{1, 2, 5} {
			previous := runtime.GOMAXPROCS(processors)
			over, c := e.Exceeds(budget, text[:1000], text[1000:])
			runtime.GOMAXPROCS(previous)
			requireTrue(t, e.Count(text[:1000]).N+e.Count(text[1000:]).N, budget, over, c)
			counts = append(counts, c)
		}
		require.Equal(t, counts[0], counts[1])
		require.Equal(t, counts[0], counts[2])
	}
	require.Equal(t, full, e.Count(text).N)
}

// Neither a decision nor a count holds memory by the size of the text.
func TestCountingDoesNotAllocate(t *testing.T) {
	e := encoding(t, "cl100k_base")
	prose := strings.Repeat("The quick brown fox, who hadn't slept, jumps over 13 lazy dogs in Edinburgh.\n", 30_000)
	for _, text := range []string{prose[:10_000], prose[:200_000], prose} {
		e.Count(text)
		require.Less(t, testing.AllocsPerRun(5, func() { e.Count(text) }), 40.0)
		require.Less(t, testing.AllocsPerRun(5, func() { e.Exceeds(10_000, text) }), 40.0)
		walk := func() {
			for range e.Walk(text) {
			}
		}
		require.Less(t, testing.AllocsPerRun(5, walk), 10.0)
	}
}

func TestBounds(t *testing.T) {
	for _, name := range tokens.Encodings() {
		e := encoding(t, name)
		for kind, text := range hard(3000) {
			least, most := e.Bounds(len(text))
			n := e.Count(text).N
			require.LessOrEqual(t, least, n, kind)
			require.GreaterOrEqual(t, most, n, kind)
		}
	}
}
