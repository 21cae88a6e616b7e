package asks

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExpressions: what is not even compiled for a text does not match it.
func TestExpressions(t *testing.T) {
	var texts []string
	for _, file := range []string{"whole.txt", "passage.txt", "second-whole.txt", "second-passage.txt"} {
		data, err := os.ReadFile("testdata/" + file)
		require.NoError(t, err)
		n := 0
		for line := range strings.Lines(string(data)) {
			if n++; n%3 != 0 { // all take seconds
				continue
			}
			texts = append(texts, plainly(line))
		}
	}
	for _, l := range languages() {
		for _, e := range l.words().lists {
			if e.any == nil {
				require.False(t, e.matches("anything"))
				require.Nil(t, e.find("anything"))
				continue
			}
			for _, text := range texts {
				if !l.writes(text, hasKana(text)) {
					continue
				}
				at := e.any().FindStringIndex(text)
				require.Equal(t, at, e.find(text))
				require.Equal(t, at != nil, e.matches(text), "%q", text)
				require.Equal(t, e.any().ReplaceAllString(text, ""), e.without(text))
			}
		}
	}
}

func TestNeeded(t *testing.T) {
	for pattern, want := range map[string][]string{
		"(?:^| )(?:summar[iy])(?:$| )":       {"summar"},
		"how (?:many|much)":                  {"how "},
		"a|list of|all (?:the )?chapters":    {"a", "list of", "chapters"},
		"(?:the )?[a-z]*":                    nil,
		"(?:boats?|ships?) ?x+":              {"boat", "ship"},
		"(?i)summary":                        nil,
		"(?:in|on)(?: the)? (?:whole|total)": {"whole", "total"},
	} {
		require.ElementsMatch(t, want, newPhrase(pattern).needs, pattern)
	}
}

func TestEndings(t *testing.T) {
	for pattern, want := range map[string][]string{
		"(?:^| )(?:(?:please|hi|hello)$)": {"please", "i", "ello"},
		"(?:about(?: it)?)$":              nil,
		"so|and$":                         nil,
		"(?:so|and)$":                     {"so", "and"},
		"please":                          nil,
	} {
		require.ElementsMatch(t, want, newPhrase(pattern).ends, pattern)
	}
}
