package retrieve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
	"inlay/retrieve"
)

// section marks the range from the first occurrence of from to the first
// occurrence of to after it, or the text's end.
func section(text string, kind parse.Kind, label string, level int, from, to string) parse.Section {
	start := strings.Index(text, from)
	end := len(text)
	if i := strings.Index(text[start+1:], to); to != "" && i >= 0 {
		end = start + 1 + i
	}
	return parse.Section{Kind: kind, Label: label, Level: level, Start: start, End: end}
}

func TestSplitCutsBetweenSentences(t *testing.T) {
	text := "The first sentence is here. It cost 3.5 million, too much. Is this the third? The last one ends it."
	require.Equal(t, []string{
		"||The first sentence is here.",
		"||It cost 3.5 million, too much.",
		"||Is this the third?",
		"||The last one ends it.",
	}, texts(retrieve.Splitter{Size: 10, Measure: retrieve.Words{}}.Split(document(text))))
}

func TestSplitPrefersASentenceToAWrappedLine(t *testing.T) {
	text := "One sentence that a narrow page\nbroke in the middle. Another that\nis broken too, and goes on\nfor a while."
	require.Equal(t, []string{
		"||One sentence that a narrow page\nbroke in the middle.",
		"||Another that\nis broken too, and goes on\nfor a while.",
	}, texts(retrieve.Splitter{Size: 16, Measure: retrieve.Words{}}.Split(document(text))))
}

func TestSplitPrefersHeadings(t *testing.T) {
	text := "# Handbook\n\nWelcome to the company, where all is well.\n\n## Leave\n\nThirty days in every year of work.\n\n## Pay\n\nPaid on the last day of the month, always."
	d := document(
		text,
		section(text, parse.Heading, "Handbook", 1, "# Handbook", ""),
		section(text, parse.Heading, "Leave", 2, "## Leave", "## Pay"),
		section(text, parse.Heading, "Pay", 2, "## Pay", ""),
	)
	require.Equal(t, []string{
		"Handbook||# Handbook\n\nWelcome to the company, where all is well.",
		"Handbook > Leave||## Leave\n\nThirty days in every year of work.",
		"Handbook > Pay||## Pay\n\nPaid on the last day of the month, always.",
	}, texts(retrieve.Splitter{Size: 20, Overlap: 5, Measure: retrieve.Words{}}.Split(d)), "and repeats nothing across them")
	require.Len(t, retrieve.Splitter{}.Split(d), 1, "what fits stays whole")
}

func TestHeadingIsThatOfTheBody(t *testing.T) {
	text := "# Handbook\n\n## Leave\n\nThirty days."
	d := document(
		text,
		section(text, parse.Heading, "Handbook", 1, "# Handbook", ""),
		section(text, parse.Heading, "Leave", 2, "## Leave", ""),
	)
	require.Equal(t, "Handbook > Leave", retrieve.Splitter{}.Split(d)[0].Heading)
}

// TestLanguagesAreNoHeadings: a part of a declaration is under its name, a part of
// a fenced block is not under the language of the fence.
func TestLanguagesAreNoHeadings(t *testing.T) {
	fence := "# Use\n\n```console\n" + strings.Repeat("$ inlay ask a question\n", 9) + "```\n"
	d := document(fence, section(fence, parse.Heading, "Use", 1, "# Use", ""), section(fence, parse.Code, "console", 0, "```console", ""))
	for _, c := range (retrieve.Splitter{Size: 20, Measure: retrieve.Words{}}).Split(d) {
		require.Equal(t, "Use", c.Heading)
	}
	body := "func tide() {\n" + strings.Repeat("\trise(water, moon)\n", 20) + "}\n"
	d = document(body, section(body, parse.Code, "tide", 0, "func", ""))
	chunks := retrieve.Splitter{Size: 20, Measure: retrieve.Words{}}.Split(d)
	require.Greater(t, len(chunks), 2)
	require.Equal(t, "tide", chunks[1].Heading)
}

func TestHeadingsOfHostileDocumentsStayShort(t *testing.T) {
	text := strings.Repeat("deep ", 2000)
	d := document(text)
	for i := range 500 {
		d.Sections = append(d.Sections, parse.Section{Kind: parse.Heading, Label: strings.Repeat("ä", 5000), Level: i + 1, Start: i * 10, End: len(text)})
	}
	for _, c := range (retrieve.Splitter{Size: 50, Measure: retrieve.Words{}}).Split(d) {
		require.Less(t, len(c.Heading), 2000)
	}
}

func TestSplitRepeatsATablesHeader(t *testing.T) {
	rows := "| Name | Days |\n|---|---|\n" + strings.Repeat("| Somebody | 30 |\n", 12)
	text := "Before the table.\n\n" + rows + "\nAfter the table."
	table := section(text, parse.Table, "", 0, "| Name", "\nAfter")
	chunks := retrieve.Splitter{Size: 40, Measure: retrieve.Words{}}.Split(document(text, table))
	require.Greater(t, len(chunks), 2)
	for _, c := range chunks {
		inside := c.Start > table.Start && c.Start < table.End
		require.Equal(t, inside, c.Header == "| Name | Days |", c.Text)
		require.NotContains(t, strings.TrimPrefix(c.Text, "Before the table.\n\n| Name | Days |"), "Name")
		if inside {
			require.True(t, strings.HasPrefix(c.Text, "|"), "begins with a row: %q", c.Text)
		}
	}

	huge := "| " + strings.Repeat("head ", 500) + "|\n" + strings.Repeat("| cell |\n", 200)
	for _, c := range (retrieve.Splitter{Size: 64, Measure: retrieve.Words{}}).Split(document(huge, parse.Section{Kind: parse.Table, End: len(huge)})) {
		require.Empty(t, c.Header, "too large to repeat")
	}
}

func TestSplitKeepsDeclarationsWhole(t *testing.T) {
	text := "package a\n\nfunc short() {\n\tone()\n}\n\nfunc next() {\n\ttwo()\n\n\tthree()\n\n\tfour()\n}\n\nfunc last() {\n\tfive()\n}\n"
	d := document(
		text,
		section(text, parse.Code, "short", 0, "func short", "\nfunc next"),
		section(text, parse.Code, "next", 0, "func next", "\nfunc last"),
		section(text, parse.Code, "last", 0, "func last", ""),
	)
	require.Equal(t, []string{
		"||package a\n\nfunc short() {\n\tone()\n}",
		"||func next() {\n\ttwo()\n\n\tthree()\n\n\tfour()\n}",
		"||func last() {\n\tfive()\n}",
	}, texts(retrieve.Splitter{Size: 28, Measure: retrieve.Words{}}.Split(d)))
}

func TestSplitCutsListsBetweenItems(t *testing.T) {
	text := "Bring these:\n- a pen that writes well\n- a book of many pages\n- a lamp for the night\n- a hat against the sun\n"
	for _, c := range (retrieve.Splitter{Size: 20, Measure: retrieve.Words{}}).Split(document(text))[1:] {
		require.True(t, strings.HasPrefix(c.Text, "- "), c.Text)
	}
}

func TestOverlapRepeatsWholeSentences(t *testing.T) {
	text := strings.Repeat("Here is one sentence of some words. ", 60)
	chunks := retrieve.Splitter{Size: 60, Overlap: 25, Measure: retrieve.Words{}}.Split(document(text))
	covered := chunks[0].End
	for _, c := range chunks[1:] {
		require.Less(t, c.Start, covered)
		require.True(t, strings.HasPrefix(c.Text, "Here is"), c.Text)
		covered = c.End
	}
}

func TestPartOfADeclarationHasItsName(t *testing.T) {
	text := "func long() {\n" + strings.Repeat("\tcall()\n", 40) + "}\n\nfunc next() {}\n"
	d := document(
		text,
		section(text, parse.Code, "long", 0, "func long", "\nfunc next"),
		section(text, parse.Code, "next", 0, "func next", ""),
	)
	chunks := retrieve.Splitter{Size: 60, Measure: retrieve.Words{}}.Split(d)
	require.Greater(t, len(chunks), 2)
	require.Empty(t, chunks[0].Heading, "it begins with its name")
	for _, c := range chunks[1 : len(chunks)-1] {
		require.Equal(t, "long", c.Heading)
	}
	require.Empty(t, chunks[len(chunks)-1].Heading)
}

// A table is cut between rows, and half a row is never repeated.
func TestOverlapDoesNotCutRows(t *testing.T) {
	rows := strings.Repeat("| A name. Another, T. Rowe | and many words in the second cell |\n", 20)
	for _, c := range (retrieve.Splitter{Size: 60, Overlap: 10, Measure: retrieve.Words{}}).Split(document(rows, parse.Section{Kind: parse.Table, End: len(rows)})) {
		require.True(t, strings.HasPrefix(c.Text, "| A name"), c.Text)
	}
}
