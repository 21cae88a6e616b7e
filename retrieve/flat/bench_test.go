package flat_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/retrieve"
	"inlay/retrieve/chromem"
	"inlay/retrieve/flat"
	"inlay/retrieve/retrievetest"
)

// BenchmarkSearch finds the ten nearest of some vectors of 768 dimensions, by
// chromem-go and flat in the same run. The ratio between the two holds on any
// machine; the times do not.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		chunks, vectors := retrievetest.Chunks("a", n), retrievetest.Random(1, n, 768)
		query := retrieve.Query{Vector: retrievetest.Random(2, 1, 768)[0], Limit: 10}
		for _, c := range []struct {
			name string
			retrieve.Index
		}{{"chromem", chromem.New()}, {"flat", flat.New()}} {
			require.NoError(b, c.Add(b.Context(), chunks, vectors))
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					_, err := c.Search(b.Context(), query)
					require.NoError(b, err)
				}
			})
		}
	}
}
