package intent

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPhrases: the words decide nothing that the expression would decide otherwise.
func TestPhrases(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	all := map[string]func() *phrases{
		"verbs": verbs, "questions": questions, "eastern": eastern, "polite": polite, "timely": timely, "pointing": pointing,
		"instruction": instruction, "wish": wish, "firstPerson": firstPerson, "works": works,
	}
	texts := []string{
		"", " ", "this week this week", "like  this", "LIKE THIS", "thiſ", "here's", "Here\u0345 is", "diese\xff", "ce\u00a0mois",
		"i'd like", "tldr", "tl;dr", "e 以下", "이 ", "help me with this",
	}
	for _, name := range []string{"whole-wild.txtar", "whole-clean.txtar", "whole-tune.txtar", "asks.txt", "tune.txtar"} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			texts = append(texts, line)
			for i, f := 0, strings.Fields(line); i < len(f); i++ {
				texts = append(texts, strings.Join(f[i:min(i+3, len(f))], " "))
			}
		}
	}
	for name, of := range all {
		p := of()
		require.False(t, p.any, name)
		found := 0
		for _, text := range texts {
			want := p.expr().MatchString(text)
			require.Equal(t, want, p.MatchString(text), "%s: %q", name, text)
			if want {
				found++
			}
		}
		require.NotZero(t, found, name)
		require.Less(t, found, len(texts), name)
	}
}

// TestCheapChecks: nor do the first bytes of a line.
func TestCheapChecks(t *testing.T) {
	lines := newPage("INFO x\nError: x\nfoo.BarException x\n\u00a0- x\n\v- x\n  #7 x\nx) y\n// x\n\"\"\"\n- \n")
	for _, name := range []string{"whole-wild.txtar", "whole-tune.txtar", "held.txtar", "tune.txtar"} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		lines.lines = append(lines.lines, newPage(string(data)).lines...)
	}
	for _, l := range lines.lines {
		require.Equal(t, bullet().MatchString(l.text), bulleted(l), "%q", l.text)
		require.Equal(t, itemMark().MatchString(l.trim), item(l.trim), "%q", l.text)
		require.Equal(t, logStart().MatchString(l.text), logged(l.text), "%q", l.text)
		require.Equal(t, comment().MatchString(l.text), commented(l.text), "%q", l.text)
		require.Equal(t, setting().MatchString(l.text), set(l), "%q", l.text)
		require.Equal(t, turn().FindStringSubmatch(l.trim), speaks(l.trim), "%q", l.text)
		require.Equal(t, hexLine().MatchString(l.trim), hexed(l.trim), "%q", l.text)
		require.Equal(t, cue().MatchString(l.trim), cued(l), "%q", l.text)
	}
}
