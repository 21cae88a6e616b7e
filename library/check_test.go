package library_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/library"
)

// TestCheck: a library of another making says how it is made again.
func TestCheck(t *testing.T) {
	s := library.Settings{Fingerprint: "index2 split3 300/0 cl100k_base builtin", Embedder: "builtin", Folders: []library.Folder{{Path: "/docs/a b"}}}
	require.NoError(t, s.Check("x", s.Fingerprint))
	for fingerprint, want := range map[string]string{
		"index2 split4 300/0 cl100k_base builtin": "was made by another version of inlay",
		"index3 split3 300/0 cl100k_base builtin": "was made by another version of inlay",
		"index2 split3 100/0 cl100k_base builtin": "was made with the embedder builtin and chunks of the default size",
	} {
		err := s.Check("x", fingerprint)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, `inlay library add x "/docs/a b"`)
	}
	s.Folders = nil
	require.ErrorContains(t, s.Check("x", "other"), "add its files to a new one")
}
