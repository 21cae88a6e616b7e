package chats

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

// Past is what was said in a kept chat, as turns need it.
type Past struct {
	ID       string
	Turns    int // so far
	Messages []chat.Message
	API      []completion.Message // the same as the model gets them
	Ledger   *processor.Ledger    // how many tokens they have
	bytes    int
}

// recall remembers chats, so that a turn reads what was said since the last one
// and not the whole chat: a turn of a long chat costs what one of a short chat
// does. Chats only grow, so what is remembered stays true.
type chatKey struct{ owner, id string }

type recall struct {
	mu    sync.Mutex
	known map[chatKey]Past
	bytes int
}

// The chats that are remembered, and the bytes of their texts.
const (
	maxRecalled      = 256
	maxRecalledBytes = 32 << 20
)

func (r *recall) get(key chatKey) Past {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[key]
}

func (r *recall) put(key chatKey, p Past) {
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
		r.known = map[chatKey]Past{}
	}
	r.known[key] = p
	r.bytes += p.bytes
}

// forget drops a chat that is no more.
func (r *recall) forget(key chatKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes -= r.known[key].bytes
	delete(r.known, key)
}

// Recall is what was said in a kept chat.
func (s *Chats) Recall(ctx context.Context, owner, id string) (*Past, error) {
	key := chatKey{owner, id}
	p := s.said.get(key)
	p.ID = id
	turns, err := s.State.Since(ctx, owner, id, p.Turns)
	if err != nil {
		s.said.forget(key)
		return nil, state.Missing(fault.NotFound, "chat", id, err)
	}
	if p.Ledger == nil {
		p.Ledger = &processor.Ledger{}
	}
	p.Messages, p.API = slices.Clip(p.Messages), slices.Clip(p.API) // other requests may hold them
	for _, t := range turns {
		if err := p.add(t); err != nil {
			return nil, fmt.Errorf("read turn %d of %s: %w", t.Number, id, err)
		}
	}
	s.said.put(key, p)
	return &p, nil
}

// add takes in a turn.
func (p *Past) add(t state.Turn) error {
	messages, err := MessagesOf(t)
	if err != nil {
		return err
	}
	for _, m := range messages {
		api := completion.FromChat(m)
		for _, a := range m.Attachments {
			if a.IsImage() || a.Read { // shown to the model, whether its text was read or not
				api.Attach(completion.File{ID: a.FileID})
			}
		}
		p.Messages, p.API = append(p.Messages, m), append(p.API, api)
	}
	p.Turns, p.bytes = t.Number, p.bytes+2*len(t.Messages)
	return nil
}

// Outgrown says what helps where a kept chat has no room in the window any more.
func (p *Past) Outgrown(err error, next string) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != fault.DoesNotFit || p == nil || p.Turns == 0 {
		return err
	}
	said := *e
	said.Next = next
	return &said
}
