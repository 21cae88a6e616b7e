package processor

import (
	"context"
	"sync"
	"sync/atomic"
)

// Event is what a hook is told: a processor or a tool has run, and what is
// now. Value is a copy of the family's own type ([]Message, []Tool, Call,
// Candidate, Request or Response); of a tool it is its Call.
type Event struct {
	Record Record
	Value  any
}

// Hooks tells functions what processors did, beside the turn: a hook is given
// copies, its panic is counted and goes no further, and when it is too slow
// events are dropped and counted instead of making the turn wait. So no hook
// can change, delay or fail a turn.
type Hooks struct {
	queue   chan Event
	done    chan struct{}
	once    sync.Once
	closing sync.RWMutex
	closed  bool
	dropped atomic.Int64
	failed  atomic.Int64
}

// hookQueue is how many events wait for slow hooks.
const hookQueue = 1024

// StartHooks begins to serve hooks, each event to all of them in turn. Close
// ends it.
func StartHooks(hooks ...func(Event)) *Hooks {
	h := &Hooks{queue: make(chan Event, hookQueue), done: make(chan struct{})}
	go func() {
		defer close(h.done)
		for e := range h.queue {
			for _, hook := range hooks {
				h.call(hook, e)
			}
		}
	}()
	return h
}

func (h *Hooks) call(hook func(Event), e Event) {
	defer func() {
		if recover() != nil {
			h.failed.Add(1)
		}
	}()
	hook(e)
}

func (h *Hooks) send(e Event) {
	h.closing.RLock()
	defer h.closing.RUnlock()
	if h.closed {
		return
	}
	select {
	case h.queue <- e:
	default:
		h.dropped.Add(1)
	}
}

// Close takes no more events and waits until those that wait are told, or ctx
// ends.
func (h *Hooks) Close(ctx context.Context) error {
	h.once.Do(func() {
		h.closing.Lock()
		defer h.closing.Unlock()
		h.closed = true
		close(h.queue)
	})
	select {
	case <-h.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Lost is how many events were dropped, and how many calls of hooks panicked.
func (h *Hooks) Lost() (dropped, failed int64) { return h.dropped.Load(), h.failed.Load() }
