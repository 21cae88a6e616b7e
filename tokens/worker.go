package tokens

import (
	"math"
	"strings"
	"unicode/utf8"
)

const unlimited = math.MaxInt

// worker is what one goroutine needs to count: a scanner and room for merging.
// Counting allocates nothing once its room has grown to the longest piece met.
type worker struct {
	scanner
	v     *vocabulary
	heap  heap
	out   []uint32
	short [shortPiece]uint32
	memo  memo
}

// piece returns the number of tokens of the piece s[i:j]. Of a very long piece
// it may return less, but more than limit.
func (w *worker) piece(s string, i, j, limit int) int {
	if w.invalid {
		if w.invalid = false; !utf8.ValidString(s[i:j]) {
			s = repair(s[i:j])
			i, j = 0, len(s)
		}
	}
	n := j - i
	switch {
	case n == 1:
		return 1
	case n <= 7:
		k := key7(s, i, n)
		hash := hash7(k)
		if w.v.hasShort(hash, k) {
			return 1
		}
		return w.rememberShort(hash, [2]uint64{k, 0}, s[i:j])
	case n <= shortPiece:
		k := key15(s, i, n)
		hash := hash15(k)
		if w.v.placeMedium(hash, k) >= 0 {
			return 1
		}
		return w.rememberShort(hash, k, s[i:j])
	case w.v.findLong(s[i:j]) != none:
		return 1
	case n > window:
		return w.countLong(s[i:j], limit)
	}
	if n < 32 {
		return w.rememberMiddle(key31(s, i, n), s[i:j])
	}
	return len(w.encode(s[i:j]))
}

// repair puts U+FFFD in the place of every byte that is not valid UTF-8.
func repair(s string) string {
	return strings.Map(func(r rune) rune { return r }, s)
}

// encode returns the tokens of a piece, valid until the next call.
func (w *worker) encode(s string) []uint32 {
	if len(s) <= shortPiece {
		return w.v.mergeShort(s, &w.short)
	}
	w.out = w.heap.merge(w.v, s, w.out[:0])
	return w.out
}

const (
	window = 4096 // bytes of a long piece that are merged at once
	joint  = 256  // bytes by which two windows overlap at least
)

// countLong counts a piece of any length in windows. Two neighbouring windows
// are joined at the start of a token that both have: what is before it in
// the first and after it in the second has only neighbours that merging leaves
// apart, and of all ways to write a text with tokens exactly one has only such
// neighbours, the one that merging the whole gives (see "byte pair encoding in
// linear time", github/rust-gems, crate bpe).
// It stops once more than limit are certain.
func (w *worker) countLong(s string, limit int) int {
	total, at, end := 0, 0, window
	tokens := append([]uint32(nil), w.encode(s[:end])...)
	for end < len(s) {
		k, to, same := w.join(s, at, end, tokens)
		if k == 0 {
			return len(w.encode(s))
		}
		at, end = to, min(to+window, len(s))
		total += k
		if !same {
			tokens = append(tokens[:0], w.out...)
		}
		if total > limit {
			return total
		}
	}
	return total + len(tokens)
}

// join looks for a token near the end of the window s[at:end] with which the
// window that starts there starts too. It returns the number of tokens before
// it and its place, and whether the new window has the same bytes as the old;
// otherwise the new one's tokens are in w.out. It returns 0 if there is none.
func (w *worker) join(s string, at, end int, tokens []uint32) (k, to int, same bool) {
	to = at
	for k < len(tokens) && to < end-joint {
		to += w.v.size(tokens[k])
		k++
	}
	for ; k < len(tokens); k++ {
		next := s[to:min(to+window, len(s))]
		if next == s[at:end] && tokens[0] == tokens[k] {
			return k, to, true
		}
		if w.encode(next)[0] == tokens[k] {
			return k, to, false
		}
		to += w.v.size(tokens[k])
	}
	return 0, 0, false
}

// count returns the number of tokens of s; if that is more than limit, it may
// return less than all, but more than limit.
func (w *worker) count(s string, limit int) int {
	n := 0
	for i := 0; i < len(s) && n <= limit; {
		j := w.next(s, i)
		n += w.piece(s, i, j, limit-n)
		i = j
	}
	return n
}
