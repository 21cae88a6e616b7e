package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"inlay/chat"
	"inlay/fault"
	"inlay/internal/state"
	"inlay/llm/completion"
	"inlay/processor"
)

// past is what was said in a kept chat, as turns need it.
type past struct {
	id       string
	turns    int // so far
	messages []chat.Message
	api      []completion.Message // the same as the model gets them
	ledger   *processor.Ledger    // how many tokens they have
	bytes    int
}

// recall remembers chats, so that a turn reads what was said since the last one
// and not the whole chat: a turn of a long chat costs what one of a short chat
// does. Chats only grow, so what is remembered stays true.
type recall struct {
	mu    sync.Mutex
	known map[uploadKey]past
	bytes int
}

// The chats that are remembered, and the bytes of their texts.
const (
	maxRecalled      = 256
	maxRecalledBytes = 32 << 20
)

func (r *recall) get(key uploadKey) past {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[key]
}

func (r *recall) put(key uploadKey, p past) {
	r.forget(key)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxRecalled || r.bytes+p.bytes > maxRecalledBytes {
		r.known, r.bytes = nil, 0
	}
	if p.bytes > maxRecalledBytes/4 {
		return
	}
	if r.known == nil {
		r.known = map[uploadKey]past{}
	}
	r.known[key] = p
	r.bytes += p.bytes
}

// forget drops a chat that is no more.
func (r *recall) forget(key uploadKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes -= r.known[key].bytes
	delete(r.known, key)
}

// recall is what was said in a kept chat.
func (s *Service) recall(ctx context.Context, owner, id string) (*past, error) {
	key := uploadKey{owner, id}
	p := s.said.get(key)
	p.id = id
	turns, err := s.config.State.Since(ctx, owner, id, p.turns)
	if err != nil {
		s.said.forget(key)
		return nil, missing(fault.NotFound, "chat", id, err)
	}
	if p.ledger == nil {
		p.ledger = &processor.Ledger{}
	}
	p.messages, p.api = slices.Clip(p.messages), slices.Clip(p.api) // other requests may hold them
	for _, t := range turns {
		if err := p.add(t); err != nil {
			return nil, fmt.Errorf("read turn %d of %s: %w", t.Number, id, err)
		}
	}
	s.said.put(key, p)
	return &p, nil
}

// add takes in a turn.
func (p *past) add(t state.Turn) error {
	messages, err := messagesOf(t)
	if err != nil {
		return err
	}
	for _, m := range messages {
		p.messages, p.api = append(p.messages, m), append(p.api, completion.FromChat(m))
	}
	p.turns, p.bytes = t.Number, p.bytes+2*len(t.Messages)
	return nil
}

// outgrown says what helps where a kept chat has no room in the window any more.
func (p *past) outgrown(err error, next string) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != fault.DoesNotFit || p == nil || p.turns == 0 {
		return err
	}
	said := *e
	said.Next = next
	return &said
}
