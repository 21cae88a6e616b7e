package tokens_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
	"github.com/stretchr/testify/require"

	"inlay/tokens"
)

// reference is tiktoken-go, whose ids ours must be.
func reference(tb testing.TB, name string) *tiktoken.Tiktoken {
	tb.Helper()
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	r, err := tiktoken.GetEncoding(name)
	require.NoError(tb, err)
	return r
}

func encoding(tb testing.TB, name string) *tokens.Encoding {
	tb.Helper()
	e, err := tokens.NewEncoding(name)
	require.NoError(tb, err)
	return e
}

// parts are what the splitting patterns and the merges stumble over.
var parts = []string{
	"a", "b", "the", "The", "THE", "Aa", "aA", "é", "É", "ß", "ǅ", "ʰ", "ª", "中", "文", "日本", "한", "ا", "א", "ह", "ि", "\u0301", "\u0300\u0301",
	" ", "  ", "    ", "\t", "\n", "\r", "\r\n", "\n\n", "\u00a0", "\u3000", "\u2028", "\u0085", "\v",
	"0", "1", "12", "123", "1234", "٣", "½", "Ⅷ", "²", ".", ",", "!", "/", "//", "\\", "'", "''", "\"", "-", "--", "=", "====", "_", "(", ")", "{}", ";\n", ")/\n",
	"'s", "'S", "'t", "'re", "'RE", "'Ve", "'ll", "'lL", "'d", "'m", "'l", "'r", "’s",
	"😀", "👨‍👩‍👧", "🇩🇪", "\u200d", "\ufeff", "\ufffd", "\x00", "\x01", "\x7f", "\xff", "\xc3", "\xe4\xb8", "\xed\xa0\x80", "\xf0\x9f",
	"<|endoftext|>", "<|im_start|>", "<|fim_prefix|>", "https://a.b/c?d=e", "foo_bar", "fooBar", "getHTTPResponse", "naïve", "word ", " word", "aaaaaaaaaaaaaaaaaaaa", "ABABABABABABABABABAB",
	"Donaudampfschifffahrtsgesellschaft", "antidisestablishmentarianism", "x9f8e7d6c5b4a", "QmFzZTY0IGlzIGZ1bg==", "                                      ", "================================", "中文中文中文中文中文",
}

func randomText(r *rand.Rand, bytes int) string {
	var b strings.Builder
	for b.Len() < bytes {
		p := parts[r.IntN(len(parts))]
		for range 1 + r.IntN(3)*r.IntN(2) {
			b.WriteString(p)
		}
	}
	return b.String()
}

func TestIDsEqualReference(t *testing.T) {
	for _, name := range tokens.Encodings() {
		t.Run(name, func(t *testing.T) {
			want, got := reference(t, name), encoding(t, name)
			r := rand.New(rand.NewPCG(1, 2))
			for range some(3000) {
				text := randomText(r, 1+r.IntN(120))
				ids := want.EncodeOrdinary(text)
				require.Equal(t, ids, append([]int(nil), got.Encode(text)...), "%q", text)
				require.Equal(t, len(ids), got.Count(text).N, "%q", text)
			}
		})
	}
}

// Every offset that Walk yields is a place where both sides keep their tokens,
// and so is every stretch between two of them.
func TestWalk(t *testing.T) {
	for _, name := range tokens.Encodings() {
		t.Run(name, func(t *testing.T) {
			e := encoding(t, name)
			r := rand.New(rand.NewPCG(3, 4))
			for range some(1000) {
				text := randomText(r, 1+r.IntN(300))
				ends, totals := []int{0}, []int{0}
				for end, total := range e.Walk(text) {
					ends, totals = append(ends, end), append(totals, total)
				}
				require.Equal(t, len(text), ends[len(ends)-1])
				require.Equal(t, e.Count(text).N, totals[len(totals)-1])
				for range 10 {
					a := r.IntN(len(ends))
					b := a + r.IntN(len(ends)-a)
					require.Equal(t, totals[b]-totals[a], e.Count(text[ends[a]:ends[b]]).N, "%q %d:%d", text, ends[a], ends[b])
				}
			}
		})
	}
}
