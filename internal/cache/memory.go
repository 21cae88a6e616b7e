package cache

import (
	"bytes"
	"container/list"
	"context"
	"sync"
)

// DefaultMemory is the size of a [Memory] whose MaxBytes is zero.
const DefaultMemory = 256 << 20

// Memory is a [Store] in memory that forgets what was used longest ago. Its
// zero value is ready to use.
type Memory struct {
	MaxBytes int64 // of data; 0 means DefaultMemory, negative means no limit; set before first use

	mu      sync.Mutex
	entries map[string]*list.Element
	order   list.List // of *item, most recently used first
	size    int64
}

type item struct {
	name string
	data []byte
}

// Get implements [Store]. The data is the caller's own copy.
func (m *Memory) Get(ctx context.Context, key Key) ([]byte, bool, error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[key.hexName()]
	if !ok {
		return nil, false, nil
	}
	m.order.MoveToFront(e)
	return bytes.Clone(e.Value.(*item).data), true, nil
}

// Put implements [Store]. It keeps its own copy of data. Data larger than the
// whole store is not kept.
func (m *Memory) Put(ctx context.Context, key Key, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	name := key.hexName()
	m.remove(m.entries[name])
	limit := m.limit()
	if limit >= 0 && int64(len(data)) > limit {
		return nil
	}
	if m.entries == nil {
		m.entries = map[string]*list.Element{}
	}
	m.entries[name] = m.order.PushFront(&item{name, append([]byte{}, data...)})
	m.size += int64(len(data))
	for limit >= 0 && m.size > limit {
		m.remove(m.order.Back())
	}
	return nil
}

func (m *Memory) limit() int64 {
	if m.MaxBytes == 0 {
		return DefaultMemory
	}
	return m.MaxBytes
}

func (m *Memory) remove(e *list.Element) {
	if e == nil {
		return
	}
	it := m.order.Remove(e).(*item)
	delete(m.entries, it.name)
	m.size -= int64(len(it.data))
}
