package service

import (
	"context"
	"slices"

	"inlay/chat"
	"inlay/fault"
	"inlay/internal/chats"
	"inlay/llm/completion"
	"inlay/processor"
)

// fit prepares the turn; where that is wanted, over fewer and fewer of the oldest
// turns until the conversation fits into the window.
func (r *Reply) fit(ctx context.Context, wants Wants) (err error) {
	for {
		if r.body, r.origin, err = r.Request.Completion(); err != nil {
			return err
		}
		err = r.prepare(ctx, wants)
		if !r.Request.Truncate || err != nil && !fault.Is(err, fault.DoesNotFit) {
			return err
		}
		over := 1 // by how many tokens it is too long; of a failure that is not known
		if err == nil {
			if over, err = r.excess(ctx); err != nil || over <= 0 {
				return err
			}
		}
		if !r.leaveOut(ctx, over) {
			return err
		}
	}
}

// excess is by how many tokens the prompt and the room for the answer are larger
// than the window.
func (r *Reply) excess(ctx context.Context) (int, error) {
	length, err := r.model.Length(ctx)
	if err != nil {
		return 0, err
	}
	count, err := r.model.CountMessages(ctx, r.Prompt.Chats())
	return count.N + r.answerTokens() - length.N, err
}

// leaveOut drops the oldest turns until at least that many tokens are gone. It
// reports false where the newest turn is all there is.
func (r *Reply) leaveOut(ctx context.Context, tokens int) bool {
	said := completionChats(r.messages)
	last := -1
	for i, m := range said {
		if m.Role == chat.User {
			last = i
		}
	}
	var gone []chat.Message
	for i := 0; i < last; i++ {
		if said[i].Role == chat.System {
			continue
		}
		if len(gone) > 0 && said[i].Role == chat.User {
			count, err := r.model.CountMessages(ctx, gone)
			if err != nil || count.N >= tokens {
				break
			}
		}
		gone = append(gone, said[i])
	}
	r.dropped += len(gone)
	return len(gone) > 0
}

func completionChats(messages []completion.Message) []chat.Message {
	out := make([]chat.Message, len(messages))
	for i := range messages {
		out[i] = messages[i].Chat()
	}
	return out
}

// shortened leaves the first messages out, but for those of the system: first of
// the past, then of the input. left are those of the input.
func (r *Reply) shortened(past *chats.Past, fresh []completion.Message) (short *chats.Past, rest []completion.Message) {
	if r.dropped == 0 {
		return past, fresh
	}
	n := r.dropped
	short = &chats.Past{ID: past.ID, Turns: past.Turns, Ledger: &processor.Ledger{}}
	for i, m := range past.Messages {
		if n > 0 && m.Role != chat.System {
			n--
			continue
		}
		short.Messages, short.API = append(short.Messages, m), append(short.API, past.API[i])
	}
	r.left = nil
	rest = slices.DeleteFunc(slices.Clone(fresh), func(m completion.Message) bool {
		if n == 0 || m.Chat().Role == chat.System {
			return false
		}
		n--
		r.left = append(r.left, m.Chat())
		return true
	})
	return short, rest
}
