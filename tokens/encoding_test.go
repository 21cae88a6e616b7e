package tokens_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/tokens"
)

func ExampleEncoding_Encode() {
	e, _ := tokens.NewEncoding("o200k_base")
	fmt.Println(e.Encode("lay it in <|endoftext|>"))
	fmt.Println(e.Count("lay it in <|endoftext|>").N)
	// Output:
	// [8639 480 306 464 91 419 1440 919 91 29]
	// 10
}

func ExampleEncoding_Walk() {
	e, _ := tokens.NewEncoding("cl100k_base")
	text := "Chunks end\nwhere counts add up."
	for end, total := range e.Walk(text) {
		fmt.Printf("%q %d\n", text[:end], total)
	}
	// Output:
	// "Chunks" 1
	// "Chunks end" 2
	// "Chunks end\n" 3
	// "Chunks end\nwhere" 4
	// "Chunks end\nwhere counts" 5
	// "Chunks end\nwhere counts add" 6
	// "Chunks end\nwhere counts add up" 7
	// "Chunks end\nwhere counts add up." 8
}

func TestUnknownEncoding(t *testing.T) {
	_, err := tokens.NewEncoding("gpt-9")
	require.True(t, fault.Is(err, fault.Usage))
}

// hard are texts of one piece, or of very many, that cost a quadratic merge
// minutes.
func hard(bytes int) map[string]string {
	r := rand.New(rand.NewPCG(5, 6))
	letters := make([]byte, bytes)
	for i := range letters {
		letters[i] = "abcdefghijklmnopqrstuvwxyz"[r.IntN(26)]
	}
	texts := map[string]string{"letters": string(letters)}
	for name, unit := range map[string]string{
		"a": "a", "space": " ", "emoji": "😀", "=": "=", "one character": "中", "line breaks": "\n", "spaces and breaks": "  \n", "NUL": "\x00",
		"invalid": "\xff", "digits": "7", "Aa": "Aa", "mark": "\u0301", "apostrophes": "'s'", "slashes": "/\n",
	} {
		texts[name] = strings.Repeat(unit, bytes/len(unit))
	}
	return texts
}

// some is an eighth of n in short runs, such as those under the race detector.
func some(n int) int {
	if testing.Short() {
		return n / 8
	}
	return n
}

// A quarter of a megabyte of one letter costs a quadratic merge half a minute, ours a
// millisecond: with one, this test would not end.
func TestHardTexts(t *testing.T) {
	for _, name := range tokens.Encodings() {
		e := encoding(t, name)
		for kind, text := range hard(some(1 << 18)) {
			t.Run(name+"/"+kind, func(t *testing.T) {
				n := e.Count(text)
				require.Equal(t, tokens.Exact, n.Method)
				ids := len(e.Encode(text))
				require.Equal(t, ids, n.N)
			})
		}
	}
}

// Short enough for the reference, long enough for windows to be joined.
func TestLongPiecesEqualReference(t *testing.T) {
	for _, name := range tokens.Encodings() {
		want, got := reference(t, name), encoding(t, name)
		for kind, text := range hard(some(5000)) {
			t.Run(name+"/"+kind, func(t *testing.T) {
				ids := want.EncodeOrdinary(text)
				require.Equal(t, ids, got.Encode(text))
				require.Equal(t, len(ids), got.Count(text).N)
			})
		}
	}
}
