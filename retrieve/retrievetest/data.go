package retrievetest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/retrieve"
)

// Chunk is the chunk called id at a place of a file; its text is its id.
func Chunk(id, file string, start int) retrieve.Chunk {
	return retrieve.Chunk{ID: id, FileID: file, Start: start, End: start + 10, Text: id, Tokens: 2}
}

// Unit returns v scaled to length 1.
func Unit(v ...float64) embed.Vector {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	out := make(embed.Vector, len(v))
	for i, x := range v {
		out[i] = float32(x / math.Sqrt(sum))
	}
	return out
}

// Random returns n random unit vectors, always the same for one seed.
func Random(seed uint64, n, dimensions int) []embed.Vector {
	r := rand.New(rand.NewPCG(seed, uint64(dimensions)))
	vectors := make([]embed.Vector, n)
	for i := range vectors {
		v := make([]float64, dimensions)
		for j := range v {
			v[j] = r.NormFloat64()
		}
		vectors[i] = Unit(v...)
	}
	return vectors
}

// Chunks returns n chunks of a file, ten bytes each.
func Chunks(file string, n int) []retrieve.Chunk {
	chunks := make([]retrieve.Chunk, n)
	for i := range chunks {
		chunks[i] = Chunk(fmt.Sprintf("%s-%04d", file, i), file, 10*i)
	}
	return chunks
}

func add(t *testing.T, x retrieve.Index, chunks []retrieve.Chunk, vectors []embed.Vector) {
	t.Helper()
	require.NoError(t, x.Add(t.Context(), chunks, vectors))
}

func search(t *testing.T, x retrieve.Index, q retrieve.Query) []retrieve.Match {
	t.Helper()
	matches, err := x.Search(t.Context(), q)
	require.NoError(t, err)
	return matches
}

// found lists the ids a query finds.
func found(t *testing.T, x retrieve.Index, q retrieve.Query) []string {
	t.Helper()
	ids := []string{}
	for _, m := range search(t, x, q) {
		ids = append(ids, m.ChunkID)
	}
	return ids
}

// all lists every id of the index, in the order of files and text: the vectors
// of the tests that use it score alike.
func all(t *testing.T, x retrieve.Index, v embed.Vector) []string {
	t.Helper()
	return found(t, x, retrieve.Query{Vector: v, Limit: 1000})
}

// repeated returns n times the same vector, each in memory of its own.
func repeated(v embed.Vector, n int) []embed.Vector {
	out := make([]embed.Vector, n)
	for i := range out {
		out[i] = append(embed.Vector{}, v...)
	}
	return out
}

// collision finds two ids whose SHA-256 begins with the same 32 bits, which is
// as much as chromem-go keeps in the names of its files.
func collision() (a, b string) {
	seen := map[uint32]string{}
	for i := 0; ; i++ {
		id := fmt.Sprintf("chunk-%d", i)
		sum := sha256.Sum256([]byte(id))
		short := binary.BigEndian.Uint32(sum[:])
		if other, ok := seen[short]; ok {
			return other, id
		}
		seen[short] = id
	}
}

func ended(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
