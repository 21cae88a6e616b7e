package asks_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/asks"
)

// request is a line of a set.
type request struct{ language, text string }

func readSet(t *testing.T, file string) []request {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	var set []request
	language := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			language = strings.Trim(line, "[]")
		default:
			set = append(set, request{language, line})
		}
	}
	return set
}

// measure returns precision and recall of the recognition of requests about
// whole documents, and logs what was wrong.
func measure(t *testing.T, whole, passage []request) (precision, recall float64) {
	t.Helper()
	missed, taken := map[string]int{}, map[string]int{}
	for _, r := range whole {
		if asks.Of(r.text) == asks.Passage {
			missed[r.language]++
			t.Logf("missed %s %s", r.language, r.text)
		}
	}
	for _, r := range passage {
		if kind := asks.Of(r.text); kind != asks.Passage {
			taken[r.language]++
			t.Logf("%s %s: %s", kind, r.language, r.text)
		}
	}
	right, wrong := len(whole), 0
	for _, n := range missed {
		right -= n
	}
	for _, n := range taken {
		wrong += n
	}
	precision, recall = float64(right)/float64(right+wrong), float64(right)/float64(len(whole))
	t.Logf("%d requests, %d look-alikes: precision %.3f, recall %.3f; missed %v, taken %v", len(whole), len(passage), precision, recall, missed, taken)
	return precision, recall
}

func TestRequests(t *testing.T) {
	whole, passage := readSet(t, "whole.txt"), readSet(t, "passage.txt")
	require.GreaterOrEqual(t, len(whole), 400)
	require.GreaterOrEqual(t, len(passage), 400)
	precision, recall := measure(t, whole, passage)
	require.GreaterOrEqual(t, precision, .95)
	require.GreaterOrEqual(t, recall, .95)
}

func TestKinds(t *testing.T) {
	for text, kind := range map[string]asks.Kind{
		"Summarise this.": asks.Summary, "Compare the two contracts": asks.Compare, "List all deadlines": asks.List,
		"How many orders are from Kenya?": asks.Count, "How many chapters are there?": asks.Structure, "How many sheets does it have?": asks.Structure,
		"Which chapters are there?": asks.Structure, "What sections does this document have?": asks.Structure, "Which section deals with leave?": asks.Passage,
		"Quels chapitres y a-t-il ?": asks.Structure, "¿Qué capítulos hay?": asks.Structure, "Quali capitoli ci sono?": asks.Structure,
		"Quais capítulos existem?": asks.Structure, "Quelle section parle des congés ?": asks.Passage,
		"table of contents": asks.Structure, "What are the chapters?": asks.Structure, "How many days of leave do I get?": asks.Passage,
		"": asks.Passage, "?": asks.Passage, "Wie viele Kapitel gibt es?": asks.Structure, "文档有多少章？": asks.Structure, "كم فصلا في المستند؟": asks.Structure,
		"How many times is \"summary\" mentioned?": asks.Count, "What does \"compare the files\" mean?": asks.Passage,
	} {
		require.Equal(t, kind, asks.Of(text), text)
	}
}

func TestConditional(t *testing.T) {
	for _, text := range []string{
		"How many orders are not from Kenya?", "How many orders from Kenya have more than 5 items?", "Wie viele Bestellungen sind nicht aus Kenia?",
		"How many different countries are there?", "有多少订单不是来自肯尼亚的？",
	} {
		require.True(t, asks.Conditional(text), text)
	}
	for _, text := range []string{"How many orders are from Kenya?", "Wie viele Bestellungen kommen aus Kenia?", "有多少订单来自肯尼亚？", "Combien de factures viennent du Kenya ?"} {
		require.Equal(t, asks.Count, asks.Of(text), text)
		require.False(t, asks.Conditional(text), text)
	}
}

func BenchmarkOf(b *testing.B) {
	for b.Loop() {
		asks.Of("How long is the notice period in the first two years of employment?")
	}
}

func FuzzOf(f *testing.F) {
	f.Add("Summarise this\xff")
	f.Fuzz(func(_ *testing.T, text string) { asks.Of(text) })
}

// TestSecondSet measures requests that were written before the words and that
// the words were never changed for. What the first run gave is in docs/retrieval.md.
func TestSecondSet(t *testing.T) {
	precision, recall := measure(t, readSet(t, "second-whole.txt"), readSet(t, "second-passage.txt"))
	require.GreaterOrEqual(t, precision, .9)
	require.GreaterOrEqual(t, recall, .8)
}
