package tokens_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"inlay/tokens"
)

// fuzzPiece is the longest text that is given to the reference: its merge is
// quadratic.
const fuzzPiece = 3000

// sameTables reports whether tiktoken-go splits a text by the same tables:
// its regular expressions use Go's Unicode, older than ours, and fold no long
// s in contractions.
func sameTables(text string) bool {
	if strings.Contains(text, "'ſ") {
		return false
	}
	for _, r := range text {
		if r > unicode.MaxLatin1 && r != utf8.RuneError && !unicode.IsPrint(r) && !unicode.In(r, unicode.White_Space, unicode.Co, unicode.Cf) {
			return false // not assigned, as far as Go knows
		}
	}
	return true
}

// FuzzIDs compares ids, counts and cuts with tiktoken-go and with each other.
func FuzzIDs(f *testing.F) {
	for _, p := range parts {
		f.Add(p)
	}
	f.Add("The quick brown fox's 1234 jumps,\r\n\r\n  over\t\"the\" lazy dog/\n//x")
	f.Add(strings.Repeat("aAé中1 ", 30))
	for kind := range hard(100) {
		f.Add(hard(100)[kind])
	}
	type both struct {
		name   string
		ours   *tokens.Encoding
		theirs interface{ EncodeOrdinary(text string) []int }
	}
	var all []both
	for _, name := range tokens.Encodings() {
		all = append(all, both{name, encoding(f, name), reference(f, name)})
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > fuzzPiece {
			text = text[:fuzzPiece]
		}
		for _, b := range all {
			ids := b.ours.Encode(text)
			if sameTables(text) {
				require.Equal(t, b.theirs.EncodeOrdinary(text), ids, "%s %q", b.name, text)
			}
			require.Equal(t, len(ids), b.ours.Count(text).N, "%s %q", b.name, text)
			last, lastTotal := 0, 0
			for end, total := range b.ours.Walk(text) {
				require.Equal(t, total-lastTotal, b.ours.Count(text[last:end]).N, "%s %q cut at %d", b.name, text, end)
				last, lastTotal = end, total
			}
			require.Equal(t, len(text), last)
			require.Equal(t, len(ids), lastTotal)
			for _, budget := range []int{len(ids) - 1, len(ids), len(text) / 128, len(text)} {
				over, c := b.ours.Exceeds(budget, text)
				requireTrue(t, len(ids), budget, over, c)
			}
		}
	})
}
