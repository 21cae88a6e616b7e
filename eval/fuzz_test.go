package eval

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzLetters holds quotes to their place: what is found is a slice of the text
// on whole runes, in order, with the letters of the quote; and every stretch of
// the text finds itself.
func FuzzLetters(f *testing.F) {
	f.Add("The “ﬁrst” re-\nmark: ½ Straße, İstanbul", 4, 20)
	f.Add("e\u0301te\u0301 일본어 ㎏ ﷺ", 0, 9)
	f.Fuzz(func(t *testing.T, text string, from, to int) {
		if !utf8.ValidString(text) || len(text) > 1<<12 {
			return
		}
		l := newLetters(text)
		if from < 0 || to > len(text) || from >= to || !utf8.RuneStart(text[from]) || to < len(text) && !utf8.RuneStart(text[to]) {
			return
		}
		quote := newLetters(text[from:to]).text
		last := 0
		for _, r := range l.find(quote) {
			require.LessOrEqual(t, last, r[0])
			require.Less(t, r[0], r[1])
			require.LessOrEqual(t, r[1], len(text))
			require.True(t, utf8.ValidString(text[r[0]:r[1]]), "%q", text[r[0]:r[1]])
			require.True(t, bytes.Contains(newLetters(text[r[0]:r[1]]).text, quote) || !plainLetters(text), "%q for %q", text[r[0]:r[1]], quote)
			last = r[0]
		}
		if len(quote) > 0 && plainLetters(text) {
			require.NotEmpty(t, l.find(quote))
		}
	})
}

// plainLetters reports whether normalising a text works letter by letter.
func plainLetters(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 0x7f })
}

// FuzzQuestions reads any bytes as the CSV of questions: an error with a place,
// or questions that can be asked.
func FuzzQuestions(f *testing.F) {
	f.Add([]byte("question,file,page,quote\nWhy?,a.md,,because\nWhen?,,,\n"))
	f.Add([]byte("\ufeffid;question;answer\n1;\"a\nb\";\"c\"\"d\"\n1;;e\n"))
	f.Add([]byte("question\tfile\tpage\nWho?\tx\t2"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &Set{}
		if err := s.readQuestions(t.Context(), "questions.csv", bytes.NewReader(data)); err != nil {
			require.Contains(t, err.Error(), "questions.csv")
			return
		}
		require.NotEmpty(t, s.Questions)
		for _, q := range s.Questions {
			require.NotEmpty(t, strings.TrimSpace(q.Text))
			for _, e := range q.Expected {
				require.True(t, e.Document != "" || e.Quote != "")
			}
		}
	})
}
