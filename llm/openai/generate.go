package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"inlay/fault"
	"inlay/llm"
	"inlay/llm/completion"
)

// body builds a streamed request.
func (s *server) body(r llm.Request) map[string]any {
	b := map[string]any{
		"model": s.config.Model, "messages": completion.FromChats(r.Messages), "stream": true,
		"stream_options": map[string]any{"include_usage": true},
	}
	if r.MaxTokens > 0 {
		name := "max_tokens"
		if s.base.Hostname() == "api.openai.com" {
			name = "max_completion_tokens" // its newer models refuse the older name
		}
		b[name] = r.MaxTokens
	}
	if r.Temperature != nil {
		b["temperature"] = *r.Temperature
	}
	if r.Seed != nil {
		b["seed"] = *r.Seed
	}
	if len(r.Stop) > 0 {
		b["stop"] = r.Stop
	}
	for _, t := range r.Tools {
		tools, _ := b["tools"].([]any)
		function := map[string]any{"name": t.Name, "description": t.Description}
		if t.Parameters != nil {
			function["parameters"] = t.Parameters
		}
		b["tools"] = append(tools, map[string]any{"type": "function", "function": function})
	}
	if r.Schema != nil {
		b["response_format"] = map[string]any{
			"type": "json_schema", "json_schema": map[string]any{"name": "answer", "strict": true, "schema": r.Schema},
		}
	}
	return b
}

// Generate implements [llm.Generator]. The last delta comes when the stream
// has ended, since usage is reported after the last piece of text.
func (m *Model) Generate(ctx context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		resp, err := m.send(ctx, m.at("chat/completions", false), m.body(r))
		if err != nil {
			yield(llm.Delta{}, m.overflow(err))
			return
		}
		defer func() { _ = resp.Body.Close() }()
		var last reading
		var end ending
		for c, err := range m.events(resp.Body, &end) {
			d := llm.Delta{}
			if err == nil {
				d, err = last.delta(c)
			}
			if err != nil {
				yield(llm.Delta{}, m.streamError(ctx, err))
				return
			}
			if (d.Text != "" || d.Thinking != "") && !yield(d, nil) {
				return
			}
		}
		if last.Done == "" {
			yield(llm.Delta{}, m.streamError(ctx, m.unfinished(end, finishMark)))
			return
		}
		last.ToolCalls = last.calls.All()
		m.finish(r, &last.Delta)
		yield(last.Delta, nil)
	}
}

// finish learns from the reported usage and names the calls that have no id.
// What a server makes of tools is not known, so that such a prompt teaches nothing.
func (m *Model) finish(r llm.Request, last *llm.Delta) {
	if len(r.Tools) == 0 {
		m.learn(r.Messages, last.Usage.Prompt)
	}
	for i, c := range last.ToolCalls {
		last.ToolCalls[i].ID = cmp.Or(c.ID, fmt.Sprintf("call_%d", i+1))
	}
}

// reading is the last delta of a stream while the stream is read.
type reading struct {
	llm.Delta
	calls completion.Calls
}

// delta is what a chunk says; why the model stopped, what it calls and what it
// used go to the last delta.
func (last *reading) delta(c *completion.Chunk) (d llm.Delta, err error) {
	for _, choice := range c.Choices {
		d.Text += choice.Text
		d.Thinking += choice.Thinking
		err = cmp.Or(err, last.calls.Add(choice.Calls))
		last.Done = cmp.Or(choice.Finish, last.Done)
	}
	if c.Usage != nil {
		last.Usage = *c.Usage
	}
	return d, err
}

func (m *Model) streamError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return m.explain(cause)
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	return m.broken(err)
}

// overflow adds the window's number to a refusal for length.
func (m *Model) overflow(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != fault.DoesNotFit {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.found == nil || m.found.length == 0 {
		return err
	}
	g := *f
	g.Reason = fmt.Sprintf("the prompt is longer than the window of %d tokens", m.found.length)
	return &g
}
