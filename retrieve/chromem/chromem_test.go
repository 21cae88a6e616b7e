package chromem_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/retrieve"
	"inlay/retrieve/chromem"
	"inlay/retrieve/retrievetest"
)

func TestIndex(t *testing.T) {
	retrievetest.Run(t, func(*testing.T) retrieve.Index { return chromem.New() })
}

func TestOpen(t *testing.T) {
	retrievetest.RunPersistent(t, func(t *testing.T, dir string) retrieve.Index {
		t.Helper()
		x, err := chromem.Open(t.Context(), dir, "embedder 1")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close()) })
		return x
	})
}
