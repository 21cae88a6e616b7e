package retrievetest

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/fault"
	"inlay/retrieve"
)

func testReplace(t *testing.T, x retrieve.Index) {
	t.Helper()
	add(t, x, Chunks("a", 3), []embed.Vector{Unit(1, 0), Unit(0, 1), Unit(0, 1)})
	add(t, x, Chunks("a", 1), []embed.Vector{Unit(0, 1)})
	require.Equal(t, []string{"a-0000", "a-0001", "a-0002"}, all(t, x, Unit(0, 1)))
	require.InDelta(t, 0, search(t, x, retrieve.Query{Vector: Unit(1, 0), Limit: 1})[0].Score, 1e-6, "the old vector is gone")

	add(t, x, []retrieve.Chunk{Chunk("a-0001", "b", 0)}, []embed.Vector{Unit(0, 1)})
	require.Equal(t, []string{"a-0000", "a-0002", "a-0001"}, all(t, x, Unit(0, 1)), "it went to another file")
	require.NoError(t, x.Delete(t.Context(), "a"))
	require.Equal(t, []string{"a-0001"}, all(t, x, Unit(0, 1)))
}

func testDuplicates(t *testing.T, x retrieve.Index) {
	t.Helper()
	chunks := []retrieve.Chunk{Chunk("twice", "a", 0), Chunk("once", "a", 5), Chunk("twice", "a", 10)}
	add(t, x, chunks, []embed.Vector{Unit(1, 0), Unit(0, 1), Unit(0, 1)})
	require.Equal(t, []string{"once", "twice"}, all(t, x, Unit(0, 1)))
	require.InDelta(t, 0, search(t, x, retrieve.Query{Vector: Unit(1, 0), Limit: 1})[0].Score, 1e-6)
}

func testCollisions(t *testing.T, x retrieve.Index) {
	t.Helper()
	one, two := collision()
	add(t, x, []retrieve.Chunk{Chunk(one, "a", 0), Chunk(two, "a", 10)}, repeated(Unit(1, 0), 2))
	add(t, x, []retrieve.Chunk{Chunk("x", one, 0)}, repeated(Unit(1, 0), 1))
	add(t, x, []retrieve.Chunk{Chunk("y", two, 0)}, repeated(Unit(1, 0), 1))
	checkCollisions(t, x)
}

func checkCollisions(t *testing.T, x retrieve.Index) {
	t.Helper()
	one, two := collision()
	require.Equal(t, []string{one, two, "x", "y"}, found(t, x, retrieve.Query{Vector: Unit(1, 0), Limit: 9, Files: []string{"a", one, two}}))
}

// badVectors are vectors of three dimensions that no index takes.
func badVectors() map[string]embed.Vector {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	return map[string]embed.Vector{
		"zero": {0, 0, 0}, "nan": {nan, 0, 1}, "infinite": {inf, 0, 0}, "not unit": {1, 1, 0}, "empty": {},
		"short": Unit(1, 1), "long": Unit(1, 1, 1, 1),
	}
}

func testBadVectors(t *testing.T, x retrieve.Index) {
	t.Helper()
	for name, v := range badVectors() {
		if len(v) != 2 && len(v) != 4 { // the first vector decides the length
			require.Error(t, x.Add(t.Context(), Chunks("a", 1), []embed.Vector{v}), name)
		}
	}
	require.Error(t, x.Add(t.Context(), []retrieve.Chunk{Chunk("", "a", 0)}, repeated(Unit(1, 0, 0), 1)), "no id")
	require.Error(t, x.Add(t.Context(), []retrieve.Chunk{Chunk("x", "", 0)}, repeated(Unit(1, 0, 0), 1)), "no file")
	require.Empty(t, all(t, x, Unit(1, 0, 0)))
	add(t, x, Chunks("a", 1), repeated(Unit(1, 0, 0), 1))
	for name, v := range badVectors() {
		err := x.Add(t.Context(), []retrieve.Chunk{Chunk("bad-one", "a", 10)}, []embed.Vector{v})
		require.ErrorContains(t, err, "bad-one", name)
		if len(v) != 3 {
			require.Equal(t, fault.EmbedderMismatch, fault.CodeOf(err), name)
		}
	}
	require.Equal(t, []string{"a-0000"}, all(t, x, Unit(1, 0, 0)))
}

func testAllOrNothing(t *testing.T, x retrieve.Index) {
	t.Helper()
	add(t, x, Chunks("a", 1), repeated(Unit(1, 0, 0), 1))
	for name, bad := range badVectors() {
		vectors := repeated(Unit(0, 1, 0), 50)
		vectors[49] = bad
		chunks := append(Chunks("a", 25), Chunks("b", 25)...)
		require.Error(t, x.Add(t.Context(), chunks, vectors), name)
		require.Error(t, x.Add(t.Context(), chunks, vectors[:49]), "a vector is missing")
		require.Equal(t, []string{"a-0000"}, all(t, x, Unit(1, 0, 0)), name)
		require.InDelta(t, 1, search(t, x, retrieve.Query{Vector: Unit(1, 0, 0), Limit: 1})[0].Score, 1e-6, "replaced by a refused one")
	}
}

func testAliasing(t *testing.T, x retrieve.Index) {
	t.Helper()
	chunks, vectors := Chunks("a", 2), []embed.Vector{Unit(1, 0), Unit(0, 1)}
	add(t, x, chunks, vectors)
	files, query := []string{"a"}, Unit(1, 0)
	want := search(t, x, retrieve.Query{Vector: query, Limit: 2, Files: files})
	for i := range vectors {
		vectors[i][0], vectors[i][1] = float32(math.NaN()), 7
		chunks[i] = Chunk("changed", "b", 99)
	}
	got := search(t, x, retrieve.Query{Vector: query, Limit: 2, Files: files})
	require.Equal(t, want, got)
	require.Equal(t, Unit(1, 0), query)
	require.Equal(t, []string{"a"}, files)
	got[0].Score = 0
	require.Equal(t, want, search(t, x, retrieve.Query{Vector: query, Limit: 2, Files: files}))
}

func testDelete(t *testing.T, x retrieve.Index) {
	t.Helper()
	v := Unit(1, 1)
	for _, file := range []string{"a", "b", "c", "d"} {
		add(t, x, Chunks(file, 1), repeated(v, 1))
	}
	for _, c := range []struct{ files, left []string }{
		{nil, []string{"a-0000", "b-0000", "c-0000", "d-0000"}},
		{[]string{}, []string{"a-0000", "b-0000", "c-0000", "d-0000"}},
		{[]string{"unknown", ""}, []string{"a-0000", "b-0000", "c-0000", "d-0000"}},
		{[]string{"a-0000"}, []string{"a-0000", "b-0000", "c-0000", "d-0000"}},
		{[]string{"b"}, []string{"a-0000", "c-0000", "d-0000"}},
		{[]string{"b"}, []string{"a-0000", "c-0000", "d-0000"}},
		{[]string{"a", "unknown", "d"}, []string{"c-0000"}},
	} {
		require.NoError(t, x.Delete(t.Context(), c.files...))
		require.Equal(t, c.left, all(t, x, v), "after deleting %q", c.files)
	}
	add(t, x, Chunks("b", 1), repeated(v, 1))
	require.Equal(t, []string{"b-0000", "c-0000"}, all(t, x, v), "added again")
}

func testEmptied(t *testing.T, x retrieve.Index) {
	t.Helper()
	add(t, x, Chunks("a", 2), Random(8, 2, 4))
	require.NoError(t, x.Delete(t.Context(), "a"))
	require.Empty(t, search(t, x, retrieve.Query{Vector: Unit(1, 0), Limit: 1}))
	add(t, x, Chunks("a", 2), Random(8, 2, 7))
	require.Len(t, search(t, x, retrieve.Query{Vector: Random(9, 1, 7)[0], Limit: 3}), 2)
}

func testCancel(t *testing.T, x retrieve.Index) {
	t.Helper()
	v := Unit(1, 0)
	require.ErrorIs(t, x.Add(ended(t), Chunks("a", 100), repeated(v, 100)), context.Canceled)
	require.Empty(t, all(t, x, v))
	add(t, x, Chunks("a", 3), repeated(v, 3))
	_, err := x.Search(ended(t), retrieve.Query{Vector: v, Limit: 1})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, x.Delete(ended(t), "a"), context.Canceled)
	require.Len(t, all(t, x, v), 3)
}

// testConcurrent is for the race detector, and checks that what a search
// returns belongs to one moment: a file's chunks are all there or none is.
func testConcurrent(t *testing.T, x retrieve.Index) {
	t.Helper()
	const files, chunks = 4, 5
	v := Unit(1, 0, 0)
	var wg sync.WaitGroup
	for w := range files {
		file := fmt.Sprint(w)
		wg.Go(func() { addAndDelete(t, x, Chunks(file, chunks), repeated(v, chunks)) })
		wg.Go(func() {
			for range 40 {
				got, err := x.Search(t.Context(), retrieve.Query{Vector: v, Limit: 100, Files: []string{file}})
				if err != nil || len(got) != 0 && len(got) != chunks {
					t.Errorf("%d of %d chunks: %v", len(got), chunks, err)
				}
			}
		})
	}
	wg.Wait()
	require.Empty(t, all(t, x, v))
}

func addAndDelete(t *testing.T, x retrieve.Index, chunks []retrieve.Chunk, vectors []embed.Vector) {
	t.Helper()
	for range 20 {
		if err := x.Add(t.Context(), chunks, vectors); err != nil {
			t.Error(err)
		}
		if err := x.Delete(t.Context(), chunks[0].FileID); err != nil {
			t.Error(err)
		}
	}
}

func testReopen(t *testing.T, open func(t *testing.T, dir string) retrieve.Index) {
	t.Helper()
	dir := t.TempDir()
	x := open(t, dir)
	for i, file := range []string{"a", "b", "c"} {
		add(t, x, Chunks(file, 20), Random(uint64(i), 20, 16))
	}
	add(t, x, Chunks("b", 3), Random(77, 3, 16))
	require.NoError(t, x.Delete(t.Context(), "c"))
	q := retrieve.Query{Vector: Random(78, 1, 16)[0], Limit: 50}
	want := search(t, x, q)
	require.Len(t, want, 40)
	for range 2 {
		x = open(t, dir)
		require.Equal(t, want, search(t, x, q))
	}
	err := x.Add(t.Context(), Chunks("d", 1), Random(1, 1, 8))
	require.Equal(t, fault.EmbedderMismatch, fault.CodeOf(err), "the number of dimensions is kept")
	require.NoError(t, x.Delete(t.Context(), "a", "b"))
	require.Empty(t, search(t, open(t, dir), q))
}
