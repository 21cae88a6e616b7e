package session

import (
	"context"
	"sync"

	"inlay/internal/state"
)

// queue hands files to a few workers, in the order they came.
type queue struct {
	mu     sync.Mutex
	wait   *sync.Cond
	files  []state.File
	closed bool
	cancel context.CancelFunc
	done   sync.WaitGroup
}

func startQueue(workers int, work func(context.Context, state.File)) *queue {
	ctx, cancel := context.WithCancel(context.Background())
	q := &queue{cancel: cancel}
	q.wait = sync.NewCond(&q.mu)
	for range workers {
		q.done.Go(func() {
			for f, ok := q.next(); ok; f, ok = q.next() {
				work(ctx, f)
			}
		})
	}
	return q
}

func (q *queue) add(f state.File) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.files = append(q.files, f)
	q.wait.Signal()
}

// next waits for a file; ok is false when the queue was stopped.
func (q *queue) next() (f state.File, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.files) == 0 && !q.closed {
		q.wait.Wait()
	}
	if q.closed {
		return f, false
	}
	f, q.files = q.files[0], q.files[1:]
	return f, true
}

// stop ends the work under way and waits for it.
func (q *queue) stop() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.cancel()
	q.wait.Broadcast()
	q.done.Wait()
}
