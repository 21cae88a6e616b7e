package retrieve

import (
	"math"
	"slices"
	"strings"

	"inlay/internal/lexis"
)

// Two passages are near duplicates if 85 % of their runs of three terms
// are the same. One that says another number, or "not" where the other does
// not, is never one: a contract and its amendment differ in just that.
const (
	duplicateRun   = 3
	duplicateShare = .85
)

// wording is what near duplicates are told by.
type wording struct {
	plain  string   // the text without spaces and letter case
	runs   []uint64 // hashes of all runs of terms, ascending
	strict []uint64 // hashes of the numbers and negations, in order
}

// wording returns that of a passage.
func (c *Corpus) wording(h hit) wording {
	p := c.words[h.file].wording(h.chunk)
	p.plain = strings.ToLower(strings.Join(strings.Fields(c.chunk(h).Text), " "))
	return p
}

// wording returns that of a chunk of the file, but for plain.
func (f *lexicalFile) wording(chunk int) wording {
	var p wording
	var last [duplicateRun]uint64
	body := f.body[chunk]
	for i, id := range body {
		term := f.terms.Terms[id]
		h := hashTerm(term)
		if number(term) || lexis.Negates(term) {
			p.strict = append(p.strict, h)
		}
		copy(last[:], last[1:])
		last[duplicateRun-1] = h
		if i >= duplicateRun-1 || i == len(body)-1 {
			p.runs = append(p.runs, hashRun(last[:]))
		}
	}
	slices.Sort(p.runs)
	return p
}

// number reports whether a term begins with a digit. A term may be empty: of a
// word that is nothing but accents.
func number(term string) bool { return term != "" && '0' <= term[0] && term[0] <= '9' }

// hashTerm is FNV-1a.
func hashTerm(term string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(term) {
		h = (h ^ uint64(term[i])) * 1099511628211
	}
	return h
}

func hashRun(terms []uint64) uint64 {
	h := uint64(0)
	for _, t := range terms {
		h = (h ^ t) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// duplicates reports whether two passages say the same.
func (p wording) duplicates(o wording) bool {
	short, long := len(p.runs), len(o.runs)
	if short > long {
		short, long = long, short
	}
	if short == 0 || float64(short) < duplicateShare*float64(long) || !slices.Equal(p.strict, o.strict) {
		return false
	}
	same := common(p.runs, o.runs)
	return float64(same) >= duplicateShare*float64(short+long-same)
}

// common counts what two ascending lists share.
func common(a, b []uint64) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			n, i, j = n+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return n
}

// originals are the passages of a ranking that are no duplicates of one before.
// The zero value is ready.
type originals struct {
	all   []wording
	plain map[string]bool
	byRun map[uint64][]int // places in all of those with the run among their first
}

// again reports whether p duplicates one of the originals, else adds it. Lists
// that share enough runs share one of the first: only those are compared.
func (o *originals) again(p wording) bool {
	if o.plain == nil {
		o.plain, o.byRun = map[string]bool{}, map[uint64][]int{}
	}
	if o.plain[p.plain] {
		return true
	}
	n := len(p.runs)
	firsts := p.runs[:min(n, n-int(math.Ceil(duplicateShare*float64(n)))+1)]
	for _, run := range firsts {
		for _, k := range o.byRun[run] {
			if p.duplicates(o.all[k]) {
				return true
			}
		}
	}
	for _, run := range firsts {
		o.byRun[run] = append(o.byRun[run], len(o.all))
	}
	o.all, o.plain[p.plain] = append(o.all, p), true
	return false
}
