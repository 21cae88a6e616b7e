// Package queue hands work to a few workers.
package queue

import (
	"context"
	"slices"
	"sync"
)

// Queue hands work to a few workers, in the order it came unless pick chooses
// another of what waits.
type Queue[T any] struct {
	mu     sync.Mutex
	wait   *sync.Cond
	items  []T
	pick   func(waiting []T) int // nil: the first
	closed bool
	ctx    context.Context //nolint:containedctx // its workers' own
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// Start begins with so many workers; work must return soon after its context
// ends. pick chooses the next of what waits; nil: the first.
func Start[T any](workers int, pick func([]T) int, work func(context.Context, T)) *Queue[T] {
	ctx, cancel := context.WithCancel(context.Background())
	q := &Queue[T]{ctx: ctx, cancel: cancel, pick: pick}
	q.wait = sync.NewCond(&q.mu)
	for range workers {
		q.done.Go(func() {
			for one, ok := q.next(); ok; one, ok = q.next() {
				work(ctx, one)
			}
		})
	}
	return q
}

// Turns is a pick that lets owners take turns: the first that waits of the owner
// whose turn is longest ago.
func Turns[T any](owner func(T) string) func([]T) int {
	last, n := map[string]int{}, 0 // when each had its turn
	return func(waiting []T) int {
		next := 0
		for i := range waiting {
			if last[owner(waiting[i])] < last[owner(waiting[next])] {
				next = i
			}
		}
		if len(last) >= maxOwners {
			clear(last)
		}
		n++
		last[owner(waiting[next])] = n
		return next
	}
}

// maxOwners bounds of how many owners it is known when they had their turn.
const maxOwners = 10_000

// Add puts work at the end.
func (q *Queue[T]) Add(one T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, one)
	q.wait.Signal()
}

// next waits for work; ok is false when the queue was stopped.
func (q *Queue[T]) next() (one T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.closed {
		q.wait.Wait()
	}
	if q.closed {
		return one, false
	}
	i := 0
	if q.pick != nil {
		i = q.pick(q.items)
	}
	one = q.items[i]
	q.items = slices.Delete(q.items, i, i+1)
	return one, true
}

// Stop ends the work under way and waits for it.
func (q *Queue[T]) Stop() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.cancel()
	q.wait.Broadcast()
	q.done.Wait()
}
