// Package chats keeps conversations for owners, turn by turn.
package chats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/oneline"
	"inlay/internal/state"
)

// Chats are all conversations. Its State is set once; it is safe for concurrent use.
type Chats struct {
	State state.Store
	said  recall
}

// Conversation is a chat that the service keeps, with all that was said.
type Conversation struct {
	state.Chat
	Messages []chat.Message
	Turns    []state.Turn
}

// NewChat begins a chat.
func (s *Chats) NewChat(ctx context.Context, owner, title string) (state.Chat, error) {
	if err := checkTitle(title); err != nil {
		return state.Chat{}, err
	}
	if err := oneline.Check("title", title); err != nil {
		return state.Chat{}, err
	}
	c := state.Chat{ID: state.NewID("chat_"), Owner: owner, Title: title, Created: state.Now()}
	c.Updated = c.Created
	return c, s.State.AddChat(ctx, c)
}

func checkTitle(title string) error {
	if len(title) > state.MaxName {
		return fault.Invalid("title", fmt.Sprintf("at most %d bytes", state.MaxName))
	}
	return nil
}

// RenameChat gives a chat another title.
func (s *Chats) RenameChat(ctx context.Context, owner, id, title string) (state.Chat, error) {
	if err := checkTitle(title); err != nil {
		return state.Chat{}, err
	}
	if err := s.State.RenameChat(ctx, owner, id, title); err != nil {
		return state.Chat{}, state.Missing(fault.NotFound, "chat", id, err)
	}
	c, _, err := s.State.Chat(ctx, owner, id)
	return c, state.Missing(fault.NotFound, "chat", id, err)
}

// CopyChat begins a chat with the first turns of another one, which stays as it is.
func (s *Chats) CopyChat(ctx context.Context, owner, title, from string, turns int) (state.Chat, error) {
	_, said, err := s.State.Chat(ctx, owner, from)
	if err != nil {
		return state.Chat{}, state.Missing(fault.NotFound, "chat", from, err)
	}
	if turns < 0 || turns > len(said) {
		return state.Chat{}, fault.Invalid("copy.turns", fmt.Sprintf("0 to %d, the turns of that chat", len(said)))
	}
	c, err := s.NewChat(ctx, owner, title)
	for _, t := range said[:turns] {
		if err == nil {
			err = s.State.AddTurn(ctx, owner, c.ID, t)
		}
	}
	if err != nil {
		return c, errors.Join(err, s.State.DeleteChat(context.WithoutCancel(ctx), owner, c.ID))
	}
	c.Turns = turns
	return c, nil
}

// Chat is one chat with its messages.
func (s *Chats) Chat(ctx context.Context, owner, id string) (Conversation, error) {
	c, turns, err := s.State.Chat(ctx, owner, id)
	if err != nil {
		return Conversation{}, state.Missing(fault.NotFound, "chat", id, err)
	}
	out := Conversation{Chat: c, Turns: turns, Messages: []chat.Message{}}
	for _, t := range turns {
		messages, err := MessagesOf(t)
		if err != nil {
			return Conversation{}, fmt.Errorf("chat %s: %w", id, err)
		}
		out.Messages = append(out.Messages, messages...)
	}
	return out, nil
}

// ListChats is one page of the chats; more says that the list goes on.
func (s *Chats) ListChats(ctx context.Context, owner string, p state.Page) ([]state.Chat, bool, error) {
	return state.OnePage(p, func(p state.Page) ([]state.Chat, error) { return s.State.ListChats(ctx, owner, p) })
}

// DeleteChat forgets a chat. Its files stay: they are uploads.
func (s *Chats) DeleteChat(ctx context.Context, owner, id string) error {
	defer s.said.forget(chatKey{owner, id})
	return state.Missing(fault.NotFound, "chat", id, s.State.DeleteChat(ctx, owner, id))
}

// AddMessage adds an answer, or what else was said, to a chat.
func (s *Chats) AddMessage(ctx context.Context, owner, id string, m chat.Message) error {
	if !m.Role.Known() {
		return fault.Invalid("role", "system, user, assistant or tool")
	}
	past, err := s.Recall(ctx, owner, id)
	if err != nil {
		return err
	}
	return s.AddTurn(ctx, owner, past, nil, m)
}

// AddTurn keeps messages and the result that made them, if one did.
func (s *Chats) AddTurn(ctx context.Context, owner string, past *Past, res *injection.Result, messages ...chat.Message) error {
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
	err = s.State.AddTurn(ctx, owner, past.ID, state.Turn{Number: past.Turns + 1, Created: state.Now(), Messages: said, Result: result})
	if errors.Is(err, state.ErrConflict) {
		return &fault.Error{Code: fault.Conflict, Subject: "chat " + past.ID, Reason: "has moved on while this turn was made", Next: "ask again"}
	}
	return state.Missing(fault.NotFound, "chat", past.ID, err)
}

// MessagesOf are the messages of a kept turn.
func MessagesOf(t state.Turn) (messages []chat.Message, err error) {
	if err := json.Unmarshal(t.Messages, &messages); err != nil {
		return nil, fmt.Errorf("read turn %d: %w", t.Number, err)
	}
	return messages, nil
}
