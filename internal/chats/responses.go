package chats

import (
	"context"
	"errors"
	"fmt"

	"inlay/fault"
	"inlay/internal/state"
	"inlay/llm/completion"
	"inlay/processor"
)

// Response is one answer of the Responses API that was kept.
func (s *Chats) Response(ctx context.Context, owner, id string) (state.Response, error) {
	r, err := s.State.Response(ctx, owner, id)
	return r, missingResponse(id, err)
}

func missingResponse(id string, err error) error {
	if errors.Is(err, state.ErrNotFound) {
		return &fault.Error{Code: fault.NotFound, Subject: "response " + id, Reason: "there is no such response", Next: "it was deleted, or made with \"store\": false"}
	}
	return state.Missing(fault.NotFound, "response", id, err)
}

// Follow is what was said up to a response, for one that continues it. Where a
// part of the conversation was deleted, nothing can continue it: the answer would
// leave out what was said without a word about it.
func (s *Chats) Follow(ctx context.Context, owner, id string) (*Past, error) {
	chain, err := s.State.Conversation(ctx, owner, id)
	if errors.Is(err, state.ErrNotFound) {
		return nil, &fault.Error{
			Code: fault.NotFound, Subject: "previous_response_id", Reason: "there is no response " + id,
			Next: "it was deleted, or made with \"store\": false: send what was said as input",
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the conversation of %s: %w", id, err)
	}
	if first := chain[0]; first.Previous != "" {
		return nil, &fault.Error{
			Code: fault.NotFound, Subject: "previous_response_id", Reason: "the conversation of " + id + " goes back to " + first.Previous + ", which was deleted",
			Next: "send what was said as input",
		}
	}
	p := &Past{ID: id, Ledger: &processor.Ledger{}}
	for i, r := range chain {
		if err := p.add(state.Turn{Number: i + 1, Messages: r.Messages}); err != nil {
			return nil, fmt.Errorf("read %s: %w", r.ID, err)
		}
	}
	return p, nil
}

// Fresh is the past of a conversation that begins.
func Fresh() *Past {
	return &Past{API: []completion.Message{}, Ledger: &processor.Ledger{}}
}

// KeepResponse keeps an answer.
func (s *Chats) KeepResponse(ctx context.Context, r state.Response) error {
	return s.State.AddResponse(ctx, r)
}

// ForgetResponse deletes an answer. files are the uploads that were made for it.
func (s *Chats) ForgetResponse(ctx context.Context, owner, id string) (files []string, err error) {
	files, err = s.State.DeleteResponse(ctx, owner, id)
	return files, missingResponse(id, err)
}
