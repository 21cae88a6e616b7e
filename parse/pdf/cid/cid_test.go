package cid_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse/pdf/cid"
)

// The numbers are those of the collections' published charts.
func TestCharacters(t *testing.T) {
	for _, c := range []struct {
		ordering string
		glyph    int
		want     rune
	}{
		{"Japan1", 34, 'A'},
		{"Japan1", 843, 'あ'},
		{"Japan1", 1125, '亜'},
		{"GB1", 34, 'A'},
		{"GB1", 940, '啊'},
		{"CNS1", 34, 'A'},
		{"CNS1", 595, '一'},
		{"Korea1", 34, 'A'},
		{"Korea1", 1086, '가'},
	} {
		got := cid.Characters(c.ordering)
		require.Greater(t, len(got), c.glyph, c.ordering)
		require.Equal(t, string(c.want), string(got[c.glyph]), "%s %d", c.ordering, c.glyph)
	}
	require.Nil(t, cid.Characters("Identity"))
	require.Nil(t, cid.Characters("../cid"))
}
