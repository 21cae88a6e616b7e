package plural_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/plural"
)

func TestOf(t *testing.T) {
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files", -1: "-1 files"} {
		require.Equal(t, want, plural.Of(n, "file"))
	}
	for noun, want := range map[string]string{"query": "queries", "key": "keys", "match": "matches", "box": "boxes", "address": "addresses", "page": "pages"} {
		require.Equal(t, "2 "+want, plural.Of(2, noun))
		require.Equal(t, "1 "+noun, plural.Of(1, noun))
	}
	require.Equal(t, "1 of 2 pages", plural.OfAll(1, 2, "page"))
	require.Equal(t, "1 of 1 page", plural.OfAll(1, 1, "page"))
	require.Equal(t, "is", plural.Pick(1, "is", "are"))
	require.Equal(t, "are", plural.Pick(0, "is", "are"))
}
