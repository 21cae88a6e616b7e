package littleendian_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse/internal/littleendian"
)

func TestRead(t *testing.T) {
	data := []byte{1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F}
	require.Equal(t, 0x0201, littleendian.Uint16(data, 0))
	require.Equal(t, uint32(0x04030201), littleendian.Uint32(data, 0))
	require.InDelta(t, 1.5, littleendian.Float64(data, 4), 0)
	for _, at := range []int{-1, len(data) - 1, len(data), math.MaxInt} {
		require.Zero(t, littleendian.Uint16(data, at), at)
		require.Zero(t, littleendian.Uint32(data, at), at)
		require.Zero(t, littleendian.Float64(data, at), at)
	}
}
