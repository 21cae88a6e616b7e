package injection_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/injection"
	"inlay/retrieve"
)

func TestWholeDocument(t *testing.T) {
	for _, q := range []string{
		"Summarise this", "give me a summary", "TL;DR?", "compare the two contracts", "How many clauses are there?", "list all deadlines",
		"What is this document about?", "Fasse das Dokument bitte zusammen", "Wie viele Kapitel gibt es?", "résume ce texte", "resumen del contrato",
		"what are the main points", "Gib mir einen Überblick", "differences between the two",
	} {
		require.True(t, injection.WholeDocument(q), q)
	}
	for _, q := range []string{
		"How long is the notice period?", "who signed the contract", "Wann beginnt der Urlaub?", "where is the crane",
		"What different colour is it?", "who recaptured it", "what does clause 4 say",
	} {
		require.False(t, injection.WholeDocument(q), q)
	}
}

func TestCoverage(t *testing.T) {
	text, err := os.ReadFile("../testdata/handbook.md")
	require.NoError(t, err)
	in := &injection.Injector{Reader: reader{}, Retriever: retrieve.New(retrieve.Options{})}
	req := injection.Request{
		Text: "Summarise the handbook", Files: []injection.File{file("handbook.md", string(text))}, Model: model{length: 600},
		Options: injection.Options{},
	}
	res, err := in.Inject(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, injection.Retrieval, res.Strategy)
	require.GreaterOrEqual(t, len(res.Citations), 3)
	require.Greater(t, res.Coverage.Share, .3)
	require.Less(t, res.Coverage.Share, 1.0)
	require.Contains(t, warningCodes(res), "coverage")
	end := 0
	for _, c := range res.Citations {
		require.Equal(t, string(text[c.Start:c.End]), c.Text)
		require.GreaterOrEqual(t, c.Start, end, "document order")
		end = c.End
	}
	req.Options.NoCoverage = true
	res, err = in.Inject(t.Context(), req)
	require.NoError(t, err)
	require.Nil(t, res.Coverage)
}
