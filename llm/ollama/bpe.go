package ollama

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"

	"github.com/dlclark/regexp2"
	"github.com/ollama/ollama/tokenizer"
)

// bytePairs is byte-level byte pair encoding as llama.cpp does it. Ollama's own
// tokenizer, which its newer engine uses, leaves open which of two pairs of
// equal rank is merged first: five spaces become 2+1+2 there and 2+2+1 here.
type bytePairs struct {
	vocabulary *tokenizer.Vocabulary
	special    []string // longest first
	pieces     *regexp2.Regexp
	whole      bool // a piece that is a token is not merged (llama.cpp: ignore_merges)
}

func newBytePairs(v *tokenizer.Vocabulary, pieces string, whole bool) *bytePairs {
	special := slices.Clone(v.SpecialVocabulary())
	slices.SortStableFunc(special, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return &bytePairs{vocabulary: v, special: special, pieces: regexp2.MustCompile(pieces, regexp2.RE2), whole: whole}
}

// Encode returns the ids of text, with the vocabulary's first token if asked.
func (b *bytePairs) Encode(text string, first bool) ([]int32, error) {
	var ids []int32
	if v := b.vocabulary; first && v.AddBOS && len(v.BOS) > 0 {
		ids = append(ids, v.BOS[0])
	}
	err := b.encode(text, b.special, &ids)
	if v := b.vocabulary; first && v.AddEOS && len(v.EOS) > 0 {
		ids = append(ids, v.EOS[0])
	}
	return ids, err
}

// encode cuts text at the special tokens, then into pieces.
func (b *bytePairs) encode(text string, special []string, ids *[]int32) error {
	for i, s := range special {
		before, after, ok := strings.Cut(text, s)
		for ok {
			if err := b.encode(before, special[i+1:], ids); err != nil {
				return err
			}
			*ids = append(*ids, b.vocabulary.Encode(s))
			text = after
			before, after, ok = strings.Cut(text, s)
		}
	}
	runes := []rune(text)
	end := 0
	m, err := b.pieces.FindRunesMatch(runes)
	for ; m != nil && err == nil; m, err = b.pieces.FindNextMatch(m) {
		if m.Index > end {
			b.piece(string(runes[end:m.Index]), ids)
		}
		b.piece(m.String(), ids)
		end = m.Index + m.Length
	}
	if err == nil && end < len(runes) {
		b.piece(string(runes[end:]), ids)
	}
	return err
}

// piece merges one piece, lowest rank first and leftmost among equals.
func (b *bytePairs) piece(text string, ids *[]int32) {
	spelled := visible(text)
	if id := b.vocabulary.Encode(spelled); id >= 0 && (b.whole || len(text) == 1) {
		*ids = append(*ids, id)
		return
	}
	m := newMerger(b.vocabulary, spelled)
	m.run()
	for _, part := range m.parts {
		if part.text != "" {
			if id := b.vocabulary.Encode(part.text); id >= 0 {
				*ids = append(*ids, id)
			}
		}
	}
}

// visible spells bytes as GPT-2's vocabularies do: printable ones as
// themselves, the rest as characters from U+0100 on.
func visible(s string) string {
	var out strings.Builder
	for i := range len(s) {
		r := rune(s[i])
		switch {
		case r == 0xad:
			r = 0x143
		case r <= ' ':
			r += 0x100
		case r >= 0x7f && r <= 0xa0:
			r += 0xa2
		}
		out.WriteRune(r)
	}
	return out.String()
}

// part is a stretch of a piece in a list; an empty one has been merged away.
type part struct {
	text           string
	previous, next int
}

// merger holds a piece's parts and the pairs that may be merged.
type merger struct {
	vocabulary *tokenizer.Vocabulary
	parts      []part
	pairs      pairs
}

func newMerger(v *tokenizer.Vocabulary, spelled string) *merger {
	m := &merger{vocabulary: v}
	for _, r := range spelled {
		n := len(m.parts)
		m.parts = append(m.parts, part{text: string(r), previous: n - 1, next: n + 1})
	}
	for i := range len(m.parts) - 1 {
		m.push(i, i+1)
	}
	return m
}

func (m *merger) push(left, right int) {
	if left < 0 || right >= len(m.parts) {
		return
	}
	a, b := m.parts[left].text, m.parts[right].text
	if rank := m.vocabulary.Merge(a, b); rank >= 0 {
		heap.Push(&m.pairs, pair{left: left, right: right, rank: rank, text: a + b})
	}
}

func (m *merger) run() {
	for m.pairs.Len() > 0 {
		p := heap.Pop(&m.pairs).(pair)
		left, right := &m.parts[p.left], &m.parts[p.right]
		if left.text == "" || right.text == "" || left.next != p.right || left.text+right.text != p.text {
			continue // one of the two has been merged with another since
		}
		left.text, left.next, right.text = p.text, right.next, ""
		if left.next < len(m.parts) {
			m.parts[left.next].previous = p.left
		}
		m.push(left.previous, p.left)
		m.push(p.left, left.next)
	}
}

// pair is two neighbours that a merge rule joins.
type pair struct {
	left, right, rank int
	text              string
}

// pairs is a heap: lowest rank first, then leftmost.
type pairs []pair

// Len implements heap.Interface.
func (p *pairs) Len() int { return len(*p) }

// Less implements heap.Interface.
func (p *pairs) Less(i, j int) bool {
	a, b := (*p)[i], (*p)[j]
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.left, b.left)) < 0
}

// Swap implements heap.Interface.
func (p *pairs) Swap(i, j int) { (*p)[i], (*p)[j] = (*p)[j], (*p)[i] }

// Push implements heap.Interface.
func (p *pairs) Push(x any) { *p = append(*p, x.(pair)) }

// Pop implements heap.Interface.
func (p *pairs) Pop() any {
	old := *p
	last := old[len(old)-1]
	*p = old[:len(old)-1]
	return last
}
