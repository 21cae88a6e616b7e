package retrieve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
)

// paged is a document of the given pages, each of which is a section; a block
// that begins with "|" is a table.
func paged(pages ...string) parse.Document {
	d := parse.Document{FileID: "report", Name: "report.pdf", Parser: "set/1"}
	for i, page := range pages {
		start := len(d.Text)
		for block := range strings.SplitSeq(page, "\n\n") {
			at := len(d.Text)
			d.Text += block + "\n\n"
			if strings.HasPrefix(block, "|") {
				d.Sections = append(d.Sections, parse.Section{Kind: parse.Table, Start: at, End: len(d.Text)})
			}
		}
		d.Sections = append(d.Sections, parse.Section{Kind: parse.Page, Number: i + 1, Start: start, End: len(d.Text)})
	}
	return d
}

const (
	position  = "Acme Inc.\nConsolidated Statements of Financial Position\n(in millions)\n\n| | 2018 | 2017 |\n| --- | --- | --- |\n| Inventories | 62 | 61 |\n| Total current assets | 87 | 85 |\n| Property, plant and equipment, net | 12 | 13 |\n| Total current liabilities | 81 | 74 |"
	goesOn    = "| Total liabilities | 99 | 98 |\n| Retained earnings | 55 | 49 |"
	incomes   = "Acme Inc.\nConsolidated Statements of Operations\n(in millions)\n\n| | 2018 | 2017 |\n| --- | --- | --- |\n| Net sales | 101 | 94 |\n| Cost of products sold | 81 | 76 |\n| Earnings before income taxes | 11 | 10 |"
	narrative = "Management's discussion\n\nAcme expects that its balance in the year and the answer to every question of working with capital are good. The ratio of Acme was quick."
)

func annualReport() parse.Document {
	pages := []string{"Acme Inc.\nAnnual report of fiscal year 2018\n\nThis report answers questions about Acme and information provided in it."}
	for i := range 24 {
		pages = append(pages, fmt.Sprintf("Acme Inc.\nRisks %d\n\nRisk %d of Acme is the fiscal year %d and its markets are open.", i, i, 1990+i))
	}
	return paged(append(pages, position, goesOn, incomes, narrative)...)
}

func TestTitlesOfPages(t *testing.T) {
	d := annualReport()
	var pages []parse.Section
	for _, s := range d.Sections {
		if s.Kind == parse.Page {
			pages = append(pages, s)
		}
	}
	heads := pageHeads(d.Text, pages)
	require.Equal(t, "Annual report of fiscal year 2018", heads[0], "the running head is not part of it")
	require.Equal(t, "Consolidated Statements of Financial Position\n(in millions)", heads[25])
	require.Equal(t, heads[25], heads[26], "a page that begins with a table goes on with the title before it")
	at := strings.Index(d.Text, "| | 2018")
	require.Equal(t, "(in millions)\nConsolidated Statements of Financial Position\nAcme Inc.", captionOf(d.Text, at))
}

// TestReports asks a report as analysts do: each question is answered by a
// statement that does not use its words, or is mostly about how to answer.
func TestReports(t *testing.T) {
	d := annualReport()
	r := New(Options{Splitter: Splitter{Size: 60}})
	for question, page := range map[string]int{
		"What was on Acme's balance sheet for FY2018?":                                  26,
		"What is the quick ratio of Acme in FY2018?":                                    26,
		"Does Acme have positive working capital based on FY2018 data?":                 26,
		"What is Acme's gross margin in FY2018?":                                        28,
		"What is the year end FY2018 net PP&E of Acme? Answer in USD millions, please.": 26,
		"How much did Acme's COGS change? Round the answer to two decimal places.":      28,
	} {
		found, err := r.Retrieve(t.Context(), Request{Query: question, Documents: []parse.Document{d}, Limit: 2})
		require.NoError(t, err)
		require.NotEmpty(t, found.Citations, question)
		var pages []int
		for _, c := range found.Citations {
			pages = append(pages, c.Page)
		}
		require.Contains(t, pages, page, question)
	}
}

func TestPassagesOfOtherPagesFirst(t *testing.T) {
	long := "Vacation of staff\n\n" + strings.Repeat("Vacation days of staff are thirty vacation days a year of vacation. ", 12)
	d := paged(long, "Notice\n\nThe vacation of staff in probation is set by the head of department, once.", "Laptops\n\nOld ones are replaced.")
	r := New(Options{Splitter: Splitter{Size: 40}})
	found, err := r.Retrieve(t.Context(), Request{Query: "vacation days of staff", Documents: []parse.Document{d}, Limit: 2, Threshold: new(0.0)})
	require.NoError(t, err)
	require.Len(t, found.Citations, 2)
	require.Equal(t, []int{1, 2}, []int{found.Citations[0].Page, found.Citations[1].Page})
}
