package retrieve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/parse"
)

// TestSparseDot: the sum has the bits of dot, however many numbers are 0.
func TestSparseDot(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 3, 4, 7, 64, 1024, 1027} {
		for _, share := range []float64{0, .03, .4, .9, 1} {
			query, v := make(embed.Vector, n), make(embed.Vector, n)
			for i := range v {
				v[i] = float32(random.NormFloat64())
				if random.Float64() < share {
					query[i] = float32(random.NormFloat64())
				}
			}
			s := newSparse(query)
			require.Equal(t, math.Float64bits(dot(query, v)), math.Float64bits(s.dot(v)), "%d numbers, %v not 0", n, share)
		}
	}
}

// TestLexicalVectorsStayOutOfTheIndex: they are compared where they are, and give
// the hundred nearest in order.
func TestLexicalVectorsStayOutOfTheIndex(t *testing.T) {
	x := &exactIndex{}
	r := New(Options{Splitter: Splitter{Size: 20}, NewIndex: func() (Index, error) { return x, nil }})
	var text strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&text, "Boat number %d leaves harbour %d with %d people who sail to island %d at dawn.\n\n", i, i%17, i%29, i%7)
	}
	c, err := r.Prepare(t.Context(), Request{Documents: []parse.Document{{FileID: "a", Text: text.String()}}})
	require.NoError(t, err)
	require.Empty(t, x.rows)
	f := c.files[0]
	require.Greater(t, len(f.chunks), 8*candidates)
	query, err := r.embedQuery(t.Context(), "boats that leave harbour 3")
	require.NoError(t, err)
	got, err := c.neighbours(t.Context(), query)
	require.NoError(t, err)
	require.NoError(t, x.Add(t.Context(), f.chunks, f.vectors))
	want, err := x.Search(t.Context(), Query{Vector: query, Limit: candidates})
	require.NoError(t, err)
	require.Len(t, got, candidates)
	for i, n := range got {
		have := Match{ChunkID: f.chunks[n.chunk].ID, FileID: "a", Score: n.score}
		require.Equal(t, want[i], have)
	}
}

// TestLone: what is known of passages that are alone does not change what
// duplicates.
func TestLone(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("the tenant pays rent on third working day of every month to account that landlord names may be asked to leave flat")
	var docs []parse.Document
	for i := range 6 {
		var text strings.Builder
		for range 40 {
			var sentence []string
			for range 14 {
				sentence = append(sentence, words[random.IntN(len(words))])
			}
			for range 1 + random.IntN(3)*random.IntN(30) { // many of some
				text.WriteString(strings.Join(sentence, " ") + ".\n\n")
			}
		}
		docs = append(docs, parse.Document{FileID: fmt.Sprint(i), Text: text.String()})
	}
	c, err := New(Options{Splitter: Splitter{Size: 15}}).Prepare(t.Context(), Request{Documents: docs})
	require.NoError(t, err)
	require.LessOrEqual(t, c.total, lonePassages)
	require.Nil(t, c.lone.chunks.Load())
	var all []hit
	for i, f := range c.files {
		for k := range f.chunks {
			all = append(all, hit{file: i, chunk: k})
		}
	}
	c.lone.question(c)
	require.Nil(t, c.lone.chunks.Load(), "one question alone does not need it")
	lists := make([][]hit, 20)
	before := make([][]hit, len(lists))
	for i := range lists {
		random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		lists[i] = append([]hit(nil), all[:400]...)
		before[i] = c.distinct(lists[i], 400)
	}
	c.lone.question(c)
	require.NotNil(t, c.lone.chunks.Load())
	lone := 0
	for _, h := range all {
		if c.lone.has(h) {
			lone++
		}
	}
	require.NotZero(t, lone)
	require.Less(t, lone, len(all))
	for i, list := range lists {
		require.Equal(t, before[i], c.distinct(list, 400))
	}
}
