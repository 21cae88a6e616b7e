package retrieve

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
)

// TestNamedQuestions asks what once got nothing or the wrong passage first. Those
// that no rule of words can answer are here too, so that it is noticed when
// something does.
func TestNamedQuestions(t *testing.T) {
	const (
		leave     = "Annual leave\n\nFull-time staff get 30 days of annual leave a year.\n\nEquipment\n\nLaptops are replaced every four years."
		urlaub    = "Erholungsurlaub\n\nDie Beschäftigten haben Anspruch auf 30 Tage Erholungsurlaub im Jahr.\n\nGeräte\n\nRechner werden alle vier Jahre ersetzt und nicht verkauft."
		holiday   = "休假规定\n\n员工每年享有十五天年假。\n\n设备\n\n电脑每四年更换一次。"
		patient   = "Case report\n\nThe patient was diagnosed with type 2 diabetes in 2019.\n\nHospital\n\nThe hospital has four floors."
		paper     = "Cold starts of functions\n\nA. Miller, B. Jones, Institute of Systems\n\nAbstract. We measure cold starts."
		manifolds = "Mannigfaltigkeiten in der Physik\n\nDie Mannigfaltigkeit der Zustände wird in Kapitel 4 und die der Bahnen in Kapitel 5 behandelt.\n\n" +
			"Grundbegriffe\n\nEine Mannigfaltigkeit ist ein topologischer Raum, der lokal dem euklidischen Raum gleicht.\n\nDas Wetter\n\nEs war nicht kalt und nicht warm."
	)
	for _, c := range []struct {
		question, text, answer string
		byWords                bool // words can find it
	}{
		{"Was ist eine Mannigfaltigkeit?", manifolds, "topologischer Raum", true},
		{"What is the diagnosis?", patient, "diagnosed", true},                  // English forms that the stemmer leaves apart
		{"Who are the authors?", paper, "A. Miller", false},                     // names do not say that they are authors
		{"How many vacation days do I get?", leave, "30 days", false},           // "days" is not enough of it
		{"Wie viele Urlaubstage habe ich?", urlaub, "30 Tage", false},           // "Urlaubstage" is neither word of the text
		{"年假有几天？", holiday, "年假", true},                                         // the word is there
		{"Wie lange ist der Erholungsurlaub?", urlaub, "Erholungsurlaub", true}, // asked in the text's own word
	} {
		r := New(Options{Splitter: Splitter{Size: 40}})
		found, err := r.Retrieve(t.Context(), Request{Query: c.question, Documents: []parse.Document{{FileID: "f", Name: "f", Parser: "set/1", Text: c.text}}, Limit: 1})
		require.NoError(t, err)
		got, affinity := "", 0.0
		if len(found.Candidates) > 0 {
			affinity = found.Candidates[0]
		}
		if len(found.Citations) > 0 {
			got = found.Citations[0].Text
		}
		t.Logf("%-40s affinity %.3f cited %t", c.question, affinity, got != "")
		require.Equal(t, c.byWords, strings.Contains(got, c.answer), c.question)
	}
}
