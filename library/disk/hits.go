package disk

import (
	"cmp"
	"container/heap"
)

// hits are the best passages, the worst of them first.
type hits []hit

// keep takes a hit if it is among the best limit, and reports whether it did.
func (t *hits) keep(h hit, limit int) bool {
	if len(*t) < limit {
		heap.Push(t, h)
		return true
	}
	if limit == 0 || !worse((*t)[0], h) {
		return false
	}
	(*t)[0] = h
	heap.Fix(t, 0)
	return true
}

// worse orders by score, then by the documents' order and the passages'.
func worse(a, b hit) bool {
	return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(b.order, a.order), cmp.Compare(b.chunk, a.chunk)) < 0
}

// Len implements [heap.Interface].
func (t hits) Len() int { return len(t) }

// Less implements [heap.Interface].
func (t hits) Less(i, j int) bool { return worse(t[i], t[j]) }

// Swap implements [heap.Interface].
func (t hits) Swap(i, j int) { t[i], t[j] = t[j], t[i] }

// Push implements [heap.Interface].
func (t *hits) Push(h any) { *t = append(*t, h.(hit)) }

// Pop implements [heap.Interface].
func (t *hits) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}
