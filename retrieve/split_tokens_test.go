package retrieve_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/retrieve"
	"inlay/tokens"
)

func encodings(t *testing.T) []*tokens.Encoding {
	t.Helper()
	var all []*tokens.Encoding
	for _, name := range []string{"cl100k_base", "o200k_base"} {
		e, err := tokens.NewEncoding(name)
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}

func TestSplitCountsWithAVocabulary(t *testing.T) {
	encodings, length := encodings(t), 300 // of a text, in chunks
	if testing.Short() {                   // one goroutine: little for the race detector
		encodings, length = encodings[:1], 30
	}
	for _, e := range encodings {
		for name, text := range oddTexts() {
			t.Run(e.Name()+"/"+name, func(t *testing.T) {
				for _, s := range []retrieve.Splitter{{Size: 3, Overlap: 1, Measure: e}, {Size: 100, Overlap: 30, Measure: e}} {
					d := document(text[:min(len(text), length*s.Size)])
					checkChunks(t, s, e, d, s.Split(d))
				}
			})
		}
		for seed := range uint64(length / 3) {
			r := rand.New(rand.NewPCG(seed, 7))
			d := randomDocument(r)
			s := retrieve.Splitter{Size: 1 + r.IntN(60), Measure: e}
			s.Overlap = r.IntN(s.Size/2 + 1)
			checkChunks(t, s, e, d, s.Split(d))
		}
	}
}

// A text of many parts is counted as it is in one piece.
func TestSplitCountsLargeTexts(t *testing.T) {
	for _, e := range encodings(t)[:1] {
		for _, name := range []string{"no line break", "ideographs", "numbers", "families", "indented", "letters"} {
			text := oddTexts()[name]
			t.Run(e.Name()+"/"+name, func(t *testing.T) {
				text := strings.Repeat(text+"\n", 1+70_000/(len(text)+1))
				s := retrieve.Splitter{Size: 2000, Measure: e}
				total := 0
				for _, c := range s.Split(document(text)) {
					require.Equal(t, e.Count(c.Text).N, c.Tokens)
					total += c.Tokens
				}
				require.LessOrEqual(t, total, e.Count(text).N+len(text)/1000)
			})
		}
	}
}
