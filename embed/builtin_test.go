package embed_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/embed/embedtest"
)

func cosine(t *testing.T, e embed.Embedder, a, b string) float64 {
	t.Helper()
	v, err := e.Embed(t.Context(), embed.Document, []string{a, b})
	require.NoError(t, err)
	sum := 0.0
	for i := range v[0] {
		sum += float64(v[0][i]) * float64(v[1][i])
	}
	return sum
}

func TestBuiltin(t *testing.T) {
	e := embed.NewBuiltin()
	texts := []string{"Laptops are replaced", "", "…", "水", "x", "the"}
	vectors, err := e.Embed(t.Context(), embed.Document, texts)
	require.NoError(t, err)
	require.Len(t, vectors, len(texts))
	for i, v := range vectors {
		require.Len(t, v, e.Spec().Dimensions)
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		require.InDelta(t, 1, math.Sqrt(sum), 1e-5, texts[i])
	}
	again, err := embed.NewBuiltin().Embed(t.Context(), embed.Query, texts)
	require.NoError(t, err)
	require.Equal(t, vectors, again)
}

func TestBuiltinKnowsForms(t *testing.T) {
	e := embed.NewBuiltin()
	require.Greater(t, cosine(t, e, "electricity", "electricitty"), .5)
	require.Greater(t, cosine(t, e, "replacement of a laptop", "laptops replaced"), cosine(t, e, "replacement of a laptop", "bread is baked"))
	require.InDelta(t, 1, cosine(t, e, "Screens, repaired!", "screen repair"), 1e-5)
	require.InDelta(t, 0, cosine(t, e, "?", "screen"), 0)
}

func TestBuiltinStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := embed.NewBuiltin().Embed(ctx, embed.Document, []string{"a"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestBuiltinConforms(t *testing.T) { embedtest.Run(t, embed.NewBuiltin()) }
