package wordhash_test

import (
	"testing"

	"example.org/outside/wordhash"

	"inlay/embed/embedtest"
)

func TestEmbedder(t *testing.T) {
	embedtest.Run(t, wordhash.Embedder{})
}
