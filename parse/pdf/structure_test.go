package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
)

// row shows words at places of one height.
func row(y int, cells map[int]string) (out string) {
	for x := range 612 {
		if s, ok := cells[x]; ok {
			out += at(x, y, s)
		}
	}
	return out
}

// box draws a rectangle; as a thin one, a rule.
func box(x, y, w, h float64, paint string) string {
	return fmt.Sprintf("%g %g %g %g re %s\n", x, y, w, h, paint)
}

// prices are three rows of three cells.
func prices() string {
	return row(700, map[int]string{72: "Item", 200: "Unit", 300: "Price"}) +
		row(680, map[int]string{72: "Apple pie", 200: "piece", 300: "3.50"}) +
		row(660, map[int]string{72: "Tea", 200: "cup", 300: "2.00"})
}

const pricesTable = "| Item | Unit | Price |\n| --- | --- | --- |\n| Apple pie | piece | 3.50 |\n| Tea | cup | 2.00 |"

func TestTables(t *testing.T) {
	var ruled strings.Builder
	for _, y := range []float64{655, 675, 695, 715} {
		ruled.WriteString(box(70, y, 300, .5, "f"))
	}
	for _, x := range []float64{70, 195, 295, 370} {
		ruled.WriteString(box(x, 655, .5, 60, "f"))
	}
	for _, c := range []struct {
		name, content, want string
	}{
		{"ruled", ruled.String() + at(72, 740, "Above.") + prices() + at(72, 600, "Below."), "Above.\n\n" + pricesTable + "\n\nBelow."},
		{
			"stroked grid, cells shown by column", box(70, 675, 125, 40, "S") + box(195, 675, 100, 40, "S") + "70 695 m 295 695 l S\n" +
				row(700, map[int]string{72: "Item"}) + row(680, map[int]string{72: "Tea"}) + row(700, map[int]string{200: "Unit"}) + row(680, map[int]string{200: "cup"}),
			"| Item | Unit |\n| --- | --- |\n| Tea | cup |",
		},
		{
			"a header over two columns stands in both", box(70, 655, 300, 60, "S") + "70 695 m 370 695 l 70 675 m 370 675 l 195 655 m 195 715 l 295 655 m 295 695 l S\n" +
				row(700, map[int]string{72: "Item", 220: "Price"}) + row(680, map[int]string{72: "", 200: "small", 300: "large"}) + row(660, map[int]string{72: "Tea", 200: "2.00", 300: "3.00"}),
			"| Item | Price | Price |\n| --- | --- | --- |\n|  | small | large |\n| Tea | 2.00 | 3.00 |",
		},
		{"rules above, below the header and at the end", box(70, 715, 300, 1, "f") + box(70, 695, 300, .5, "f") + box(70, 655, 300, 1, "f") + prices(), pricesTable},
		{"no rules", at(72, 740, "Above.") + prices(), "Above.\n\n" + pricesTable},
		{
			"a numbered list is none", row(700, map[int]string{72: "1.", 100: "One"}) + row(686, map[int]string{72: "2.", 100: "Two"}) + row(672, map[int]string{72: "3.", 100: "Three"}) + row(658, map[int]string{72: "4.", 100: "Four"}),
			"1. One\n2. Two\n3. Three\n4. Four",
		},
		{"a frame around text is none", box(70, 600, 300, 120, "S") + at(72, 700, "In a") + at(72, 686, "frame."), "In a\nframe."},
	} {
		d := read(t, texts(c.content))
		require.Equal(t, c.want, d.Text, c.name)
		for _, s := range d.Sections {
			if s.Kind == parse.Table {
				require.True(t, strings.HasPrefix(d.Text[s.Start:], "| "), c.name)
				require.True(t, strings.HasSuffix(d.Text[:s.End], " |"), c.name)
			}
		}
	}
}

func TestHeadings(t *testing.T) {
	body := func(y int) string {
		return at(72, y, strings.Repeat("Running text of the usual size. ", 4)) + at(72, y-14, strings.Repeat("And more of it. ", 6))
	}
	size := func(font string, size, y int, s string) string {
		return fmt.Sprintf("BT /%s %d Tf 72 %d Td (%s) Tj ET\n", font, size, y, s)
	}
	first := size("F1", 24, 740, "The Report") + size("F1", 16, 700, "1 Scope of the") + size("F1", 16, 682, "whole matter") + body(650) +
		size("F2", 12, 600, "A bold line") + body(580) + size("F1", 8, 40, "small print")
	second := size("F1", 16, 700, "2 Terms") + body(650)
	bold := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>"
	fonts := "/Font<</F1 3 0 R/F2 4 0 R>>"
	d := read(t, document([]string{bold}, sheet{content: first, resources: fonts}, sheet{content: second, resources: fonts}).bytes())
	var got []string
	for _, s := range d.Sections {
		if s.Kind == parse.Heading {
			got = append(got, fmt.Sprintf("%d %s", s.Level, s.Label))
			require.True(t, strings.HasPrefix(d.Text[s.Start:], s.Label[:5]))
		}
	}
	require.Equal(t, []string{"1 The Report", "2 1 Scope of the whole matter", "3 A bold line", "2 2 Terms"}, got)
	require.NotContains(t, d.Text, "#")
	place := parse.NewMap(d).At(strings.Index(d.Text, "2 Terms")+20, len(d.Text))
	require.Equal(t, []string{"The Report", "2 Terms"}, place.HeadingPath)
	require.Equal(t, 2, place.Page)
}
