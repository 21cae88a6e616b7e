package retrievetest

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/fault"
	"inlay/retrieve"
)

func testEmpty(t *testing.T, x retrieve.Index) {
	t.Helper()
	for _, q := range []retrieve.Query{{Limit: 5}, {Limit: 5, Files: []string{"a"}}, {Limit: 5, Files: []string{}}, {}} {
		q.Vector = Unit(1, 2, 3)
		require.Empty(t, search(t, x, q))
	}
	require.NoError(t, x.Add(t.Context(), nil, nil))
	require.NoError(t, x.Delete(t.Context(), "a"))
	require.NoError(t, x.Delete(t.Context()))
}

func testLimits(t *testing.T, x retrieve.Index) {
	t.Helper()
	add(t, x, Chunks("a", 3), Random(1, 3, 8))
	v := Random(2, 1, 8)[0]
	for limit, want := range map[int]int{-1: 0, 0: 0, 1: 1, 2: 2, 3: 3, 4: 3, 1000: 3, math.MaxInt: 3} {
		require.Len(t, search(t, x, retrieve.Query{Vector: v, Limit: limit}), want, "limit %d", limit)
	}
}

// testScores compares with a search written out in float64.
func testScores(t *testing.T, x retrieve.Index) {
	t.Helper()
	const n, dimensions = 300, 33
	chunks, vectors := Chunks("a", n), Random(3, n, dimensions)
	add(t, x, chunks, vectors)
	for _, q := range Random(4, 5, dimensions) {
		type scored struct {
			id    string
			score float64
		}
		want := make([]scored, n)
		for i, v := range vectors {
			want[i] = scored{chunks[i].ID, dot(q, v)}
		}
		slices.SortFunc(want, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		got := search(t, x, retrieve.Query{Vector: q, Limit: n})
		require.Len(t, got, n)
		for i, m := range got {
			require.InDelta(t, want[i].score, m.Score, 1e-5)
			require.Equal(t, "a", m.FileID)
			require.True(t, -1 <= m.Score && m.Score <= 1)
		}
		require.Equal(t, want[0].id, got[0].ChunkID)
		require.Negative(t, got[n-1].Score, "passages that point away are found too")
	}
	self := search(t, x, retrieve.Query{Vector: vectors[7], Limit: 1})[0]
	require.Equal(t, chunks[7].ID, self.ChunkID)
	require.InDelta(t, 1, self.Score, 1e-5)
	require.LessOrEqual(t, self.Score, 1.0)
}

func dot(a, b embed.Vector) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func testTies(t *testing.T, x retrieve.Index) {
	t.Helper()
	v := Random(5, 1, 24)[0]
	for _, file := range []string{"c", "a", "b"} {
		chunks := Chunks(file, 12)
		slices.Reverse(chunks)
		add(t, x, chunks, repeated(v, 12))
	}
	want := map[string][]string{}
	for _, file := range []string{"a", "b", "c"} {
		for _, c := range Chunks(file, 12) {
			want[file] = append(want[file], c.ID)
		}
	}
	byName := slices.Concat(want["a"], want["b"], want["c"])
	asAsked := slices.Concat(want["b"], want["c"], want["a"])
	for range 5 {
		for _, limit := range []int{1, 5, 12, 13, 30, 36} {
			require.Equal(t, byName[:limit], found(t, x, retrieve.Query{Vector: v, Limit: limit}))
			require.Equal(t, asAsked[:limit], found(t, x, retrieve.Query{Vector: v, Limit: limit, Files: []string{"b", "c", "a"}}))
		}
	}
}

func testFiles(t *testing.T, x retrieve.Index) {
	t.Helper()
	v := Unit(1, 1, 0)
	for _, file := range []string{"a", "b", "c"} {
		add(t, x, Chunks(file, 2), repeated(v, 2))
	}
	for _, c := range []struct{ files, want []string }{
		{nil, []string{"a-0000", "a-0001", "b-0000", "b-0001", "c-0000", "c-0001"}},
		{[]string{}, []string{}},
		{[]string{"b"}, []string{"b-0000", "b-0001"}},
		{[]string{"c", "a"}, []string{"c-0000", "c-0001", "a-0000", "a-0001"}},
		{[]string{"c", "c"}, []string{"c-0000", "c-0001"}},
		{[]string{"x", "a"}, []string{"a-0000", "a-0001"}},
		{[]string{"x"}, []string{}},
		{[]string{""}, []string{}},
	} {
		require.Equal(t, c.want, found(t, x, retrieve.Query{Vector: v, Limit: 10, Files: c.files}), "%q", c.files)
	}
}

func testBadQuery(t *testing.T, x retrieve.Index) {
	t.Helper()
	add(t, x, Chunks("a", 2), Random(6, 2, 3))
	nan := float32(math.NaN())
	for _, v := range []embed.Vector{nil, {0, 0, 0}, {nan, 0, 1}, {3, 4, 0}} {
		_, err := x.Search(t.Context(), retrieve.Query{Vector: v, Limit: 1})
		require.Error(t, err, "%v", v)
	}
	_, err := x.Search(t.Context(), retrieve.Query{Vector: Unit(1, 2), Limit: 1})
	require.Equal(t, fault.EmbedderMismatch, fault.CodeOf(err))
}
