package retrieve_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/parse"
	"inlay/retrieve"
)

func cost(c chat.Citation) int { return len(strings.Fields(c.Text)) + 5 }

func TestCoverStaysWithinItsBudgetAndInOrder(t *testing.T) {
	text, err := os.ReadFile("../testdata/handbook.md")
	require.NoError(t, err)
	doc := parse.Document{FileID: "f", Name: "handbook.md", Text: string(text)}
	for i, line := 0, 0; line < len(doc.Text); i++ {
		next := line + strings.IndexByte(doc.Text[line:], '\n') + 1
		if strings.HasPrefix(doc.Text[line:], "#") {
			doc.Sections = append(doc.Sections, parse.Section{Kind: parse.Heading, Level: 1, Label: strings.TrimSpace(doc.Text[line:next]), Start: line, End: len(doc.Text)})
		}
		line = next
	}
	r := retrieve.New(retrieve.Options{})
	last := 0
	for _, budget := range []int{0, 60, 150, 400, 100_000} {
		s, err := r.Cover(t.Context(), retrieve.CoverRequest{Documents: []parse.Document{doc}, Budget: budget, Cost: cost})
		require.NoError(t, err)
		spent, end := 0, 0
		for i, c := range s.Citations {
			require.Equal(t, i+1, c.Number)
			require.Equal(t, doc.Text[c.Start:c.End], c.Text)
			require.GreaterOrEqual(t, c.Start, end)
			end = c.End
			spent += cost(c)
		}
		require.LessOrEqual(t, spent, budget)
		require.GreaterOrEqual(t, s.Shown, last)
		last = s.Shown
		require.Equal(t, len(doc.Text), s.Total)
	}
	require.Equal(t, len(strings.TrimSpace(doc.Text)), last, "with room enough all is shown")
}

func TestCoverReachesEveryPartOfEveryDocument(t *testing.T) {
	var big strings.Builder
	for i := range 400 {
		fmt.Fprintf(&big, "Chapter part %d tells of boat number %d and of the people on it, who sail at dawn and are home by night.\n\n", i, i)
	}
	docs := []parse.Document{{FileID: "a", Name: "big", Text: big.String()}, {FileID: "b", Name: "small", Text: "A short note."}}
	s, err := retrieve.New(retrieve.Options{}).Cover(t.Context(), retrieve.CoverRequest{Documents: docs, Budget: 1000, Cost: cost})
	require.NoError(t, err)
	fifths := map[int]bool{}
	small := false
	for _, c := range s.Citations {
		if c.FileID == "a" {
			fifths[5*c.Start/len(docs[0].Text)] = true
		}
		small = small || c.Text == docs[1].Text
	}
	require.Len(t, fifths, 5)
	require.True(t, small, "a small document is taken whole")
	again, err := retrieve.New(retrieve.Options{}).Cover(t.Context(), retrieve.CoverRequest{Documents: docs, Budget: 1000, Cost: cost})
	require.NoError(t, err)
	require.Equal(t, s, again)
}

// TestPartsAreKept: a second selection counts nothing again by the same measure,
// and cites the document by its new name.
func TestPartsAreKept(t *testing.T) {
	doc := parse.Document{FileID: "a", Name: "old.txt", Text: strings.Repeat("Boats leave with the ebb tide and are home by night. ", 200)}
	r := retrieve.New(retrieve.Options{})
	counted := 0
	cover := func(measure any, name string) retrieve.Selection {
		doc.Name = name
		s, err := r.Cover(t.Context(), retrieve.CoverRequest{Documents: []parse.Document{doc}, Budget: 300, Measure: measure, Cost: func(c chat.Citation) int {
			counted++
			return cost(c)
		}})
		require.NoError(t, err)
		require.NotEmpty(t, s.Citations)
		require.Equal(t, name, s.Citations[0].File)
		return s
	}
	first := cover("words", "old.txt")
	require.Equal(t, first.Passages, counted)
	require.Equal(t, first, cover("words", "old.txt"))
	cover("words", "new.txt")
	require.Equal(t, first.Passages, counted)
	cover("other words", "new.txt")
	require.Equal(t, 2*first.Passages, counted)
	cover(nil, "new.txt")
	require.Equal(t, 3*first.Passages, counted)
	r.Forget("", "a")
	cover("other words", "new.txt")
	require.Equal(t, 4*first.Passages, counted, "nothing is left of it")
}
