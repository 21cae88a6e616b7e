package session

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"inlay/chat"
	"inlay/fault"
	"inlay/processor"
	"inlay/route"
)

// guard is what an answer passes before any of it reaches the client: it is
// held back until it is whole.
type guard struct {
	chain   processor.Chain[processor.Response]
	turn    *processor.Turn
	prompt  []processor.Message
	wrap    bool // a plain answer becomes an attempt_completion
	outcome *Completion
}

func (c *Completion) guarding() *guard {
	if c.guard == nil {
		c.guard = &guard{outcome: c}
	}
	return c.guard
}

func (g *guard) processors(chain processor.Chain[processor.Response], turn *processor.Turn, prompt []processor.Message) {
	g.chain, g.turn, g.prompt = chain, turn, prompt
}

// answered is one choice of an answer, put together.
type answered struct {
	index  int
	text   string
	calls  []chat.ToolCall
	finish json.RawMessage
}

// guarded collects the answer, lets the guard look at every choice, and hands
// out what it left. What nobody looked at, such as a model's thoughts and the
// probabilities of its words, is left out.
func (c *Completion) guarded(ctx context.Context, answer iter.Seq2[json.RawMessage, error]) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		var pieces []map[string]json.RawMessage
		for data, err := range answer {
			var piece map[string]json.RawMessage
			if err == nil && json.Unmarshal(data, &piece) != nil {
				err = c.odd()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			pieces = append(pieces, piece)
		}
		if len(pieces) == 0 {
			return
		}
		out, err := c.look(ctx, pieces)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, data := range out {
			if !yield(data, nil) {
				return
			}
		}
	}
}

func (c *Completion) odd() error {
	return c.failed(&fault.Error{Code: fault.BackendUnreachable, Subject: "model", Reason: "the server's answer is not what this API answers"})
}

// look is the whole answer: one piece, or the chunks of a stream.
func (c *Completion) look(ctx context.Context, pieces []map[string]json.RawMessage) ([]json.RawMessage, error) {
	choices := map[int]*answered{}
	where := c.where()
	envelope, rest := maps.Clone(pieces[0]), []map[string]json.RawMessage{}
	for _, piece := range pieces {
		n, err := collectChoices(choices, piece["choices"], where)
		if err != nil {
			return nil, c.odd()
		}
		if n == 0 && len(pieces) > 1 {
			rest = append(rest, piece) // the usage of a stream
		} else if usage := piece["usage"]; len(usage) > 0 && string(usage) != "null" {
			envelope["usage"] = usage
		}
	}
	list := make([]map[string]json.RawMessage, 0, len(choices))
	for _, index := range slices.Sorted(maps.Keys(choices)) {
		one, err := c.guard.choice(ctx, choices[index], where)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	data, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	envelope["choices"] = data
	return marshalAll(append([]map[string]json.RawMessage{envelope}, rest...))
}

func marshalAll(list []map[string]json.RawMessage) (out []json.RawMessage, err error) {
	for _, one := range list {
		data, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, nil
}

// collectChoices adds what a piece says to the choices.
func collectChoices(choices map[int]*answered, data json.RawMessage, where string) (int, error) {
	if len(data) == 0 || string(data) == "null" {
		return 0, nil
	}
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return 0, err
	}
	for _, fields := range list {
		var index int
		_ = json.Unmarshal(fields["index"], &index)
		one := choices[index]
		if one == nil {
			one = &answered{index: index}
			choices[index] = one
		}
		if err := one.add(fields, where); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

func (a *answered) add(fields map[string]json.RawMessage, where string) error {
	if finish := fields["finish_reason"]; len(finish) > 0 && string(finish) != "null" {
		a.finish = finish
	}
	var said struct {
		Content   *string
		ToolCalls []apiCall `json:"tool_calls"`
	}
	if raw := fields[where]; len(raw) > 0 {
		if err := json.Unmarshal(raw, &said); err != nil {
			return err
		}
	}
	if said.Content != nil {
		a.text += *said.Content
	}
	for i, call := range said.ToolCalls {
		at := i
		if call.Index != nil {
			at = *call.Index
		}
		if at < 0 || at > len(a.calls) {
			return errNoObject
		}
		if at == len(a.calls) {
			a.calls = append(a.calls, chat.ToolCall{})
		}
		a.calls[at].ID += call.ID
		a.calls[at].Name += call.Function.Name
		a.calls[at].Arguments += call.Function.Arguments
	}
	return nil
}

// choice sends a choice through the guard.
func (g *guard) choice(ctx context.Context, a *answered, where string) (map[string]json.RawMessage, error) {
	if g.turn != nil {
		request := &processor.Request{Messages: g.prompt}
		out, verdict, err := g.chain.Run(ctx, g.turn, processor.Response{Text: a.text, ToolCalls: a.calls, Model: g.outcome.model.Name(), Attempt: 1, Request: request})
		if err == nil {
			err = halted(g.turn, verdict)
		}
		if err != nil {
			return nil, err
		}
		a.text, a.calls = out.Text, out.ToolCalls
		g.outcome.Processors = g.turn.Trace()
	}
	if g.wrap {
		m, err := route.Wrap(chat.Message{Role: chat.Assistant, Text: a.text, ToolCalls: a.calls})
		if err != nil {
			return nil, err
		}
		if len(m.ToolCalls) > len(a.calls) {
			a.finish = mustJSON("tool_calls")
		}
		a.text, a.calls = m.Text, m.ToolCalls
	}
	return a.choice(where)
}

// choice is the choice in the OpenAI API's form.
func (a *answered) choice(where string) (map[string]json.RawMessage, error) {
	said := map[string]json.RawMessage{"role": mustJSON("assistant"), "content": mustJSON(a.text)}
	if len(a.calls) > 0 {
		said["tool_calls"] = apiCalls(a.calls, where == "delta")
		if a.text == "" {
			said["content"] = json.RawMessage("null")
		}
	}
	message, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	index, err := json.Marshal(a.index)
	if a.finish == nil {
		a.finish = json.RawMessage("null")
	}
	return map[string]json.RawMessage{"index": index, where: message, "finish_reason": a.finish}, err
}
