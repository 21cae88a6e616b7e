package retrieve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
	"inlay/retrieve"
)

// TestOtherLanguage: a question in another language than the documents, of which
// nothing is found, says so; one that finds something, or is too short to tell
// its language, does not.
func TestOtherLanguage(t *testing.T) {
	english := parse.Document{FileID: "file-en", Name: "en.txt", Text: handbook + recipe}
	german := parse.Document{FileID: "file-de", Name: "de.txt", Text: "Die Kündigungsfrist beträgt drei Monate zum Ende des Quartals. " +
		"Der Urlaub ist bis zum Ende des Jahres zu nehmen, und wer krank ist, meldet sich bis neun Uhr bei seiner Vorgesetzten."}
	r := retrieve.New(retrieve.Options{})
	for _, tt := range []struct {
		query string
		docs  []parse.Document
		says  string
	}{
		{"Wie lange ist die Frist, wenn man den Vertrag auflösen will?", []parse.Document{english}, "(de) than the documents (en)"},
		{"How long is the period when the contract is to be ended?", []parse.Document{german}, "(en) than the documents (de)"},
		{"Wie lange ist die Frist, wenn man den Mietvertrag auflösen will?", []parse.Document{english, german}, ""},
		{"Kündigungsfrist Probezeit", []parse.Document{english}, ""},
		{"Who won the football world championship in 1998, and where was it?", []parse.Document{english}, ""},
	} {
		high := .999
		p, err := r.Retrieve(t.Context(), retrieve.Request{Query: tt.query, Documents: tt.docs, Threshold: &high})
		require.NoError(t, err)
		require.Empty(t, p.Citations)
		if tt.says == "" {
			require.Empty(t, p.Warnings, tt.query)
			continue
		}
		require.Len(t, p.Warnings, 1, tt.query)
		require.Equal(t, "other_language", p.Warnings[0].Code)
		require.Contains(t, p.Warnings[0].Message, tt.says)
	}
}
