package parse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/parse"
)

func TestRepeated(t *testing.T) {
	text := "Head\n\none\n\n1\n\nHead\n\ntwo\n\n2"
	mark := func(kind parse.Kind, label string, start, end int) parse.Section {
		return parse.Section{Kind: kind, Label: label, Start: start, End: end}
	}
	d := parse.Document{Text: text, Sections: []parse.Section{
		mark(parse.PageHeader, "Head", 0, 4), mark(parse.PageFooter, "", 11, 12), mark(parse.PageHeader, "Head", 14, 18), mark(parse.PageFooter, "", 25, 26),
	}}
	left := d.Repeated()
	require.Equal(t, parse.Repeated{{Start: 11, End: 20}, {Start: 25, End: 26}}, left, "the first header stays")
	for _, c := range []struct {
		start, end int
		want       []chat.Range
		text       string
	}{
		{0, 26, []chat.Range{{Start: 0, End: 11}, {Start: 20, End: 25}}, "Head\n\none\n\ntwo\n\n"},
		{6, 14, []chat.Range{{Start: 6, End: 11}}, "one\n\n"},
		{12, 22, []chat.Range{{Start: 20, End: 22}}, "tw"},
		{11, 20, nil, ""},
		{20, 25, []chat.Range{{Start: 20, End: 25}}, "two\n\n"},
	} {
		got := left.Without(c.start, c.end)
		require.Equal(t, c.want, got)
		require.Equal(t, c.text, chat.Join(text, got))
	}
	require.Equal(t, "Head\n\none\n\n \n\n    \n\ntwo\n\n ", left.Blanked(text))
	require.Equal(t, []chat.Range{{Start: 1, End: 5}}, parse.Document{Text: text}.Repeated().Without(1, 5))
}
