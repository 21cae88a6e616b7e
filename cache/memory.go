package cache

import (
	"bytes"
	"context"
	"math"
	"strings"
)

// DefaultMemory is the size of a [Memory] whose MaxBytes is zero.
const DefaultMemory = 256 << 20

// Memory is a [Store] in memory that evicts the least recently used entries. Its
// zero value is ready to use.
type Memory struct {
	MaxBytes int64 // of data; 0 means DefaultMemory, negative means no limit; set before first use

	kept LRU[string, []byte]
}

// Get implements [Store]. The data is the caller's own copy.
func (m *Memory) Get(ctx context.Context, key Key) ([]byte, bool, error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	data, ok := m.kept.Get(key.name())
	return bytes.Clone(data), ok, nil
}

// Put implements [Store]. It keeps its own copy of data. Data larger than the
// whole store is not kept.
func (m *Memory) Put(ctx context.Context, key Key, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.kept.Put(key.name(), append([]byte{}, data...), int64(len(data)), m.limit())
	return nil
}

// Forget implements [Store].
func (m *Memory) Forget(ctx context.Context, namespace, of string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	begins := group(namespace, of)
	m.kept.Remove(func(name string) bool { return strings.HasPrefix(name, begins) })
	return nil
}

// Erase implements [Eraser].
func (m *Memory) Erase(ctx context.Context, namespace string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in := space(namespace)
	m.kept.Remove(func(name string) bool { return inSpace(name, in) })
	return nil
}

func (m *Memory) limit() int64 {
	switch {
	case m.MaxBytes == 0:
		return DefaultMemory
	case m.MaxBytes < 0:
		return math.MaxInt64
	}
	return m.MaxBytes
}
