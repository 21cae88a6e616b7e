package retrieve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
	"inlay/retrieve"
)

// rules is a document of sections, one of which names the notice period.
func rules() parse.Document {
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "Rule %d. Visitors sign in at the desk of building %d and return their badge in the evening.\n\n", i, i)
		if i == 20 {
			text.WriteString("The notice period is agreed in writing.\n\nIt is six weeks.\n\n")
		}
	}
	return parse.Document{FileID: "rules", Name: "rules.txt", Parser: "test/1", Text: text.String()}
}

func TestWidening(t *testing.T) {
	doc := rules()
	c, err := retrieve.New(retrieve.Options{Splitter: retrieve.Splitter{Size: 24}}).Prepare(t.Context(), retrieve.Request{Documents: []parse.Document{doc}})
	require.NoError(t, err)
	find := func(limit, budget int) retrieve.Passages {
		p, err := c.Find(t.Context(), retrieve.Request{Query: "What is the notice period?", Limit: limit, Budget: budget})
		require.NoError(t, err)
		return p
	}
	narrow, wide := find(1, 0).Citations, find(1, 90).Citations
	require.Len(t, narrow, 1)
	require.Nil(t, narrow[0].Hit)
	require.Len(t, wide, 1)
	require.Equal(t, wide[0].Text, doc.Text[wide[0].Start:wide[0].End])
	require.Contains(t, wide[0].Text, narrow[0].Text)
	require.Greater(t, len(wide[0].Text), len(narrow[0].Text))
	require.Equal(t, narrow[0].Start, wide[0].Hit.Start)
	require.Equal(t, narrow[0].End, wide[0].Hit.End)
	require.Contains(t, wide[0].Text, "six weeks")
}

// TestPassagesKeepToAPart: no passage goes on in another file of an archive,
// however small the files are and however much room there is.
func TestPassagesKeepToAPart(t *testing.T) {
	doc := parse.Document{FileID: "zip", Name: "a.zip", Parser: "test/1"}
	for i := range 6 {
		start := len(doc.Text)
		doc.Text += fmt.Sprintf("The notice period of post %d is agreed in writing.\n\n", i)
		doc.Sections = append(doc.Sections, parse.Section{Kind: parse.Part, Label: fmt.Sprint(i), Start: start, End: len(doc.Text)})
	}
	c, err := retrieve.New(retrieve.Options{}).Prepare(t.Context(), retrieve.Request{Documents: []parse.Document{doc}})
	require.NoError(t, err)
	for _, budget := range []int{0, 1000} {
		p, err := c.Find(t.Context(), retrieve.Request{Query: "What is the notice period of post 3?", Limit: 4, Budget: budget})
		require.NoError(t, err)
		require.NotEmpty(t, p.Citations)
		require.Equal(t, "3", p.Citations[0].Part)
		for _, cited := range p.Citations {
			require.Equal(t, 1, strings.Count(cited.Text, "The notice"))
		}
	}
}

func TestWideningNeitherOverlapsNorSpendsMore(t *testing.T) {
	doc := rules()
	c, err := retrieve.New(retrieve.Options{Splitter: retrieve.Splitter{Size: 24}}).Prepare(t.Context(), retrieve.Request{Documents: []parse.Document{doc}})
	require.NoError(t, err)
	for _, limit := range []int{3, retrieve.AutoLimit} {
		for _, budget := range []int{0, 1, 80, 200, 5000} {
			p, err := c.Find(t.Context(), retrieve.Request{Query: "Where do visitors return their badge?", Limit: limit, Budget: budget})
			require.NoError(t, err)
			require.NotEmpty(t, p.Citations)
			covered := make([]bool, len(doc.Text))
			for _, cited := range p.Citations {
				require.Equal(t, doc.Text[cited.Start:cited.End], cited.Text)
				for i := cited.Start; i < cited.End; i++ {
					require.False(t, covered[i], "byte %d is cited twice", i)
					covered[i] = true
				}
			}
		}
	}
}
