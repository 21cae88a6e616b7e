package flat_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/retrieve"
	"inlay/retrieve/chromem"
	"inlay/retrieve/flat"
	"inlay/retrieve/retrievetest"
)

func TestIndex(t *testing.T) {
	retrievetest.Run(t, func(*testing.T) retrieve.Index { return flat.New() })
}

func TestOpen(t *testing.T) {
	retrievetest.RunPersistent(t, func(t *testing.T, dir string) retrieve.Index {
		t.Helper()
		x, err := flat.Open(t.Context(), dir, "embedder 1")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close()) })
		return x
	})
}

// The suite's tests hold up to 300 chunks: above 10 the index changes in the
// middle of nearly all of them.
func TestGrowing(t *testing.T) {
	for _, above := range []int{0, 1, 3, 10} {
		retrievetest.Run(t, func(*testing.T) retrieve.Index {
			return &flat.Growing{Small: func() retrieve.Index { return chromem.New() }, Above: above}
		})
	}
}

func TestGrowingChangesOverAboveItsSize(t *testing.T) {
	spy := &spy{Index: chromem.New()}
	g := &flat.Growing{Small: func() retrieve.Index { return spy }, Above: 10}
	find := func(want int) {
		t.Helper()
		got, err := g.Search(t.Context(), retrieve.Query{Vector: retrievetest.Random(2, 1, 8)[0], Limit: 100})
		require.NoError(t, err)
		require.Len(t, got, want)
	}
	require.NoError(t, g.Add(t.Context(), retrievetest.Chunks("a", 10), retrievetest.Random(1, 10, 8)))
	find(10)
	require.Equal(t, 1, spy.searches)
	require.NoError(t, g.Add(t.Context(), retrievetest.Chunks("b", 1), retrievetest.Random(1, 1, 8)))
	find(11)
	require.Equal(t, 1, spy.searches, "searched flat")
}

// spy counts the searches of an index.
type spy struct {
	retrieve.Index
	searches int
}

func (s *spy) Search(ctx context.Context, q retrieve.Query) ([]retrieve.Match, error) {
	s.searches++
	return s.Index.Search(ctx, q)
}

// Many rows are gone over by several goroutines in stretches; what they find
// is what sorting everything finds.
func TestSearchIsExactHoweverTheWorkIsSpread(t *testing.T) {
	x := flat.New()
	const n = 9000
	vectors := retrievetest.Random(1, n, 6)
	for i := 0; i < n; i += 3 { // every third is equal to its neighbour
		vectors[i+1] = append(embed.Vector{}, vectors[i]...)
	}
	require.NoError(t, x.Add(t.Context(), retrievetest.Chunks("a", n), vectors))
	for _, query := range retrievetest.Random(2, 3, 6) {
		all, err := x.Search(t.Context(), retrieve.Query{Vector: query, Limit: n})
		require.NoError(t, err)
		require.Len(t, all, n)
		for i := 1; i < n; i++ {
			a, b := all[i-1], all[i]
			require.True(t, a.Score > b.Score || a.Score == b.Score && a.ChunkID < b.ChunkID)
		}
		for _, limit := range []int{1, 10, 777} {
			got, err := x.Search(t.Context(), retrieve.Query{Vector: query, Limit: limit})
			require.NoError(t, err)
			require.Equal(t, all[:limit], got)
		}
	}
}
