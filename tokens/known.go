package tokens

import "sync"

// Lasting is a [Counter] whose counts may be remembered: it gives the same text
// the same count for as long as it lives.
type Lasting interface {
	Counter
	// Identity is comparable, and equal for counters that count alike.
	Identity() any
}

// Identity implements [Lasting].
func (e *Encoding) Identity() any { return e }

// Identity implements [Lasting].
func (s *Estimator) Identity() any { return s }

// What one Known holds at most: of counters, and of budgets for each.
const (
	knownCounters = 8
	knownBudgets  = 64
)

// Known remembers how many tokens one text has, for each [Lasting] counter that
// was asked. What it answers is what the counter would answer. The zero value is
// ready, nil remembers nothing; it is safe for concurrent use.
type Known struct {
	mu sync.Mutex
	by map[any]*known
}

// known is what one counter said of the text.
type known struct {
	count *Count        // of [Counter.Count]
	whole *Count        // of [Counter.Exceeds] where the budget was enough
	over  map[int]Count // where it was not, by budget
}

// Count is c.Count(text).
func (k *Known) Count(c Counter, text string) Count {
	lasting, ok := c.(Lasting)
	if k == nil || !ok {
		return c.Count(text)
	}
	id := lasting.Identity()
	if n, ok := k.counted(id); ok {
		return n
	}
	n := c.Count(text)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.of(id).count = &n
	return n
}

func (k *Known) counted(id any) (Count, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	one := k.by[id]
	switch {
	case one == nil:
		return Count{}, false
	case one.count != nil:
		return *one.count, true
	case one.whole != nil && one.whole.Method == Exact:
		return *one.whole, true
	}
	return Count{}, false
}

// Exceeds is c.Exceeds(budget, text).
func (k *Known) Exceeds(c Counter, budget int, text string) (bool, Count) {
	lasting, ok := c.(Lasting)
	if k == nil || !ok {
		return c.Exceeds(budget, text)
	}
	id := lasting.Identity()
	if over, n, ok := k.exceeded(id, budget); ok {
		return over, n
	}
	over, n := c.Exceeds(budget, text)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.of(id).keep(budget, over, n)
	return over, n
}

func (k *Known) exceeded(id any, budget int) (over bool, n Count, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	one := k.by[id]
	switch {
	case one == nil:
		return false, n, false
	case one.whole != nil && one.whole.Budgeted() <= budget:
		return false, *one.whole, true
	}
	n, ok = one.over[budget]
	return true, n, ok
}

// of is what is remembered of a counter; a new one may take the place of another.
func (k *Known) of(id any) *known {
	if one := k.by[id]; one != nil {
		return one
	}
	if k.by == nil {
		k.by = map[any]*known{}
	}
	if len(k.by) >= knownCounters {
		for other := range k.by {
			delete(k.by, other)
			break
		}
	}
	one := &known{over: map[int]Count{}}
	k.by[id] = one
	return one
}

func (o *known) keep(budget int, over bool, n Count) {
	if !over {
		o.whole = &n
		return
	}
	if len(o.over) >= knownBudgets {
		clear(o.over)
	}
	o.over[budget] = n
}
