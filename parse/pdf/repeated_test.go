package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
)

// shown is text at a place of a page, in a size.
func shown(size, x, y int, s string) string {
	return fmt.Sprintf("BT /F1 %d Tf %d %d Td (%s) Tj ET\n", size, x, y, s)
}

// body is running text that no other page has, from a height downwards.
func body(page, y int) (out string) {
	for i := range 6 {
		out += shown(12, 72, y-14*i, fmt.Sprintf("Line %c of page %c goes on about boat number %d.", 'a'+i, 'A'+page, 31*page+i*i))
	}
	return out
}

// booklet is a document whose pages show what of gives them.
func booklet(n int, of func(page int) string) []byte {
	var pages []sheet
	for i := range n {
		pages = append(pages, sheet{content: of(i), resources: "/Font<</F1 3 0 R>>"})
	}
	return document(nil, pages...).bytes()
}

// repeatedIn are the headers and footers of a document.
func repeatedIn(d parse.Document) (out []string) {
	for _, s := range d.Sections {
		if s.Kind == parse.PageHeader || s.Kind == parse.PageFooter {
			out = append(out, strings.TrimPrefix(string(s.Kind), "page_")+" "+d.Text[s.Start:s.End])
		}
	}
	return out
}

func TestHeadersAndFootersAreMarked(t *testing.T) {
	for _, c := range []struct {
		name string
		of   func(i int) string
		want []string
	}{
		{
			"a title and page numbers", func(i int) string {
				return shown(9, 72, 770, "Boats and sails") + body(i, 720) + shown(9, 300, 40, fmt.Sprintf("- %d -", i+7))
			},
			[]string{"header Boats and sails", "footer - 7 -", "header Boats and sails", "footer - 8 -", "header Boats and sails", "footer - 9 -"},
		},
		{
			"shown last, in two parts of one height, one of which changes", func(i int) string {
				return body(i, 720) + shown(9, 400, 770, fmt.Sprintf("Page %d of 3", i+1)) + shown(9, 72, 770, []string{"Masts", "Sails", "Keels"}[i])
			},
			[]string{"header Page 1 of 3", "header Page 2 of 3", "header Page 3 of 3"},
		},
		{"as near to the edge, on pages of different length", func(i int) string { return body(i, 720) + shown(9, 300, 600-30*i, fmt.Sprint(i+1)) }, []string{"footer 1", "footer 2", "footer 3"}},
		{"Roman numbers", func(i int) string { return body(i, 720) + shown(9, 300, 40, []string{"iii", "iv", "v"}[i]) }, []string{"footer iii", "footer iv", "footer v"}},
		{"text", func(i int) string { return body(i, 720) }, nil},
		{"text below the edge that repeats", func(i int) string { return body(i, 760) + shown(12, 72, 600, "The same again.") + body(i+5, 580) }, nil},
		{"numbers that do not count pages", func(i int) string { return body(i, 720) + shown(9, 72, 40, fmt.Sprintf("Total %d", 100+i*i*17)) }, nil},
		{"large titles", func(i int) string { return shown(24, 72, 770, "Results") + body(i, 720) }, nil},
	} {
		require.Equal(t, c.want, repeatedIn(read(t, booklet(3, c.of))), c.name)
	}
}

// Passages have the first of each header and none of the page numbers; the text has
// all of them, and the document says how many they are, once.
func TestPassagesLeaveOutWhatRepeats(t *testing.T) {
	d := read(t, booklet(4, func(i int) string {
		return shown(9, 72, 770, "Boats and sails") + body(i, 720) + shown(9, 300, 40, fmt.Sprint(i+1))
	}))
	require.Equal(t, 4, strings.Count(d.Text, "Boats and sails"))
	require.Equal(t, 8, d.Coverage.Repeated)
	require.Len(t, d.Warnings, 1)
	require.Equal(t, parse.WarnRepeated, d.Warnings[0].Code)
	require.Contains(t, d.Warnings[0].Message, "8 lines")
	blanked := d.Repeated().Blanked(d.Text)
	require.Len(t, blanked, len(d.Text))
	require.Equal(t, 1, strings.Count(blanked, "Boats and sails"))
	require.NotRegexp(t, `(?m)^\d$`, blanked)
	for i := range 4 {
		require.Contains(t, blanked, fmt.Sprintf("Line f of page %c", 'A'+i))
	}
}

func TestTwoPagesRepeatNothing(t *testing.T) {
	require.Empty(t, repeatedIn(read(t, booklet(2, func(i int) string { return shown(9, 72, 770, "Boats") + body(i, 720) }))))
}
