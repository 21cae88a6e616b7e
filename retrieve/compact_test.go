package retrieve

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/embed"
	"inlay/parse"
)

// invented is a document of words that are made up, always the same.
func invented(name string, sentences int) parse.Document {
	random := rand.New(rand.NewPCG(7, uint64(sentences)))
	word := func() string {
		var b strings.Builder
		for range 1 + random.IntN(3) {
			b.WriteByte("bdfgklmnprst"[random.IntN(12)])
			b.WriteByte("aeiou"[random.IntN(5)])
			b.WriteByte("lnrs"[random.IntN(4)])
		}
		return b.String()
	}
	words := make([]string, 400)
	for i := range words {
		words[i] = word()
	}
	var text strings.Builder
	for i := range sentences {
		for range 6 + random.IntN(12) {
			text.WriteString(words[int(random.ExpFloat64()*60)%len(words)] + " ")
		}
		fmt.Fprintf(&text, "%d.\n", i%97)
	}
	return parse.Document{FileID: parse.FileID([]byte(text.String())), Name: name, Parser: "test/1", Text: text.String()}
}

// TestCompactFindsTheSame: with compact vectors every citation, affinity and
// score is what it is with the vectors themselves, for files of any number of
// chunks and beside files that are small.
func TestCompactFindsTheSame(t *testing.T) {
	lines := 3000
	if testing.Short() {
		lines = 800
	}
	large, other := invented("large.txt", lines), invented("other.txt", 900)
	small := invented("small.txt", 40)
	splitter := Splitter{Size: 60}
	for name, docs := range map[string][]parse.Document{"one": {large}, "several": {small, large, other}} {
		t.Run(name, func(t *testing.T) {
			plain, compact := New(Options{Splitter: splitter}), New(Options{Splitter: splitter})
			compact.compactFrom = 64
			req := Request{Documents: docs, Parallel: 2}
			want, err := plain.Prepare(t.Context(), req)
			require.NoError(t, err)
			got, err := compact.Prepare(t.Context(), req)
			require.NoError(t, err)
			require.NotNil(t, got.files[len(docs)-1].compact)
			require.Nil(t, want.files[len(docs)-1].compact)
			words := strings.Split(large.Text, "\n")
			for i := range lines / 75 {
				query := words[i*70][:min(20+i, len(words[i*70]))]
				a, err := want.Rank(t.Context(), query, 200)
				require.NoError(t, err)
				b, err := got.Rank(t.Context(), query, 200)
				require.NoError(t, err)
				require.Equal(t, a, b, query)
				p, err := want.Search(t.Context(), query, 5, nil)
				require.NoError(t, err)
				q, err := got.Search(t.Context(), query, 5, nil)
				require.NoError(t, err)
				p.Files, q.Files = nil, nil // they hold times
				require.Equal(t, p, q, query)
			}
		})
	}
}

// TestCompactIsStored: another process reads the vectors of a large file from the
// store, and finds the same.
func TestCompactIsStored(t *testing.T) {
	store, err := cache.OpenDir(t.TempDir(), cache.Options{})
	require.NoError(t, err)
	docs := []parse.Document{invented("large.txt", 900)}
	query := strings.Split(docs[0].Text, "\n")[70]
	var found [2]Passages
	for i := range found {
		r := New(Options{Splitter: Splitter{Size: 60}, Cache: store})
		r.compactFrom = 64
		c, err := r.Prepare(t.Context(), Request{Documents: docs})
		require.NoError(t, err)
		require.NotNil(t, c.files[0].compact)
		require.Equal(t, i > 0, c.files[0].stats.Cached)
		found[i], err = c.Search(t.Context(), query, 5, nil)
		require.NoError(t, err)
		require.NotEmpty(t, found[i].Citations)
		found[i].Files = nil // they hold times
	}
	require.Equal(t, found[0], found[1])
}

// TestNearestHasAllThatMayBe: what is rounded away never loses one of the nearest.
func TestNearestHasAllThatMayBe(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	vector := func(share float64) embed.Vector {
		v := make(embed.Vector, 96)
		for i := range v {
			if random.Float64() < share {
				v[i] = float32(random.NormFloat64())
			}
		}
		v[0] = 1
		unit(v)
		return v
	}
	for _, n := range []int{1, 63, 64, 65, 1000} {
		vectors := make([]embed.Vector, n)
		for i := range vectors {
			vectors[i] = vector(.5)
		}
		x := newCompactVectors(n)
		for b := range x.blocks {
			x.setBlock(b, vectors[b*blockChunks:min((b+1)*blockChunks, n)])
		}
		for range 20 {
			query := vector(.1)
			may := map[int]bool{}
			for _, k := range x.nearest(query, 10) {
				may[k] = true
			}
			require.LessOrEqual(t, len(may), 10+n/20)
			var all []float64
			for _, v := range vectors {
				all = append(all, dot(query, v))
			}
			least := firstOf(append([]float64(nil), all...), 10)
			for k, score := range all {
				if score >= least[len(least)-1] {
					require.True(t, may[k], "%d of %d", k, n)
				}
			}
		}
	}
}

func TestCompactStops(t *testing.T) {
	r := New(Options{Splitter: Splitter{Size: 60}})
	r.compactFrom = 64
	ctx, cancel := context.WithCancel(t.Context())
	_, err := r.Prepare(ctx, Request{Documents: []parse.Document{invented("large.txt", 3000)}, Report: func(s Step) {
		if s.Stage == Embedding && s.Done > .2 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
}
