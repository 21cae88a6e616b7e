package retrieve

import (
	"crypto/sha256"
	"sync/atomic"
)

// lonePassages is how many passages a corpus has at most that lone looks at.
const lonePassages = 4096

// lone knows which passages of a corpus cannot be near duplicates of any other,
// so that questions need not compare them. The second question about a corpus
// makes it: many are asked one alone. nil knows of none.
type lone struct {
	asked  atomic.Bool
	chunks atomic.Pointer[[][]bool] // by file; nil: not known
}

// has reports whether a hit is known to be alone.
func (l *lone) has(h hit) bool {
	if l == nil {
		return false
	}
	chunks := l.chunks.Load()
	return chunks != nil && h.file < len(*chunks) && (*chunks)[h.file][h.chunk]
}

// question notes that the corpus is asked.
func (l *lone) question(c *Corpus) {
	if l == nil || c.total > lonePassages || l.chunks.Load() != nil || !l.asked.Swap(true) {
		return
	}
	chunks := c.lonePassages()
	l.chunks.Store(&chunks)
}

// lonePassages finds the passages that no other duplicates.
func (c *Corpus) lonePassages() [][]bool {
	alone := make([][]bool, len(c.files))
	var m meetings
	for i, f := range c.files {
		alone[i] = make([]bool, len(f.chunks))
		for k := range f.chunks {
			alone[i][k] = true
			m.meet(f.words.sketch(k, f.chunks[k].Text), &alone[i][k])
		}
	}
	return alone
}

// meetings compares passages with those before them that share one of their first
// runs, as originals do. The zero value is ready.
type meetings struct {
	all   []*sketch
	alone []*bool // of all
	plain map[[sha256.Size]byte]int32
	byRun runTable
	links []link
}

// mostMet is how many passages of one run are compared; beyond, all of them are
// taken for duplicates of others, which costs questions time and nothing else.
const mostMet = 32

func (m *meetings) meet(p *sketch, alone *bool) {
	if m.plain == nil {
		m.plain = map[[sha256.Size]byte]int32{}
	}
	me := int32(len(m.all))
	m.all, m.alone = append(m.all, p), append(m.alone, alone)
	if other, ok := m.plain[p.plain]; ok {
		*m.alone[other], *alone = false, false
	} else {
		m.plain[p.plain] = me
	}
	for _, run := range p.firsts() {
		last := m.byRun.at(run)
		if *last > 0 && m.links[*last-1].at == me {
			continue // the run is in it twice
		}
		m.compare(me, *last)
		m.links = append(m.links, link{me, *last})
		*last = int32(len(m.links))
	}
}

// compare compares a passage with those of a run, from the last link on.
func (m *meetings) compare(me, last int32) {
	met := 0
	for k := last; k > 0 && met <= mostMet; k = m.links[k-1].before {
		met++
		other := m.links[k-1].at
		if met > mostMet || (*m.alone[me] || *m.alone[other]) && m.all[me].duplicates(m.all[other].wording) {
			*m.alone[me], *m.alone[other] = false, false
		}
	}
	if met <= mostMet {
		return
	}
	for k := last; met > 0; met-- { // those before them were marked when these came
		*m.alone[m.links[k-1].at] = false
		k = m.links[k-1].before
	}
}
