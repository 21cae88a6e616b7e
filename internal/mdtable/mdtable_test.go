package mdtable_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/mdtable"
)

func TestRender(t *testing.T) {
	got := mdtable.Render([][]string{{"a", "b|c", ""}, {"1"}, {"x\ny", " 2 ", " "}})
	require.Equal(t, "| a | b\\|c |\n| --- | --- |\n| 1 |  |\n| x<br>y | 2 |\n", got)
	require.Empty(t, mdtable.Render([][]string{{"", " "}}))
}
