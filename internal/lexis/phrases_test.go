package lexis_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/lexis"
)

func TestPhrases(t *testing.T) {
	an := lexis.New().Analyzer(lexis.English)
	for query, want := range map[string][]string{
		"":                                   nil,
		"a balanced sheet of paper":          {"balanc sheet"},
		"Is the Quick Ratio up? And PP&E?":   {"quick ratio", "pp e"},
		"the cash flow statements of 2018":   {"cash flow statement"},
		"fixed asset turnover and turnover":  {"fix asset turnov", "turnov"},
		"balance, as the word is used alone": nil,
	} {
		units := an.Units(query)
		var found []string
		for _, p := range an.Phrases(units) {
			var text strings.Builder
			for _, u := range units[p.First : p.Last+1] {
				text.WriteString(" " + u.Text)
			}
			found = append(found, text.String()[1:])
			require.NotEmpty(t, p.Wanted)
		}
		require.Equal(t, want, found, query)
	}
	require.Nil(t, lexis.New().Analyzer("de").Phrases(an.Units("balance sheet")))
}

func TestRequests(t *testing.T) {
	an := lexis.New().Analyzer(lexis.English)
	for term, want := range map[string][2]bool{"answer": {true, true}, "inform": {true, false}, "inventori": {}} {
		says, tells := an.Requests(term)
		require.Equal(t, want, [2]bool{says, tells}, term)
	}
}
