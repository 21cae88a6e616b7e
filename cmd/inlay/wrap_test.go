package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrapLine(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"short", 30, "short"},
		{"one two three four", 9, "one two\nthree\nfour"},
		{"why        The new files have 712 tokens.", 30, "why        The new files have\n           712 tokens."},
		{"    a passage that is indented and long", 20, "    a passage that\n    is indented and\n    long"},
		{"averyveryverylongwordwithoutaspace", 10, "averyveryverylongwordwithoutaspace"},
		{"年假为每年三十天", 8, "年假为每\n年三十天"},
		{"a  b", 30, "a  b"},
	} {
		require.Equal(t, c.want, wrapLine(c.line, c.columns, 0), c.line)
	}
}

func TestWrapper(t *testing.T) {
	var b strings.Builder
	w := &wrapper{w: &b, columns: 12}
	for _, piece := range []string{"The ", "notice ", "period", " is four ", "weeks.\n", "Yes ", "indeed it is"} {
		n, err := w.Write([]byte(piece))
		require.NoError(t, err)
		require.Len(t, piece, n)
	}
	require.Equal(t, "The notice \nperiod is \nfour weeks.\nYes indeed \nit is", b.String())
}
