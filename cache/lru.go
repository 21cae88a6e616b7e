package cache

import (
	"container/list"
	"sync"
)

// LRU keeps values by key, bounded by their sizes, and evicts the least recently
// used. The zero value is empty; it is safe for concurrent use.
type LRU[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]*list.Element
	order   list.List // of *entry, most recently used first
	size    int64
}

type entry[K comparable, V any] struct {
	key   K
	value V
	size  int64
}

// Get returns the value of a key and marks it as used.
func (l *LRU[K, V]) Get(key K) (value V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.entries[key]
	if !ok {
		return value, false
	}
	l.order.MoveToFront(e)
	return e.Value.(*entry[K, V]).value, true
}

// Put keeps a value that takes size bytes in the place of an earlier one, and
// forgets others until all take at most limit. One that takes more by itself
// is not kept.
func (l *LRU[K, V]) Put(key K, value V, size, limit int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(l.entries[key])
	if size > limit {
		return
	}
	if l.entries == nil {
		l.entries = map[K]*list.Element{}
	}
	l.entries[key] = l.order.PushFront(&entry[K, V]{key, value, size})
	l.size += size
	for l.size > limit {
		l.remove(l.order.Back())
	}
}

// Remove removes the values of the keys for which gone reports true.
func (l *LRU[K, V]) Remove(gone func(K) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, e := range l.entries {
		if gone(key) {
			l.remove(e)
		}
	}
}

// RemoveValues removes the values for which gone reports true.
func (l *LRU[K, V]) RemoveValues(gone func(K, V) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, e := range l.entries {
		if gone(key, e.Value.(*entry[K, V]).value) {
			l.remove(e)
		}
	}
}

func (l *LRU[K, V]) remove(e *list.Element) {
	if e == nil {
		return
	}
	one := l.order.Remove(e).(*entry[K, V])
	delete(l.entries, one.key)
	l.size -= one.size
}
