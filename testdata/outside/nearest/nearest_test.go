package nearest_test

import (
	"testing"

	"example.org/outside/nearest"

	"inlay/retrieve"
	"inlay/retrieve/retrievetest"
)

func TestIndex(t *testing.T) {
	retrievetest.Run(t, func(t *testing.T) retrieve.Index { return nearest.New() })
}
