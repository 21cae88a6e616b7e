package retrieve

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/lexis"
	"inlay/parse"
)

func TestNearDuplicates(t *testing.T) {
	clause := "The tenant pays the rent of 900 euros on the third working day of every month to the account that the landlord names. " +
		"A tenant who is late by more than thirty working days may be asked to leave the flat within a fair time, and the landlord then keeps the deposit."
	lex := lexis.New()
	for name, c := range map[string]struct {
		other string
		want  bool
	}{
		"set anew":         {strings.ReplaceAll(strings.ToUpper(clause), " ", "\n"), true},
		"a word changed":   {strings.Replace(clause, "every month", "each month", 1), true},
		"another number":   {strings.Replace(clause, "900", "950", 1), false},
		"the opposite":     {strings.Replace(clause, "may be asked", "may not be asked", 1), false},
		"half of it":       {clause[:len(clause)/2], false},
		"something else":   {"Laptops are replaced every four years by the help desk.", false},
		"nothing to count": {"—", false},
		"only accents":     {"\u0301 \u00ad", false},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := newLexicalFile(t.Context(), lex, parse.Document{Text: clause}, []Chunk{{Text: clause}, {Text: c.other}})
			require.NoError(t, err)
			require.Equal(t, c.want, f.wording(0).duplicates(f.wording(1)))
			require.Equal(t, c.want, f.wording(1).duplicates(f.wording(0)))
			var o originals
			require.False(t, o.again(f.sketch(0, clause)))
			require.Equal(t, c.want, o.again(f.sketch(1, c.other)))
		})
	}
}

func TestKept(t *testing.T) {
	r := New(Options{})
	d := parse.Document{FileID: "file", Parser: "test/1", Text: "The notice period is three months. Overtime is paid at the end of the quarter."}
	first, err := r.Prepare(t.Context(), Request{Documents: []parse.Document{d}})
	require.NoError(t, err)
	second, err := r.Prepare(t.Context(), Request{Documents: []parse.Document{d}})
	require.NoError(t, err)
	require.Same(t, first.words[0], second.words[0], "analysed once")
	other, err := r.Prepare(t.Context(), Request{Documents: []parse.Document{d}, Namespace: "another caller"})
	require.NoError(t, err)
	require.NotSame(t, first.words[0], other.words[0])
}
