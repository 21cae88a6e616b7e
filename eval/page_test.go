package eval

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A page counts as found if a passage touches it; a quote or a range only if the
// passage has half of it.
func TestPagesAreTouched(t *testing.T) {
	page := span{doc: 1, start: 1000, end: 3000, page: true}
	require.True(t, page.matches(1, 100, 1010))
	require.True(t, page.matches(1, 2990, 4000))
	require.False(t, page.matches(1, 100, 1000))
	require.False(t, page.matches(2, 1000, 3000))
	require.False(t, span{doc: 1, start: 1000, end: 3000}.matches(1, 100, 1010))
}
