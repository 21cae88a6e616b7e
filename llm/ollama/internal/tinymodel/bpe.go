package tinymodel

import (
	"cmp"
	"slices"
	"strings"
)

// Token types of GGUF vocabularies.
const (
	tokenNormal  = 1
	tokenUnknown = 2
	tokenControl = 3
	tokenDefined = 4 // by the user: it is in texts as it is
	tokenByte    = 6
)

// vocabulary is a byte-level BPE vocabulary.
type vocabulary struct {
	tokens []string
	merges []string
	types  []int32
}

// id returns the number of a token, -1 if there is none.
func (v *vocabulary) id(token string) int { return slices.Index(v.tokens, token) }

func (v *vocabulary) addSpecials(tokens ...string) {
	for _, t := range tokens {
		v.tokens = append(v.tokens, t)
		v.types = append(v.types, tokenControl)
	}
}

// addDefined adds tokens that are whole texts, written as they are.
func (v *vocabulary) addDefined(tokens ...string) {
	for _, t := range tokens {
		v.tokens = append(v.tokens, t)
		v.types = append(v.types, tokenDefined)
	}
}

// visible spells bytes as GPT-2 does: printable bytes as themselves, the rest
// as the characters from U+0100 on.
func visible(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(visibleByte(s[i]))
	}
	return b.String()
}

func visibleByte(c byte) rune {
	switch r := rune(c); {
	case r == 0xad:
		return 0x143
	case r <= ' ':
		return r + 0x100
	case r >= 0x7f && r <= 0xa0:
		return r + 0xa2
	default:
		return r
	}
}

// train learns merges from weighted words until none pays, most frequent pair
// first, ties by spelling. Words keep their leading space.
func train(words map[string]int, most int) *vocabulary {
	v := &vocabulary{}
	for c := range 256 {
		v.tokens = append(v.tokens, string(visibleByte(byte(c))))
	}
	pieces := map[string][]string{}
	for w := range words {
		pieces[w] = strings.Split(visible(w), "")
	}
	for len(v.merges) < most {
		pair, ok := bestPair(pieces, words)
		if !ok {
			break
		}
		v.merges = append(v.merges, pair[0]+" "+pair[1])
		v.tokens = append(v.tokens, pair[0]+pair[1])
		for w := range pieces {
			pieces[w] = join(pieces[w], pair)
		}
	}
	v.types = slices.Repeat([]int32{tokenNormal}, len(v.tokens))
	return v
}

// bestPair finds the neighbours that occur most, at least twice.
func bestPair(pieces map[string][]string, weight map[string]int) ([2]string, bool) {
	count := map[[2]string]int{}
	for w, p := range pieces {
		for i := range len(p) - 1 {
			count[[2]string{p[i], p[i+1]}] += weight[w]
		}
	}
	best, most := [2]string{}, 1
	for pair, n := range count {
		if n > most || n == most && best[0] != "" && earlier(pair, best) {
			best, most = pair, n
		}
	}
	return best, best[0] != ""
}

func earlier(a, b [2]string) bool {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) < 0
}

// join merges every occurrence of pair in p, left to right.
func join(p []string, pair [2]string) []string {
	out := p[:0:0]
	for i := 0; i < len(p); i++ {
		if i+1 < len(p) && p[i] == pair[0] && p[i+1] == pair[1] {
			out = append(out, p[i]+p[i+1])
			i++
			continue
		}
		out = append(out, p[i])
	}
	return out
}
