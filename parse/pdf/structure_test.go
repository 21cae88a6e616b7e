package pdf_test

import (
	"fmt"
	"slices"
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

// lines are five lines of running text in a column, and lined what is read of it.
func lines(x, y int, word string) (out string) {
	for i, s := range strings.Split(lined(word), "\n") {
		out += at(x, y-14*i, s)
	}
	return out
}

func lined(word string) string {
	return strings.Join([]string{word + " column of running", "text that goes on", "and on for a few", "lines until it has", "nothing to say."}, "\n")
}

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
		{
			"a row without rules inside is several where its lines are not broken text", box(70, 655, 300, 60, "S") + "70 695 m 370 695 l 195 655 m 195 715 l 295 655 m 295 715 l S\n" +
				row(700, map[int]string{72: "Item", 200: "Kind", 300: "Price"}) + row(673, map[int]string{72: "Tea"}) +
				row(680, map[int]string{200: "small", 300: "2.00"}) + row(666, map[int]string{200: "large", 300: "3.00"}),
			"| Item | Kind | Price |\n| --- | --- | --- |\n| Tea | small | 2.00 |\n| Tea | large | 3.00 |",
		},
		{
			"the items of a list are no rows", box(70, 655, 300, 60, "S") + "70 695 m 370 695 l 195 655 m 195 715 l S\n" + row(700, map[int]string{72: "Fruit", 200: "Trees"}) +
				row(680, map[int]string{72: "* apple", 200: "* ash"}) + row(666, map[int]string{72: "* pear", 200: "* oak"}),
			"| Fruit | Trees |\n| --- | --- |\n| * apple * pear | * ash * oak |",
		},
		{
			"a turned header", box(70, 600, 180, 100, "S") + "70 640 m 250 640 l 70 620 m 250 620 l 150 600 m 150 700 l 200 600 m 200 700 l S\n" + at(72, 660, "Right") +
				"BT /F1 12 Tf 0 1 -1 0 180 645 Tm (Read) Tj 0 1 -1 0 230 645 Tm (Write) Tj ET\n" +
				row(626, map[int]string{72: "Guest", 170: "X"}) + row(606, map[int]string{72: "Owner", 170: "X", 220: "X"}),
			"| Right | Read | Write |\n| --- | --- | --- |\n| Guest | X |  |\n| Owner | X | X |",
		},
		{
			"a number that reaches near its label", row(700, map[int]string{72: "TOTAL", 116: "1000321", 200: "145160"}) +
				row(686, map[int]string{72: "MEAN", 134: "3227", 200: "4839"}) + row(672, map[int]string{72: "MAX", 134: "6330", 200: "9150"}) + row(658, map[int]string{72: "MIN", 140: "902", 200: "2100"}),
			"| TOTAL | 1000321 | 145160 |\n| --- | --- | --- |\n| MEAN | 3227 | 4839 |\n| MAX | 6330 | 9150 |\n| MIN | 902 | 2100 |",
		},
		{
			"signs below headers", row(700, map[int]string{200: "Public", 300: "Private"}) + row(686, map[int]string{72: "Children", 210: "*", 310: "*"}) + row(672, map[int]string{72: "Women", 210: "*"}) +
				row(658, map[int]string{72: "The elderly", 210: "*", 310: "*"}) + row(644, map[int]string{72: "Migrants", 210: "*", 310: "*"}),
			"|  | Public | Private |\n| --- | --- | --- |\n| Children | * | * |\n| Women | * |  |\n| The elderly | * | * |\n| Migrants | * | * |",
		},
		{
			"signs without headers are none", row(700, map[int]string{72: "Children", 210: "*", 310: "*"}) + row(686, map[int]string{72: "Women", 210: "*", 310: "*"}) + row(672, map[int]string{72: "Migrants", 210: "*", 310: "*"}),
			"Children * *\nWomen * *\nMigrants * *",
		},
		{"a table drawn after the text around it stands between it", at(72, 720, "Table 1: prices") + at(72, 620, "Below.") + prices(), "Table 1: prices\n\n" + pricesTable + "\n\nBelow."},
		{
			"contents are none", row(700, map[int]string{72: "1", 100: "First things", 300: "5"}) + row(686, map[int]string{72: "2", 100: "Second things", 300: "7"}) + row(672, map[int]string{72: "3", 100: "Third things", 300: "12"}),
			"1 First things 5\n2 Second things 7\n3 Third things 12",
		},
		{
			"code in columns is none", row(700, map[int]string{72: "SELECT", 200: "name,"}) + row(686, map[int]string{200: "age"}) + row(672, map[int]string{72: "FROM", 200: "people"}) + row(658, map[int]string{72: "ORDER BY", 200: "age;"}) + row(644, map[int]string{72: "LIMIT", 200: "7;"}),
			"SELECT name,\nage\nFROM people\nORDER BY age;\nLIMIT 7;",
		},
		{
			"a matrix is none", row(700, map[int]string{72: "a", 100: "b", 130: "c"}) + row(680, map[int]string{72: "d", 100: "e", 130: "f"}) + row(660, map[int]string{72: "g", 100: "h", 130: "i"}),
			"a b c\nd e f\ng h i",
		},
		{
			"boxes drawn from the bottom up are read from the top", at(72, 300, "Fourth") + at(72, 286, "block.") + at(72, 400, "Third.") + at(72, 500, "Second.") + at(72, 700, "First."),
			"First.\n\nSecond.\n\nThird.\n\nFourth\nblock.",
		},
		{
			"a head drawn last is read first", at(72, 600, "Text.") + at(72, 300, "More of it.") + at(72, 700, "Head"),
			"Head\n\nText.\n\nMore of it.",
		},
		{
			"a head and feet drawn first", at(72, 60, "Foot") + at(72, 40, "Page 3") + at(72, 740, "Head") + at(72, 600, "Text.") + at(72, 300, "More of it."),
			"Head\n\nText.\n\nMore of it.\n\nFoot\nPage 3",
		},
		{
			"a title drawn after its columns", lines(72, 500, "Left") + lines(320, 500, "Right") + at(72, 640, "A title over both columns, which is long") + at(72, 620, "by its author"),
			"A title over both columns, which is long\n\nby its author\n\n" + lined("Left") + "\n\n" + lined("Right"),
		},
		{
			"columns of which the second begins higher", lines(72, 500, "Left") + lines(320, 514, "Right") + at(72, 40, "7"),
			lined("Left") + "\n\n" + lined("Right") + "\n\n7",
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

// amounts shows a statement's row: a label, and numbers that end at the given
// places. Digits of Helvetica are .556 wide.
func amounts(y int, label string, ends map[int]string) string {
	var out strings.Builder
	out.WriteString(at(72, y, label))
	for _, x := range []int{300, 380, 460, 540} {
		if s, ok := ends[x]; ok {
			fmt.Fprintf(&out, "BT /F1 12 Tf %.2f %d Td (%s) Tj ET\n", float64(x)-6.672*float64(len(s)), y, s)
		}
	}
	return out.String()
}

func TestStatements(t *testing.T) {
	body := amounts(680, "Sales", map[int]string{300: "1200", 380: "900"}) +
		amounts(664, "Costs of goods and", nil) + amounts(650, "of services sold", map[int]string{300: "800", 380: "650"}) +
		amounts(634, "Profit", map[int]string{300: "400", 380: "250"})
	rows := "\n| Sales | 1200 | 900 |\n| Costs of goods and of services sold | 800 | 650 |\n| Profit | 400 | 250 |"
	years := row(700, map[int]string{272: "2023", 352: "2022"})
	var underlined strings.Builder
	for _, x := range []float64{260, 340} {
		for _, y := range []float64{694, 676, 646, 630} {
			underlined.WriteString(box(x, y, 44, .5, "f"))
		}
		underlined.WriteString(box(x+44, 630, .5, 64, "f"))
	}
	for _, c := range []struct{ name, content, want string }{
		{"rules that underline the columns of amounts only", underlined.String() + years + body, "|  | 2023 | 2022 |\n| --- | --- | --- |" + rows},
		{"rules across that part groups of rows", box(70, 694, 310, .5, "f") + box(70, 645, 310, .5, "f") + box(70, 628, 310, .5, "f") + box(305, 628, .5, 66, "f") + box(380, 628, .5, 66, "f") + years + body, "|  | 2023 | 2022 |\n| --- | --- | --- |" + rows},
		{
			"a head over two columns stands in both, and the title of a group below it", at(270, 732, "Years ended May 31") + row(716, map[int]string{272: "2023", 352: "2022"}) + at(72, 700, "Continued:") + body,
			"|  | Years ended May 31 | Years ended May 31 |\n| --- | --- | --- |\n|  | 2023 | 2022 |\n| Continued: |  |  |" + rows,
		},
		{
			"a header shown column by column", at(262, 732, "March") + at(262, 718, "2023") + at(342, 732, "March") + at(342, 718, "2022") + body,
			"|  | March | March |\n| --- | --- | --- |\n|  | 2023 | 2022 |" + rows,
		},
		{
			"a currency belongs to the amount after it", amounts(680, "Sales", map[int]string{380: "900"}) + at(240, 680, "$") + at(274, 680, "1200") +
				amounts(664, "Costs", map[int]string{300: "800", 380: "650"}) + amounts(648, "Profit", map[int]string{300: "400", 380: "250"}),
			"| Sales | $ 1200 | 900 |\n| --- | --- | --- |\n| Costs | 800 | 650 |\n| Profit | 400 | 250 |",
		},
		{
			"amounts set lower than their label", amounts(680, "Sales", nil) + amounts(673, "", map[int]string{300: "1200", 380: "900"}) +
				amounts(656, "Costs", nil) + amounts(649, "", map[int]string{300: "800", 380: "650"}) + amounts(632, "Profit", nil) + amounts(625, "", map[int]string{300: "400", 380: "250"}),
			"| Sales | 1200 | 900 |\n| --- | --- | --- |\n| Costs | 800 | 650 |\n| Profit | 400 | 250 |",
		},
		{
			"one column of prices", amounts(680, "Tea", map[int]string{300: "$2"}) + amounts(664, "Coffee", map[int]string{300: "$3"}) + amounts(648, "Cake", map[int]string{300: "$14"}),
			"| Tea | $2 |\n| --- | --- |\n| Coffee | $3 |\n| Cake | $14 |",
		},
		{
			"numbers of pages are no amounts", amounts(680, "Introduction", map[int]string{300: "2"}) + amounts(664, "Methods", map[int]string{300: "9"}) + amounts(648, "Index", map[int]string{300: "140"}),
			"Introduction 2\nMethods 9\nIndex 140",
		},
		{
			"the text and the page's number below are no rows", body + at(72, 590, "See the notes to this statement, which say what was left out.") + at(290, 560, "12"),
			strings.Replace(rows[1:], "\n", "\n| --- | --- | --- |\n", 1) + "\n\nSee the notes to this statement, which say what was left out.\n12",
		},
	} {
		require.Equal(t, c.want, read(t, texts(c.content)).Text, c.name)
	}
}

// labelsOf returns the headings of a document with their levels.
func labelsOf(d parse.Document) (out []string) {
	for _, s := range d.Sections {
		if s.Kind == parse.Heading {
			out = append(out, fmt.Sprintf("%d %s", s.Level, s.Label))
		}
	}
	return out
}

func TestHeadingsOfPages(t *testing.T) {
	show := func(font string, size, y int, s string) string {
		return fmt.Sprintf("BT /%s %d Tf 72 %d Td (%s) Tj ET\n", font, size, y, s)
	}
	body := show("F1", 12, 640, strings.Repeat("Running text of the usual size. ", 4)) + show("F1", 12, 626, strings.Repeat("And more of it. ", 6)) + show("F1", 12, 612, strings.Repeat("It goes on. ", 8))
	font := func(name string) string {
		return "<</Type/Font/Subtype/Type1/BaseFont/" + name + "/Encoding/WinAnsiEncoding>>"
	}
	fonts := "/Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>"
	page := func(n int, content string) sheet {
		return sheet{content: show("F1", 16, 770, fmt.Sprintf("Annual report, page %d", n)) + content + body, resources: fonts}
	}
	f := document([]string{font("Helvetica-Oblique"), font("Courier-Bold")},
		page(1, show("F1", 20, 700, "Boats")+show("F3", 16, 670, "LET x = 1")),
		page(2, show("F2", 12, 680, "Sails and masts")),
		page(3, show("F2", 12, 680, "Figure 3 shows a mast")),
		sheet{content: show("F1", 16, 740, "Contents") + show("F1", 14, 700, "Boats . . . . . . . 1") + show("F1", 14, 680, "Sails . . . . . . . 2") +
			show("F1", 14, 660, "Masts . . . . . . . 3") + show("F1", 14, 640, "Harbour 9"), resources: fonts},
	)
	require.Equal(t, []string{"2 Annual report, page 1", "1 Boats", "3 Sails and masts", "2 Contents"}, labelsOf(read(t, f.bytes())),
		"the head of the pages once, no code, no caption, no entries of contents")

	f.objects[0] = "<</Type/Catalog/Pages 2 0 R/Outlines<</First<</Title(Boats)/First<</Title(Sails and masts)>>>>>>>>"
	require.Equal(t, []string{"2 Annual report, page 1", "1 Boats", "2 Sails and masts", "2 Contents"}, labelsOf(read(t, f.bytes())), "bookmarks say the levels")
}

// TestChaptersOnPages: titles of chapters that begin a page each are headings,
// though they differ in their numbers alone; the feet of the pages are not.
func TestChaptersOnPages(t *testing.T) {
	show := func(size, y int, s string) string {
		return fmt.Sprintf("BT /F1 %d Tf 72 %d Td (%s) Tj ET\n", size, y, s)
	}
	var pages []sheet
	var want []string
	for n := 1; n <= 5; n++ {
		text := fmt.Sprintf("Chapter %d: the anchor number %d", n, n)
		pages = append(pages, sheet{
			content:   show(18, 770, text) + show(12, 720, strings.Repeat("Running text. ", 6)) + show(12, 706, strings.Repeat("And more of it. ", 6)) + show(16, 40, fmt.Sprintf("Page %d of 5", n)),
			resources: "/Font<</F1 3 0 R>>",
		})
		want = append(want, "1 "+text)
	}
	require.Equal(t, want, slices.DeleteFunc(labelsOf(read(t, document(nil, pages...).bytes())), func(l string) bool { return strings.Contains(l, "Page 1") }))
}

func TestHeadingsByEvidence(t *testing.T) {
	show := func(font string, size float64, x, y int, s string) string {
		return fmt.Sprintf("BT /%s %g Tf %d %d Td (%s) Tj ET\n", font, size, x, y, s)
	}
	text := func(font string, size float64, y int) (out string) {
		for i := range 6 {
			out += show(font, size, 72, y-14*i, strings.Repeat("Running text of the usual size. ", 3))
		}
		return out
	}
	font := func(name string) string {
		return "<</Type/Font/Subtype/Type1/BaseFont/" + name + "/Encoding/WinAnsiEncoding>>"
	}
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"numbered, in another font", show("F2", 12.5, 72, 740, "(1) Of boats") + text("F1", 12, 718) + show("F2", 12.5, 72, 610, "(2) Of sails") + text("F1", 12, 588), []string{"1 (1) Of boats", "1 (2) Of sails"}},
		{"numbered in the font of the text", show("F1", 12, 72, 740, "(1) of boats") + text("F1", 12, 710), nil},
		{"syntax in a figure", show("F3", 14, 72, 740, "AS <name>") + text("F1", 12, 710), nil},
		{"a row of labels", show("F3", 14, 72, 740, "Boats") + show("F3", 14, 300, 740, "Sails") + text("F1", 12, 710), nil},
		{"labels of a figure", text("F1", 12, 740) + show("F3", 13.5, 200, 500, "Mast") + show("F1", 8, 300, 520, "where the sail is") + show("F3", 13.5, 200, 480, "Keel") + show("F1", 8, 300, 500, "below"), nil},
		{
			"most text is in a table", show("F1", 16, 72, 740, "Prices of the year") + box(70, 655, 300, 60, "S") + "70 695 m 370 695 l 70 675 m 370 675 l 195 655 m 195 715 l 295 655 m 295 715 l S\n" + prices(),
			[]string{"1 Prices of the year"},
		},
		{
			"entries of contents without leaders", show("F3", 16, 72, 740, "Contents") + show("F3", 14, 72, 710, "1 Boats 7") + show("F1", 12, 72, 690, "Kinds of boats") + show("F3", 14, 72, 650, "2 Sails 9") + show("F1", 12, 72, 630, "Kinds of sails") +
				show("F3", 24, 72, 560, "Boats") + text("F1", 12, 530) + show("F3", 24, 72, 400, "Sails") + text("F1", 12, 370),
			[]string{"2 Contents", "1 Boats", "1 Sails"},
		},
	} {
		f := document([]string{font("Times-Roman"), font("Helvetica-Bold")}, sheet{content: c.content, resources: "/Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>"})
		require.Equal(t, c.want, labelsOf(read(t, f.bytes())), c.name)
	}
}
