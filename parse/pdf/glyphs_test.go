package pdf

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGlyphNamesWithoutName(t *testing.T) {
	var g glyphNames
	g.learn([]string{"", "_", "alpha_", "\x00", "beta"})
	require.Equal(t, "α", g.text("alpha"))
	require.Equal(t, "β", g.text("beta"))
}
