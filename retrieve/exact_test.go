package retrieve_test

import (
	"testing"

	"inlay/retrieve"
	"inlay/retrieve/retrievetest"
)

func TestExactIndex(t *testing.T) {
	retrievetest.Run(t, func(*testing.T) retrieve.Index { return retrieve.NewExact() })
}
