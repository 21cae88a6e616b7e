package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/state"
)

// Conversation is a chat that the service keeps, with all that was said.
type Conversation struct {
	state.Chat
	Messages []chat.Message
	Turns    []state.Turn
}

// NewChat begins a chat.
func (s *Service) NewChat(ctx context.Context, owner, title string) (state.Chat, error) {
	if len(title) > MaxName {
		return state.Chat{}, wrong("title", fmt.Sprintf("at most %d bytes", MaxName))
	}
	c := state.Chat{ID: newID("chat_"), Owner: owner, Title: title, Created: now()}
	c.Updated = c.Created
	return c, s.config.State.AddChat(ctx, c)
}

// Chat is one chat with its messages.
func (s *Service) Chat(ctx context.Context, owner, id string) (Conversation, error) {
	c, turns, err := s.config.State.Chat(ctx, owner, id)
	if err != nil {
		return Conversation{}, missing(fault.NotFound, "chat", id, err)
	}
	out := Conversation{Chat: c, Turns: turns, Messages: []chat.Message{}}
	for _, t := range turns {
		messages, err := messagesOf(t)
		if err != nil {
			return Conversation{}, fmt.Errorf("chat %s: %w", id, err)
		}
		out.Messages = append(out.Messages, messages...)
	}
	return out, nil
}

// ListChats is one page of the chats; more says that the list goes on.
func (s *Service) ListChats(ctx context.Context, owner string, p state.Page) ([]state.Chat, bool, error) {
	return onePage(p, func(p state.Page) ([]state.Chat, error) { return s.config.State.ListChats(ctx, owner, p) })
}

// DeleteChat forgets a chat. Its files stay: they are uploads.
func (s *Service) DeleteChat(ctx context.Context, owner, id string) error {
	defer s.said.forget(uploadKey{owner, id})
	return missing(fault.NotFound, "chat", id, s.config.State.DeleteChat(ctx, owner, id))
}

// AddMessage adds an answer, or what else was said, to a chat.
func (s *Service) AddMessage(ctx context.Context, owner, id string, m chat.Message) error {
	if !m.Role.Known() {
		return wrong("role", "system, user, assistant or tool")
	}
	past, err := s.recall(ctx, owner, id)
	if err != nil {
		return err
	}
	return s.addTurn(ctx, owner, past, nil, m)
}

// addTurn keeps messages and the result that made them, if one did.
func (s *Service) addTurn(ctx context.Context, owner string, past *past, res *injection.Result, messages ...chat.Message) error {
	said, err := json.Marshal(messages)
	if err != nil {
		return err
	}
	result := json.RawMessage("null")
	if res != nil {
		if result, err = json.Marshal(res); err != nil {
			return err
		}
	}
	err = s.config.State.AddTurn(ctx, owner, past.id, state.Turn{Number: past.turns + 1, Created: now(), Messages: said, Result: result})
	if errors.Is(err, state.ErrConflict) {
		return &fault.Error{Code: fault.Conflict, Subject: "chat " + past.id, Reason: "has moved on while this turn was made", Next: "ask again"}
	}
	return missing(fault.NotFound, "chat", past.id, err)
}

// messagesOf are the messages of a kept turn.
func messagesOf(t state.Turn) (messages []chat.Message, err error) {
	if err := json.Unmarshal(t.Messages, &messages); err != nil {
		return nil, fmt.Errorf("read turn %d: %w", t.Number, err)
	}
	return messages, nil
}
