package sqlite

import (
	"context"
	"sync"
)

// names are what is locked now. The zero value is ready.
type names struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when the name is free again
}

// Exclusive implements [state.Locks].
func (s *Store) Exclusive(ctx context.Context, name string, f func() error) error {
	if err := s.locks.lock(ctx, name); err != nil {
		return err
	}
	defer s.locks.unlock(name)
	return f()
}

func (n *names) lock(ctx context.Context, name string) error {
	for {
		held := n.take(name)
		if held == nil {
			return nil
		}
		select {
		case <-held:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// take locks a name, or returns what is closed when it is free.
func (n *names) take(name string) (held chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if held = n.held[name]; held != nil {
		return held
	}
	if n.held == nil {
		n.held = map[string]chan struct{}{}
	}
	n.held[name] = make(chan struct{})
	return nil
}

func (n *names) unlock(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.held[name])
	delete(n.held, name)
}
