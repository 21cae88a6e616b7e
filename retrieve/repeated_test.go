package retrieve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/chat"
	"inlay/parse"
	"inlay/retrieve"
)

// report has pages of text with the same header over each and a page number below.
func report(pages int) parse.Document {
	var b strings.Builder
	d := parse.Document{Name: "report.pdf", Parser: "pdf/1"}
	mark := func(kind parse.Kind, label, text string) {
		d.Sections = append(d.Sections, parse.Section{Kind: kind, Label: label, Start: b.Len(), End: b.Len() + len(text)})
		b.WriteString(text)
	}
	for i := range pages {
		start := b.Len()
		mark(parse.PageHeader, "Acme Annual Report", "Acme Annual Report 2018")
		fmt.Fprintf(&b, "\n\n%s The harbour on page %d has berth %d.\n\n", strings.Repeat("Ships came and went. ", 4), i+1, 100+i)
		mark(parse.PageFooter, "", fmt.Sprint(i+1))
		d.Sections = append(d.Sections, parse.Section{Kind: parse.Page, Number: i + 1, Start: start, End: b.Len()})
		b.WriteString("\n\n")
	}
	d.Text = strings.TrimSpace(b.String())
	d.FileID = parse.FileID([]byte(d.Text))
	parse.SortSections(d.Sections)
	return d
}

// Chunks and citations leave out headers and footers; what they have is where they
// say it is.
func TestPassagesWithoutHeadersAndFooters(t *testing.T) {
	d := report(8)
	for _, size := range []int{12, 40, 120, 1000} {
		s := retrieve.Splitter{Size: size, Measure: retrieve.Words{}}
		var all, texts strings.Builder
		several := false
		for _, c := range s.Split(d) {
			all.WriteString(c.Text)
			require.NotRegexp(t, `(?m)^\d$`, c.Text)
			require.Equal(t, count(retrieve.Words{}, c.Text), c.Tokens)
			require.LessOrEqual(t, c.Tokens, size)
			if len(c.Ranges) == 0 {
				require.Equal(t, d.Text[c.Start:c.End], c.Text)
				continue
			}
			several = true
			require.Equal(t, chat.Join(d.Text, c.Ranges), c.Text)
			require.Equal(t, []int{c.Start, c.End}, []int{c.Ranges[0].Start, c.Ranges[len(c.Ranges)-1].End})
		}
		require.Equal(t, size >= 120, several, size)
		for i := range 8 {
			fmt.Fprintf(&texts, "berth %d.", 100+i)
			require.Contains(t, all.String(), fmt.Sprintf("berth %d.", 100+i))
		}
		require.Equal(t, 1, strings.Count(all.String(), "Annual Report"), "said once")
	}
}

// A passage that reaches over a page's end is cited by its ranges, read from
// memory and from the cache alike.
func TestCitationOverPages(t *testing.T) {
	d := report(6)
	store := new(cache.Memory)
	for range 2 {
		r := retrieve.New(retrieve.Options{Cache: store, Splitter: retrieve.Splitter{Size: 60}})
		p, err := r.Retrieve(t.Context(), retrieve.Request{Query: "Which berth has the harbour on page 3?", Documents: []parse.Document{d}, Limit: 1, Budget: 400, Threshold: new(0.0)})
		require.NoError(t, err)
		require.Len(t, p.Citations, 1)
		c := p.Citations[0]
		require.Greater(t, len(c.Ranges), 1)
		require.Equal(t, d.Text[c.Start:c.End], c.Text, "INJ-20")
		require.Equal(t, chat.Join(d.Text, c.Ranges), c.Shown())
		require.Equal(t, []int{c.Start, c.End}, []int{c.Ranges[0].Start, c.Ranges[len(c.Ranges)-1].End})
		require.LessOrEqual(t, strings.Count(c.Shown(), "Annual Report"), 1)
		require.NotRegexp(t, `(?m)^\d$`, c.Shown())
		require.Contains(t, c.Text, "berth 102.")
	}
}

// Nothing is found by what every page says at its edge.
func TestHeadersAreFoundOnce(t *testing.T) {
	r := retrieve.New(retrieve.Options{Splitter: retrieve.Splitter{Size: 40}})
	p, err := r.Retrieve(t.Context(), retrieve.Request{Query: "Acme Annual Report", Documents: []parse.Document{report(8)}, Limit: 5, Threshold: new(0.2)})
	require.NoError(t, err)
	require.NotEmpty(t, p.Citations)
	require.Equal(t, 1, p.Citations[0].Page)
	require.Contains(t, p.Citations[0].Text, "Acme")
	for _, c := range p.Citations[1:] {
		require.NotContains(t, c.Text, "Acme")
	}
}
