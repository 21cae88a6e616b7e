package wire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
)

// TestDocumentsInMemory: without a store the document itself is kept, once: the
// text that comes back is the same memory, no decoded copy of it.
func TestDocumentsInMemory(t *testing.T) {
	s := Search{Embedder: "builtin"}
	registry, err := OpenParsers(s.Limits, nil, func(string) string { return "" })
	require.NoError(t, err)
	in, err := NewInjector(s, registry, nil, nil)
	require.NoError(t, err)
	file := parse.File{Name: "note.txt", Data: []byte("The notice period is six weeks.")}
	first, err := in.Reader.Parse(t.Context(), file, nil)
	require.NoError(t, err)
	require.False(t, first.Cached)
	file.Name = "other.txt"
	again, err := in.Reader.Parse(t.Context(), file, nil)
	require.NoError(t, err)
	require.True(t, again.Cached)
	require.Equal(t, "other.txt", again.Name)
	require.Same(t, first.Counts, again.Counts)
	require.NotNil(t, again.Counts)
}
