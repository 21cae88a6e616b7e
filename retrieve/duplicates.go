package retrieve

import (
	"crypto/sha256"
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
	runs   []uint64 // hashes of all runs of terms, ascending
	strict []uint64 // hashes of the numbers and negations, in order
}

// sketch is a passage as others are compared with it.
type sketch struct {
	wording

	plain [sha256.Size]byte // hash of the text without spaces and letter case
}

// firsts are the first of the runs: lists that share enough runs share one of these.
func (s *sketch) firsts() []uint64 {
	n := len(s.runs)
	return s.runs[:min(n, n-int(math.Ceil(duplicateShare*float64(n)))+1)]
}

// duplicated reports whether a hit duplicates one of the originals before it, else adds it to them.
func (c *Corpus) duplicated(o *originals, h hit) bool { return !c.lone.has(h) && o.again(c.sketch(h)) }

// sketch returns that of a hit. It is made once for each passage of a document in
// memory.
func (c *Corpus) sketch(h hit) *sketch {
	f, words := c.files[h.file], c.words[h.file]
	if f.sketches == nil {
		return words.sketch(h.chunk, c.chunk(h).Text)
	}
	s := f.sketches[h.chunk].Load()
	if s == nil {
		s = words.sketch(h.chunk, c.chunk(h).Text)
		f.sketches[h.chunk].Store(s)
	}
	return s
}

// sketch returns that of a chunk, whose text is given.
func (f *lexicalFile) sketch(chunk int, text string) *sketch {
	plain := strings.ToLower(strings.Join(strings.Fields(text), " "))
	return &sketch{f.wording(chunk), sha256.Sum256([]byte(plain))}
}

// wording returns that of a chunk of the file.
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
	enough := func(same int) bool { return float64(same) >= duplicateShare*float64(short+long-same) }
	return enough(common(p.runs, o.runs, enough))
}

// common counts what two ascending lists share, or returns 0 as soon as it is
// seen that it is not enough.
func common(a, b []uint64, enough func(int) bool) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			n, i, j = n+1, i+1, j+1
			continue
		case a[i] < b[j]:
			i++
		default:
			j++
		}
		if (i+j)%16 == 0 && !enough(n+min(len(a)-i, len(b)-j)) {
			return 0
		}
	}
	return n
}

// originals are the passages of a ranking that are no duplicates of one before.
// The zero value is ready.
type originals struct {
	all   []*sketch
	plain map[[sha256.Size]byte]bool
	byRun runTable // the last link of those with the run among their first
	links []link
}

// link is a place in originals.all, and 1 + the place of the link before it.
type link struct{ at, before int32 }

// again reports whether p duplicates one of the originals, else adds it.
func (o *originals) again(p *sketch) bool {
	if o.plain == nil {
		o.plain = map[[sha256.Size]byte]bool{}
	}
	firsts := p.firsts()
	if o.plain[p.plain] || o.near(p, firsts) {
		return true
	}
	for _, run := range firsts {
		last := o.byRun.at(run)
		o.links = append(o.links, link{int32(len(o.all)), *last})
		*last = int32(len(o.links))
	}
	o.all, o.plain[p.plain] = append(o.all, p), true
	return false
}

// near reports whether most runs of p are those of an original that shares one
// of its first.
func (o *originals) near(p *sketch, firsts []uint64) bool {
	compared := make([]bool, len(o.all))
	for _, run := range firsts {
		for k := *o.byRun.at(run); k > 0; k = o.links[k-1].before {
			at := o.links[k-1].at
			if !compared[at] && p.duplicates(o.all[at].wording) {
				return true
			}
			compared[at] = true
		}
	}
	return false
}

// runTable maps runs, which are hashes already, to numbers. The zero value is empty.
type runTable struct {
	slots []runSlot // a power of two, at most half of them taken
	taken int
}

type runSlot struct {
	run   uint64
	value int32
	used  bool
}

// at is where the number of a run is kept, 0 at first, until the next call.
func (t *runTable) at(run uint64) *int32 {
	if 2*t.taken >= len(t.slots) {
		t.grow()
	}
	s := t.slot(run)
	if !s.used {
		s.run, s.used = run, true
		t.taken++
	}
	return &s.value
}

func (t *runTable) slot(run uint64) *runSlot {
	mask := uint64(len(t.slots) - 1)
	for i := run & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; !s.used || s.run == run {
			return s
		}
	}
}

func (t *runTable) grow() {
	old := t.slots
	t.slots = make([]runSlot, max(2048, 4*len(old)))
	for _, s := range old {
		if s.used {
			*t.slot(s.run) = s
		}
	}
}
