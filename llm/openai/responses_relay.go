package openai

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"inlay/fault"
	"inlay/llm"
	"inlay/llm/completion"
	"inlay/llm/responses"
)

// Relay implements [llm.Relay]: a request for a chat completion becomes one of
// this API, and its answer a completion or chunks of one. What this API has no
// counterpart for is refused by name, unless it says nothing.
func (r *Responses) Relay(ctx context.Context, body map[string]json.RawMessage) iter.Seq2[*completion.Chunk, error] {
	return func(yield func(*completion.Chunk, error) bool) {
		t, err := r.model.translate(body)
		if err != nil {
			yield(nil, err)
			return
		}
		whole := llm.Answer{}
		for d, err := range r.model.respond(ctx, t.Body, t.Most) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !t.Stream {
				whole.Text, whole.ToolCalls = whole.Text+d.Text, append(whole.ToolCalls, d.ToolCalls...)
				whole.Done, whole.Usage, whole.ID = d.Done, d.Usage, d.ID
				continue
			}
			for _, c := range t.chunks(d) {
				if !yield(c, nil) {
					return
				}
			}
		}
		if !t.Stream {
			yield(t.completion(whole), nil)
		}
	}
}

// translation is a request in this API's form, and how its answer is to be told.
type translation struct {
	*responses.Sent

	envelope completion.Envelope // of the completion and all of its chunks
	told     bool                // the role was
	calls    int                 // how many were told
}

func (m *Model) translate(body map[string]json.RawMessage) (*translation, error) {
	sent, err := responses.FromCompletion(body)
	switch {
	case errors.As(err, new(*responses.LackError)):
		return nil, m.fault(fault.Usage, err.Error(), "leave it out, or configure the server as openai, which speaks chat completions")
	case errors.Is(err, responses.ErrNotCompletion), errors.Is(err, responses.ErrContent):
		return nil, m.fault(fault.Usage, err.Error(), "see OpenAI's reference of chat completions")
	case err != nil:
		return nil, fmt.Errorf("%s: encode the request: %w", m.name(), err)
	}
	sent.Body["model"] = m.config.Model
	return &translation{Sent: sent, envelope: completion.Envelope{ID: "chatcmpl-" + strings.ToLower(rand.Text()), Model: m.config.Model}}, nil
}

// chunks tell a delta.
func (t *translation) chunks(d llm.Delta) []*completion.Chunk {
	choice := completion.Choice{Text: d.Text, Thinking: d.Thinking, Finish: d.Done}
	if !t.told {
		choice.Role, t.told = "assistant", true
	}
	for _, c := range d.ToolCalls {
		choice.Calls = append(choice.Calls, completion.CallPiece{Index: t.calls, ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		t.calls++
	}
	out := []*completion.Chunk{completion.New(t.envelope, true, choice)}
	if d.Done != "" && t.Usage {
		last := t.envelope
		last.Usage = &d.Usage
		out = append(out, completion.New(last, true))
	}
	return out
}

// completion tells a whole answer.
func (t *translation) completion(a llm.Answer) *completion.Chunk {
	e := t.envelope
	e.Usage = &a.Usage
	return completion.New(e, false, completion.Answer{Text: a.Text, Calls: a.ToolCalls, Finish: a.Done}.Choice(false))
}
