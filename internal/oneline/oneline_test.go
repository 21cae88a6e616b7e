package oneline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
)

func TestCheck(t *testing.T) {
	for _, name := range []string{"", "Handbook 2024", "Ñandú 名前 😀", "ישראל\u200f (2)"} {
		require.NoError(t, Check("name", name), name)
	}
	for _, name := range []string{"a\n", "\ra", "a\tb", "a\x1b[2J", "\x00", "a\u0085b", "a\u2028b", "a\u2029b", "a\u202eb"} {
		err := Check("name", name)
		require.True(t, fault.Is(err, fault.Usage), "%q", name)
		require.ErrorContains(t, err, "name")
	}
}
