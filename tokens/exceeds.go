package tokens

import (
	"runtime"
	"slices"
	"sync"
)

const (
	firstSegment = 4 << 10   // bytes counted between two looks at the bounds, at first
	firstSteps   = 64 << 10  // bytes counted in such steps
	laterSegment = 64 << 10  // bytes a goroutine counts at once after that
	parallelFrom = 256 << 10 // bytes left from which more goroutines pay
	cutSearch    = 1 << 10   // bytes before a wished cut that are searched for a safe one
)

// Bounds returns the least and the most tokens that a text of so many bytes can
// have, without looking at it: no token is longer than the longest of the
// vocabulary, and none is empty. A byte that is not valid UTF-8 counts as the three
// bytes of U+FFFD.
func (e *Encoding) Bounds(bytes int) (least, most int) {
	return (bytes + e.v.longest - 1) / e.v.longest, 3 * bytes
}

// Exceeds implements [Counter]. It applies the lower bound of [Encoding.Bounds] to
// the whole and, while it counts, to what is left, and stops once the budget is
// certainly exceeded. So it reads at most budget times the longest token, and
// keeps none of it. Texts that do not exceed are counted to the end, exactly;
// otherwise the count is a proven lower bound that depends on the texts and
// the budget alone, not on the number of goroutines.
func (e *Encoding) Exceeds(budget int, texts ...string) (bool, Count) {
	t := tally{e: e, budget: budget, texts: slices.Clone(texts), waiting: map[int]part{}}
	for _, text := range texts {
		t.left += len(text)
	}
	t.decide()
	t.work(firstSteps)
	if t.left >= parallelFrom && !t.over {
		var group sync.WaitGroup
		for range runtime.GOMAXPROCS(0) - 1 {
			group.Go(func() { t.work(unlimited) })
		}
		t.work(unlimited)
		group.Wait()
	} else {
		t.work(unlimited)
	}
	return t.result()
}

// part is a stretch of a text between two safe cuts.
type part struct {
	text   string
	tokens int
	index  int // among all parts
}

// tally counts texts part by part, in any order, and sums the parts up in
// their order, so that it always stops after the same part.
type tally struct {
	e      *Encoding
	budget int

	mu      sync.Mutex
	texts   []string // not yet handed out
	handed  int      // parts handed out
	bytes   int      // their bytes
	waiting map[int]part
	summed  int // parts summed up
	left    int // bytes not summed up
	n       int // tokens summed up
	partial bool
	over    bool
}

// work counts parts until none is left, the answer is known, or so many bytes
// have been handed out.
func (t *tally) work(bytes int) {
	w := t.e.worker()
	defer t.e.workers.Put(w)
	for {
		p, ok := t.take(bytes)
		if !ok {
			return
		}
		p.tokens = w.count(p.text, t.budget)
		t.put(p)
	}
}

func (t *tally) take(bytes int) (part, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.texts) > 0 && t.texts[0] == "" {
		t.texts = t.texts[1:]
	}
	if t.over || len(t.texts) == 0 || t.bytes >= bytes {
		return part{}, false
	}
	size := laterSegment
	if t.bytes < firstSteps {
		size = firstSegment
	}
	cut := t.e.cuts.find(t.texts[0], size)
	p := part{text: t.texts[0][:cut], index: t.handed}
	if t.texts[0] = t.texts[0][cut:]; t.texts[0] == "" {
		t.texts = t.texts[1:]
	}
	t.handed++
	t.bytes += cut
	return p, true
}

func (t *tally) put(p part) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting[p.index] = p
	for !t.over {
		p, ok := t.waiting[t.summed]
		if !ok {
			return
		}
		delete(t.waiting, t.summed)
		t.summed++
		t.left -= len(p.text)
		t.n += p.tokens
		t.partial = t.partial || p.tokens > t.budget
		t.decide()
	}
}

// decide looks whether the budget is certainly exceeded.
func (t *tally) decide() {
	least, _ := t.e.Bounds(t.left)
	t.over = t.n+least > t.budget
}

func (t *tally) result() (bool, Count) {
	c := Count{N: t.n, Method: Exact, By: t.e.name}
	if t.left > 0 || t.partial {
		least, _ := t.e.Bounds(t.left)
		c.N, c.Method = t.n+least, AtLeast
	}
	return t.over, c
}
