package notes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/notes"
	"inlay/parse"
	"inlay/parse/markup"
	"inlay/parse/plain"
)

func read(t *testing.T, p parse.Parser, name, data string) notes.Named {
	t.Helper()
	d, err := p.Parse(t.Context(), parse.File{Name: name, Data: []byte(data)}, nil)
	require.NoError(t, err)
	return notes.Named{Name: name, Document: d}
}

const orders = `Order,Country,Product,Quantity,Status
A1,Kenya,Rope,5,open
A2,kenya ,Sail,5,paid

A3,Peru,"Rope
ladder",7,open
A4,New Kenya,Rope,5,open
A5,Japan|East,Rope,1,IT
A6,肯尼亚,Rope,2,it
`

func counts(t *testing.T, question string, docs ...notes.Named) string {
	t.Helper()
	texts, err := notes.Counts(t.Context(), docs, question)
	require.NoError(t, err)
	return strings.TrimSpace(strings.Join(texts, "\n"))
}

// TestNoHeader: a table whose first row is like the others is not counted.
func TestNoHeader(t *testing.T) {
	d := read(t, plain.CSV(parse.Limits{}), "orders.csv", "1,open,Kenya\n2,closed,Peru\n3,open,Peru\n")
	require.Empty(t, counts(t, "How many orders are open?", d))
}

// A count is given for values that are named literally, with the filter; for
// anything less certain none is.
func TestCounts(t *testing.T) {
	d := read(t, plain.CSV(parse.Limits{}), "orders.csv", orders)
	const head = "The table has 6 rows below its header. Of these, "
	for question, want := range map[string]string{
		"How many orders are from Kenya?":          head + `2 rows have "Kenya" in the column "Country" (the whole cell, whatever its case).`,
		"Wie viele Bestellungen kommen aus KENYA?": head + `2 rows have "Kenya" in the column "Country" (the whole cell, whatever its case).`,
		"¿Cuántos pedidos son de Kenya?":           head + `2 rows have "Kenya" in the column "Country" (the whole cell, whatever its case).`,
		"有多少订单来自肯尼亚？":                              head + `1 row has "肯尼亚" in the column "Country" (the whole cell, whatever its case).`,
		"Сколько заказов из Kenya?":                head + `2 rows have "Kenya" in the column "Country" (the whole cell, whatever its case).`,
		"How many orders from Kenya are open?":     head + `1 row has "Kenya" in the column "Country" and "open" in the column "Status" (the whole cell, whatever its case).`,
		"How many orders are from New Kenya?":      head + `1 row has "New Kenya" in the column "Country" (the whole cell, whatever its case).`,
		"How many orders are from Kenya and Peru?": strings.Replace(head, "Of these", "Of the 6 rows", 1) +
			`2 rows have "Kenya" in the column "Country" (the whole cell, whatever its case). Of the 6 rows, 1 row has "Peru" in the column "Country" (the whole cell, whatever its case).`,
		"How many orders have quantity 5?":          head + `3 rows have "5" in the column "Quantity" (the whole cell, whatever its case).`,
		"How many orders of Rope ladder are there?": head + `1 row has "Rope ladder" in the column "Product" (the whole cell, whatever its case).`,
		"How many orders have the status lost?": "The table has 6 rows below its header. Over all 6 rows, the column \"Status\" has " +
			`"IT" in 2 rows, "open" in 3 rows, "paid" in 1 row.`,
		"How many orders do not have the status open?": "The table has 6 rows below its header. Over all 6 rows, the column \"Status\" has " +
			`"IT" in 2 rows, "open" in 3 rows, "paid" in 1 row.`,
		"How many orders from Peru have the status lost?": head + `1 row has "Peru" in the column "Country" (the whole cell, whatever its case). ` +
			`Over all 6 rows, the column "Status" has "IT" in 2 rows, "open" in 3 rows, "paid" in 1 row.`,
		"Wie viele Bestellungen sind aus Kenya oder Peru?": strings.Replace(head, "Of these", "Of the 6 rows", 1) +
			`2 rows have "Kenya" in the column "Country" (the whole cell, whatever its case). Of the 6 rows, 1 row has "Peru" in the column "Country" (the whole cell, whatever its case).`,
		"How many orders are from Kenya or open?": strings.Replace(head, "Of these", "Of the 6 rows", 1) +
			`2 rows have "Kenya" in the column "Country" (the whole cell, whatever its case). Of the 6 rows, 3 rows have "open" in the column "Status" (the whole cell, whatever its case). ` +
			`Of the 6 rows, 1 row has "Kenya" in the column "Country" and "open" in the column "Status" (the whole cell, whatever its case).`,
		"How many orders are from Kenya Islands?":          "",
		"How many orders are from Old Kenya?":              "",
		"How many orders are from Japan|East?":             head + `1 row has "Japan|East" in the column "Country" (the whole cell, whatever its case).`,
		"How many orders are not from Kenya?":              "",
		"How many orders from Kenya are over 3?":           "",
		"How many orders from Kenya were shipped in 2019?": "",
		"How many orders have 5?":                          "",
		"How many is it?":                                  "",
		"How many days of leave has Kenya?":                "",
		"Who is from Kenya?":                               "",
		"How many orders are from Kenyan ports?":           "",
	} {
		require.Equal(t, want, counts(t, question, d), question)
	}
}

// What is in two columns, or in columns of two names in two files, is not counted.
func TestCountsAreCertain(t *testing.T) {
	csv := plain.CSV(parse.Limits{})
	twice := read(t, csv, "a.csv", "From,Into\nKenya,Peru\nPeru,Kenya\nOman,Kenya\n")
	require.Empty(t, counts(t, "How many trips are there in Kenya?", twice))
	require.Contains(t, counts(t, "How many trips are there with Kenya as Into?", twice), `2 rows have "Kenya" in the column "Into"`)
	other := read(t, csv, "b.csv", "Country,Tons\nKenya,4\nKenya,5\n")
	require.Empty(t, counts(t, "How many loads are from Kenya?", twice, other))
	same := read(t, csv, "c.csv", "Country,Tons\nKenya,4\n")
	require.Equal(t, 2, strings.Count(counts(t, "How many loads are from Kenya?", other, same), `in the column "Country"`))
	require.Empty(t, counts(t, "How many loads are from Kenya?", read(t, csv, "d.csv", "Country,Country\nKenya,Peru\n")), "two columns of one name")

	part := other
	part.Partial = true
	require.Empty(t, counts(t, "How many loads are from Kenya?", part), "not read completely")
	looks := other
	looks.MediaType = "application/pdf"
	require.Empty(t, counts(t, "How many loads are from Kenya?", looks), "tables that were recognised by their looks")
}

// Tables of every format are counted alike.
func TestCountsOfFormats(t *testing.T) {
	md := "# Orders\n\n| Order | Country |\n| --- | --- |\n| A1 | **Kenya** |\n| A2 | Kenya |\n| A3 | Peru |\n"
	html := "<html><body><h1>Orders</h1><table><tr><th>Order</th><th>Country</th></tr><tr><td>A1</td><td><b>Kenya</b></td></tr><tr><td>A2</td><td>Kenya</td></tr><tr><td>A3</td><td>Peru</td></tr></table></body></html>"
	const want = `The table under "Orders" has 3 rows below its header. Of these, 2 rows have "Kenya" in the column "Country" (the whole cell, whatever its case).`
	require.Equal(t, want, counts(t, "How many orders are from Kenya?", read(t, plain.Markdown(parse.Limits{}), "a.md", md)))
	require.Equal(t, want, counts(t, "How many orders are from Kenya?", read(t, markup.HTML(parse.Limits{}), "a.html", html)))
}

func TestOutline(t *testing.T) {
	text := "# Book\n\n## One\n\ntext\n\n### Deep\n\ntext\n\n## Two\n\ntext\n"
	d := read(t, plain.Markdown(parse.Limits{}), "a.md", text)
	require.Equal(t, "4 headings: 1 of level 1, 2 of level 2, 1 of level 3\nBook\n  One\n    Deep\n  Two", notes.Outline(d.Document, 1000))
	require.Equal(t, "4 headings: 1 of level 1, 2 of level 2, 1 of level 3\nBook\n  One\n  Two\n(1 more line left out)", notes.Outline(d.Document, 20))
	require.Empty(t, notes.Outline(parse.Document{Text: "no headings"}, 1000))

	var flat strings.Builder
	flat.WriteString("# Book\n\n")
	for i := range 41 {
		fmt.Fprintf(&flat, "## P%02d\n\ntext\n\n", i)
	}
	require.Equal(t, "42 headings: 1 of level 1, 41 of level 2\nBook\n  P00\n  P06\n  P12\n  P18\n  P24\n  P30\n  P36\n(34 more lines left out)",
		notes.Outline(read(t, plain.Markdown(parse.Limits{}), "b.md", flat.String()).Document, 50), "some of the deepest, from all of the book")

	var b parse.Builder
	b.Open(parse.Section{Kind: parse.Sheet, Label: "Orders", Number: 1})
	b.Heading(1, "Orders")
	b.Table("", [][]string{{"Order", "Country"}, {"A1", "Kenya"}, {"A2", "Peru"}})
	b.Close()
	book, err := b.Document()
	require.NoError(t, err)
	require.Equal(t, "1 sheet; 1 heading: 1 of level 1\nsheet \"Orders\", 2 rows below the header", notes.Outline(book, 1000))
}

// Leaders of a table of contents are told from text, and its entries are kept.
func TestContents(t *testing.T) {
	contents := "Contents\n\nPreface . . . . . . . . . xi\nChapter 1. Ropes ...... 1\n1.1 Knots........ 12\n| Chapter 2. Sails .......... | 40 |\n"
	require.True(t, notes.Contents(contents))
	require.False(t, notes.Contents("He paused ... then went on.\nA line.\nAnother... 12\n"))
	require.Equal(t, "0 headings\nThe table of contents that the document has itself, with its page numbers:\nPreface, xi\nChapter 1. Ropes, 1\n1.1 Knots, 12\nChapter 2. Sails, 40",
		notes.Outline(parse.Document{Text: contents}, 1000))
}

func FuzzCounts(f *testing.F) {
	f.Add("| a | b |\n| --- | --- |\n| x\\| | y |\n", "How many b are y?")
	f.Fuzz(func(t *testing.T, text, question string) {
		text = strings.ToValidUTF8(text, "")
		d := parse.Document{Text: text, Sections: []parse.Section{{Kind: parse.Table, End: len(text)}}}
		_, err := notes.Counts(t.Context(), []notes.Named{{Name: "x", Document: d}}, question)
		require.NoError(t, err)
		notes.Outline(d, 100)
		notes.Contents(text)
	})
}
