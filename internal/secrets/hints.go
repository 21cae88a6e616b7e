package secrets

import (
	"sync"
)

// set is a set of rules, by their numbers.
type set uint64

func (s set) has(rule int) bool { return s&(1<<rule) != 0 }

// hinting tells in one pass which rules a text has to be looked at for.
type hinting struct {
	pairs [1 << 16]bool // the first two bytes of some hint
	by    map[[2]byte][]hint
	quick []int // rules that look for themselves
}

type hint struct {
	text string // in lower case
	rule int
}

//nolint:gochecknoglobals // made once, not changed after
var hinter = sync.OnceValue(func() *hinting {
	h := &hinting{by: map[[2]byte][]hint{}}
	for i, r := range rules() {
		if r.maybe != nil {
			h.quick = append(h.quick, i)
		}
		for _, text := range r.hints {
			h.pairs[int(text[0])<<8|int(text[1])] = true
			pair := [2]byte{text[0], text[1]}
			h.by[pair] = append(h.by[pair], hint{text, i})
		}
	}
	return h
})

// of are the rules that a text hints at.
func (h *hinting) of(text string) set {
	var found set
	before := byte(0)
	for i := range len(text) {
		c := small(text[i])
		if h.pairs[int(before)<<8|int(c)] {
			for _, one := range h.by[[2]byte{before, c}] {
				if !found.has(one.rule) && startsWith(text[i-1:], one.text) {
					found |= 1 << one.rule
				}
			}
		}
		before = c
	}
	for _, i := range h.quick {
		if rules()[i].maybe(text) {
			found |= 1 << i
		}
	}
	return found
}

// small is c, as a small letter if it is one.
func small(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func startsWith(text, lower string) bool {
	if len(text) < len(lower) {
		return false
	}
	for i := range len(lower) {
		if small(text[i]) != lower[i] {
			return false
		}
	}
	return true
}
