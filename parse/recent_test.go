package parse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/parse"
	"inlay/parse/plain"
)

// What one namespace read is at hand there and nowhere else, without a look at
// the bytes, and as the parse was.
func TestRecent(t *testing.T) {
	registry, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	looks := map[bool]int{}
	recent := &parse.Recent{MaxBytes: 100 << 10, Observe: func(hit bool) { looks[hit]++ }}
	reader := func(namespace string) parse.Cached {
		return parse.Cached{Registry: registry, Store: &cache.Memory{}, Namespace: namespace, Recent: recent}
	}
	text := parse.File{Name: "a.md", Data: []byte("# Rules\n\nThe sky is green.\n")}
	id := parse.FileID(text.Data)
	without := parse.File{Name: "b.md"}

	_, ok := reader("one").Recall(id, without)
	require.False(t, ok)
	want, err := reader("one").Parse(t.Context(), text, nil)
	require.NoError(t, err)
	require.False(t, want.Cached)
	got, ok := reader("one").Recall(id, without)
	require.True(t, ok)
	require.True(t, got.Cached)
	require.Same(t, want.Counts, got.Counts)
	want.Name, want.Cached = "b.md", true
	require.Equal(t, want, got)

	_, ok = reader("two").Recall(id, without)
	require.False(t, ok, "another namespace")
	_, ok = reader("one").Recall(id, parse.File{Name: "b.csv"})
	require.False(t, ok, "the extension chooses the parser")
	narrow := reader("one")
	narrow.Limits.Pages = 1
	_, ok = narrow.Recall(id, without)
	require.False(t, ok, "other limits may read something else")
	other := reader("one")
	other.Registry, err = parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	_, ok = other.Recall(id, without)
	require.False(t, ok, "other parsers too")

	_, err = reader("two").Parse(t.Context(), text, nil)
	require.NoError(t, err)
	recent.Forget("two", id)
	_, ok = reader("two").Recall(id, without)
	require.False(t, ok, "it was forgotten")
	_, ok = reader("one").Recall(id, without)
	require.True(t, ok, "there it was not")

	for i := range 10 { // more than there is room for
		_, err := reader("one").Parse(t.Context(), parse.File{Name: "x.txt", Data: []byte(strings.Repeat("word ", 3000+i))}, nil)
		require.NoError(t, err)
	}
	_, ok = reader("one").Recall(id, without)
	require.False(t, ok, "it was used longest ago")
	big := parse.File{Name: "big.txt", Data: []byte(strings.Repeat("word ", 10_000))}
	_, err = reader("one").Parse(t.Context(), big, nil)
	require.NoError(t, err)
	_, ok = reader("one").Recall(parse.FileID(big.Data), parse.File{Name: "big.txt"})
	require.False(t, ok, "one document does not drive out the others")
	require.Equal(t, 2, looks[true])
	var none *parse.Recent
	_, ok = parse.Cached{Registry: registry, Recent: none}.Recall(id, without)
	require.False(t, ok)
}
