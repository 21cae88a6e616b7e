package parse_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
)

func TestLimitsFrom(t *testing.T) {
	l, err := parse.LimitsFrom("file = 100MiB, pages=200,time=1m30s,")
	require.NoError(t, err)
	require.Equal(t, parse.Limits{File: 100 << 20, Pages: 200, Time: 90 * time.Second}, l)
	require.Equal(t, 270*time.Second, l.WithDefaults().Wall)
	l, err = parse.LimitsFrom("")
	require.NoError(t, err)
	require.Zero(t, l)
	for _, bad := range []string{"files=1", "file", "file=", "file=-1", "file=0", "file=1TB", "time=5", "file=9000000000GiB", "=3"} {
		_, err := parse.LimitsFrom(bad)
		require.Equal(t, fault.Usage, fault.CodeOf(err), bad)
	}
}
