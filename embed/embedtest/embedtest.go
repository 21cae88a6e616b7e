// Package embedtest is the suite that every embed.Embedder passes. A new
// embedder runs it in one line:
//
//	func TestEmbedder(t *testing.T) { embedtest.Run(t, mine.New()) }
package embedtest

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
)

// Run tests that e keeps the contract of embed.Embedder.
func Run(t *testing.T, e embed.Embedder) {
	t.Helper()
	t.Run("spec", func(t *testing.T) { testSpec(t, e) })
	t.Run("unit vectors in order", func(t *testing.T) { testVectors(t, e) })
	t.Run("no texts", func(t *testing.T) {
		vectors, err := e.Embed(t.Context(), embed.Document, nil)
		require.NoError(t, err)
		require.Empty(t, vectors)
	})
	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := e.Embed(ctx, embed.Document, []string{"a"})
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("many goroutines", func(t *testing.T) { testTogether(t, e) })
	t.Run("one vector does not change another", func(t *testing.T) { testApart(t, e) })
}

func testSpec(t *testing.T, e embed.Embedder) {
	t.Helper()
	s := e.Spec()
	require.Equal(t, s, e.Spec(), "it changed")
	require.NotEmpty(t, s.Model)
	require.NotEmpty(t, s.Fingerprint)
	require.Positive(t, s.Dimensions)
	require.GreaterOrEqual(t, s.MaxTokens, 0)
	require.True(t, s.Threshold >= 0 && s.Threshold <= 1, "threshold %v is not in 0..1", s.Threshold)
}

// texts returns the inputs of the suite: words, none, and scripts of all kinds.
func texts() []string {
	return []string{
		"Laptops are replaced every three years.", "", " \n\t", "…", "x", "水は百度で沸く", "Größe: 10 µm", "🙂",
		"the same words", "the same words", strings.Repeat("a longer passage ", 50), "بيت",
	}
}

func testVectors(t *testing.T, e embed.Embedder) {
	t.Helper()
	for _, task := range []embed.Task{embed.Document, embed.Query} {
		together := embedAll(t, e, task, texts())
		for i, text := range texts() {
			require.InDelta(t, 1, length(together[i]), 1e-3, "%q", text)
			alone := embedAll(t, e, task, []string{text})
			require.InDelta(t, 1, cosine(together[i], alone[0]), 1e-3, "%q comes out differently in a batch", text)
		}
	}
}

func testTogether(t *testing.T, e embed.Embedder) {
	t.Helper()
	want := embedAll(t, e, embed.Document, texts())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			got, err := e.Embed(t.Context(), embed.Document, texts())
			if err != nil || !slices.EqualFunc(want, got, near) {
				t.Errorf("another vector or an error at the same time: %v", err)
			}
		})
	}
	group.Wait()
}

func testApart(t *testing.T, e embed.Embedder) {
	t.Helper()
	first := embedAll(t, e, embed.Document, []string{"the same words"})[0]
	kept := slices.Clone(first)
	clear(embedAll(t, e, embed.Document, []string{"the same words"})[0])
	require.Equal(t, kept, first)
	require.InDelta(t, 1, length(embedAll(t, e, embed.Document, []string{"the same words"})[0]), 1e-3, "a caller's change came back")
}

func embedAll(t *testing.T, e embed.Embedder, task embed.Task, texts []string) []embed.Vector {
	t.Helper()
	vectors, err := e.Embed(t.Context(), task, texts)
	require.NoError(t, err)
	require.Len(t, vectors, len(texts))
	for _, v := range vectors {
		require.Len(t, v, e.Spec().Dimensions)
	}
	return vectors
}

func near(a, b embed.Vector) bool { return math.Abs(cosine(a, b)-1) < 1e-3 }

func length(v embed.Vector) float64 { return math.Sqrt(cosine(v, v)) }

func cosine(a, b embed.Vector) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
