package builtin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/processor"
)

func joined(parts []processor.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// FuzzCommands reads what a person wrote around a value: nothing is lost, and
// the value never becomes more than a part of one word.
func FuzzCommands(f *testing.F) {
	for _, s := range [][3]string{
		{"a $(echo ", "x) $(rm -rf /", " 'b c') d"},
		{"$(", "", ")"},
		{"$($(", "'", "))\n$(x)"},
		{"@a.md $(cat @b \"", " ", "\") @\"c d\". @memory:e, x@y"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, before, value, after string) {
		parts := []processor.Part{{Text: before, Origin: processor.FromUser}, {Text: value, Origin: processor.FromArgument}, {Text: after, Origin: processor.FromUser}}
		whole := joined(parts)
		var seen strings.Builder
		for {
			c, ok := nextCommand(parts)
			seen.WriteString(joined(c.before) + joined(c.written))
			if !ok {
				break
			}
			given := 0
			for _, w := range c.argv {
				if w.given {
					given++
					require.Contains(t, w.text, value)
				}
			}
			require.LessOrEqual(t, given, 1)
			require.Less(t, len(joined(c.rest)), len(joined(parts)))
			parts = c.rest
		}
		require.Equal(t, whole, seen.String(), "nothing is lost")
		end := 0
		for _, r := range references(before) {
			require.GreaterOrEqual(t, r.start, end)
			require.Equal(t, byte('@'), before[r.start])
			require.NotEmpty(t, r.name)
			end = r.end
			require.LessOrEqual(t, end, len(before))
		}
		normalized := normalize(after)
		require.Equal(t, normalized, normalize(normalized), "what is normal stays")
	})
}
