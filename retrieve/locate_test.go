package retrieve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/internal/refdata"
	"inlay/parse"
	"inlay/parse/pdf"
	"inlay/parse/plain"
	"inlay/retrieve"
)

// paged makes a document whose pages, slides or sheets are the texts.
func paged(kind parse.Kind, texts ...string) parse.Document {
	var b strings.Builder
	var d parse.Document
	for i, text := range texts {
		if i > 0 {
			b.WriteString("\n\n")
		}
		d.Sections = append(d.Sections, parse.Section{Kind: kind, Label: fmt.Sprintf("Sheet %d", i+1), Number: i + 9, Start: b.Len(), End: b.Len() + len(text)})
		b.WriteString(text)
	}
	d.Text, d.Name, d.Parser = b.String(), "report.pdf", "pdf/1"
	d.FileID = parse.FileID([]byte(d.Text))
	return d
}

func filler(sentences int) string {
	return strings.TrimSpace(strings.Repeat("Nothing here bears on it at all. ", sentences))
}

// cited asks a document that is one passage.
func cited(t *testing.T, d parse.Document, question string) chat.Citation {
	t.Helper()
	r := retrieve.New(retrieve.Options{Splitter: retrieve.Splitter{Size: 4000}})
	p, err := r.Retrieve(t.Context(), retrieve.Request{Query: question, Documents: []parse.Document{d}, Threshold: new(0.0)})
	require.NoError(t, err)
	require.Len(t, p.Citations, 1)
	return p.Citations[0]
}

// A passage is cited by the pages that the answer is on, and by a range where
// one page would have less than half of it.
func TestPageIsThatOfTheAnswer(t *testing.T) {
	answer := "The notice period is four weeks."
	for name, x := range map[string]struct {
		pages     []string
		page, end int
	}{
		"most of the passage, second page":  {[]string{filler(3), filler(20) + " " + answer}, 10, 0},
		"most of the passage, first page":   {[]string{answer + " " + filler(20), filler(3)}, 9, 0},
		"a small part, before most of it":   {[]string{answer, filler(20)}, 9, 10},
		"a small part, after most of it":    {[]string{filler(20), filler(20), answer}, 9, 11},
		"said on two pages":                 {[]string{filler(9) + answer, answer + filler(9), filler(2)}, 9, 10},
		"no page is a majority of the text": {[]string{filler(10), answer + filler(10), filler(10)}, 9, 11},
	} {
		d := paged(parse.Page, x.pages...)
		c := cited(t, d, "How long is the notice period?")
		require.Equal(t, []int{x.page, x.end}, []int{c.Page, c.PageEnd}, name)
		require.Equal(t, d.Text[c.Start:c.End], c.Text)
	}
	c := cited(t, paged(parse.Slide, filler(3), filler(20)+answer), "How long is the notice period?")
	require.Equal(t, []int{0, 10, 0}, []int{c.Page, c.Slide, c.SlideEnd})
}

func TestHeadingIsThatOfTheAnswer(t *testing.T) {
	d := markdown("handbook.md", handbook)
	for question, heading := range map[string]string{
		"How many days of paid leave do I get?":            "Handbook > Leave",
		"Who approves a flight?":                           "Handbook > Travel",
		"When are laptops replaced?":                       "Handbook > Equipment",
		"What about wombats in the zoological collection?": "Handbook > Travel", // where most of the text is
	} {
		r := retrieve.New(retrieve.Options{})
		p, err := r.Retrieve(t.Context(), retrieve.Request{Query: question, Documents: []parse.Document{d}, Threshold: new(0.0)})
		require.NoError(t, err)
		for _, c := range append(p.Citations, p.NearMisses...) {
			require.Equal(t, heading, c.Heading, question)
		}
	}
}

// A passage over two sheets is cited by the sheet with the answer, and rows are
// those of that sheet alone.
func TestSheetIsThatOfTheAnswer(t *testing.T) {
	var b parse.Builder
	for i, city := range []string{"Bergen", "Mombasa"} {
		b.Open(parse.Section{Kind: parse.Sheet, Label: city, Number: i + 1})
		b.NumberedTable([][]string{{"Boat", "Crew"}, {"Anna of " + city, "4"}, {"Berta of " + city, "5"}}, []int{3, 5, 1236})
		b.Close()
	}
	d, err := b.Document()
	require.NoError(t, err)
	d.FileID = "file-boats"
	c := cited(t, d, "How many are the crew of the Berta of Mombasa?")
	require.Equal(t, "Mombasa", c.Sheet)
	require.Equal(t, []int{3, 1236}, []int{c.RowStart, c.RowEnd})
}

// Rows are those of the file: blank lines count, a cell of several lines does not.
func TestRowsOfACSVFile(t *testing.T) {
	data := "Order,Note\n\nA1,\"two\nlines\"\n\n\nA2,plain\n" + strings.Repeat("B,other\n", 200) + "A3,rowboat\n"
	d, err := plain.CSV(parse.Limits{}).Parse(t.Context(), parse.File{Name: "orders.csv", Data: []byte(data)}, nil)
	require.NoError(t, err)
	d.FileID = parse.FileID([]byte(data))
	p, err := retrieve.New(retrieve.Options{Splitter: retrieve.Splitter{Size: 20}}).Retrieve(t.Context(),
		retrieve.Request{Query: "rowboat", Documents: []parse.Document{d}, Limit: 1, Threshold: new(0.0)})
	require.NoError(t, err)
	c := p.Citations[0]
	require.Equal(t, 207, c.RowEnd, c.Text)
	require.Equal(t, c.RowEnd-c.RowStart, strings.Count(c.Text, "\n"))
	require.Equal(t, "| Order | Note |", c.Header)
}

func TestTimesOfSubtitles(t *testing.T) {
	data := "1\n00:00:01,000 --> 00:00:04,000\nWelcome to the harbour.\n\n2\n00:01:02,000 --> 00:01:05,000\nThe notice period is four weeks.\n"
	d, err := plain.Subtitles(parse.Limits{}).Parse(t.Context(), parse.File{Name: "talk.srt", Data: []byte(data)}, nil)
	require.NoError(t, err)
	d.FileID = parse.FileID([]byte(data))
	c := cited(t, d, "How long is the notice period?")
	require.Equal(t, []string{"0:00:01", "0:01:05"}, []string{c.TimeStart, c.TimeEnd})
}

// A header row is shown with every part of its table, also where it would take
// more than a quarter of a chunk.
func TestHeaderOfWideTables(t *testing.T) {
	columns := make([]string, 40)
	for i := range columns {
		columns[i] = fmt.Sprintf("column %d", i)
	}
	rows := [][]string{columns}
	for i := range 30 {
		rows = append(rows, []string{fmt.Sprintf("harbour %d", i)})
	}
	var b parse.Builder
	b.Table("", rows)
	d, err := b.Document()
	require.NoError(t, err)
	d.FileID = "file-wide"
	p, err := retrieve.New(retrieve.Options{Splitter: retrieve.Splitter{Size: 80}}).Retrieve(t.Context(),
		retrieve.Request{Query: "harbour 29", Documents: []parse.Document{d}, Limit: 1, Threshold: new(0.0)})
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(p.Citations[0].Header, "| column 0 | column 1 |"), p.Citations[0].Header)
}

// No passage of a long PDF is cited by one page that has less than half of it,
// whatever is asked, whatever the size of the passages.
func TestPagesOfLongPDFs(t *testing.T) {
	files := []string{"../strategy/builtin/testdata/lease.pdf", "../parse/pdf/testdata/rtl-ar.pdf"}
	if dir, ok := refdata.Dir(); ok && !testing.Short() {
		for _, name := range []string{
			"docling/files/pdf/sources/redp5110_sampled.pdf", "pdfbox/files/input/cweb.pdf", "pypdf-samples/files/009-pdflatex-geotopo/GeoTopo-komprimiert.pdf",
		} {
			files = append(files, filepath.Join(dir, "documents", filepath.FromSlash(name)))
		}
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // a smaller copy of the reference data
		}
		d, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: filepath.Base(path), Data: data}, nil)
		require.NoError(t, err)
		d.FileID = parse.FileID(data)
		wrong, single, spanning := pagesOf(t, d)
		require.Empty(t, wrong)
		t.Logf("%s: %d passages cited by one page, %d by several", d.Name, single, spanning)
	}
}

// pagesOf cites passages of a document for questions made of its own words.
func pagesOf(t *testing.T, d parse.Document) (wrong []string, single, spanning int) {
	t.Helper()
	r := retrieve.New(retrieve.Options{})
	corpus, err := r.Prepare(t.Context(), retrieve.Request{Documents: []parse.Document{d}})
	require.NoError(t, err)
	step := max(len(d.Text)/60, 200)
	for at := 0; at < len(d.Text); at += step {
		question := strings.ToValidUTF8(d.Text[at:min(at+80, len(d.Text))], "")
		for _, limit := range []int{1, 3} {
			p, err := corpus.Search(t.Context(), question, limit, new(0.0))
			require.NoError(t, err)
			for _, c := range append(p.Citations, p.NearMisses...) {
				if c.PageEnd > 0 {
					spanning++
					continue
				}
				single++
				if on := bytesOn(d, c.Page, c.Start, c.End); 2*on < c.End-c.Start {
					wrong = append(wrong, fmt.Sprintf("%s page %d: %d of %d bytes of %d-%d", d.Name, c.Page, on, c.End-c.Start, c.Start, c.End))
				}
			}
		}
	}
	return wrong, single, spanning
}

// bytesOn is how much of a range is on a page, the white space between pages included.
func bytesOn(d parse.Document, page, start, end int) int {
	for _, s := range d.Sections {
		if s.Kind == parse.Page && s.Number == page {
			return max(0, min(end, s.End)-max(start, s.Start))
		}
	}
	return 0
}
