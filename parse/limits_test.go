package parse_test

import (
	"os"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
)

// The page about limits has each with its default, written so that it can be set.
func TestLimitsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/limits.md")
	require.NoError(t, err)
	defaults := reflect.ValueOf(parse.Limits{}.WithDefaults())
	rows := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|.*\\| (\\S+) \\|$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, rows, len(parse.LimitNames()))
	for i, name := range parse.LimitNames() {
		require.Equal(t, name, rows[i][1])
		l, err := parse.LimitsFrom(name + "=" + rows[i][2])
		require.NoError(t, err)
		require.Equal(t, defaults.Field(i).Interface(), reflect.ValueOf(l).Field(i).Interface(), name)
	}
}
