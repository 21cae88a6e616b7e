package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
)

// message is a chat message in the API's form.
type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// apiMessages translates messages. Attachments stay out: images are not inlay's
// to send, and files are in the text already (INJ-2).
func apiMessages(messages []chat.Message) []message {
	out := make([]message, len(messages))
	for i, m := range messages {
		out[i] = message{Role: string(m.Role), Content: m.Text, ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			out[i].ToolCalls = append(out[i].ToolCalls, toolCall{ID: c.ID, Type: "function", Function: functionCall{c.Name, c.Arguments}})
		}
	}
	return out
}

// body builds a streamed request.
func (s *server) body(r llm.Request) map[string]any {
	b := map[string]any{
		"model": s.config.Model, "messages": apiMessages(r.Messages), "stream": true,
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

// chunk is one event of a stream.
type chunk struct {
	Choices []struct {
		Delta struct {
			Content          string `json:"content"`
			Reasoning        string `json:"reasoning"`
			ReasoningContent string `json:"reasoning_content"`
			ToolCalls        []struct {
				Index    int          `json:"index"`
				ID       string       `json:"id"`
				Function functionCall `json:"function"`
			} `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
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
		last := llm.Delta{}
		for c, err := range events(resp.Body) {
			if err == nil && c.Error != nil {
				err = m.explainStatus(400, fmt.Appendf(nil, `{"error":%s}`, c.Error))
			}
			if err != nil {
				yield(llm.Delta{}, m.streamError(ctx, err))
				return
			}
			if d := c.delta(&last); (d.Text != "" || d.Thinking != "") && !yield(d, nil) {
				return
			}
		}
		if last.Done == "" {
			yield(llm.Delta{}, m.streamError(ctx, m.unfinished()))
			return
		}
		m.finish(r, &last)
		yield(last, nil)
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

// delta reads a chunk; why the model stopped and what it used go to last.
func (c chunk) delta(last *llm.Delta) llm.Delta {
	d := llm.Delta{}
	for _, choice := range c.Choices {
		d.Text += choice.Delta.Content
		d.Thinking += choice.Delta.Reasoning + choice.Delta.ReasoningContent
		for _, c := range choice.Delta.ToolCalls {
			if c.Index < 0 || c.Index > len(last.ToolCalls) {
				continue // no server leaves a number out
			}
			if c.Index == len(last.ToolCalls) {
				last.ToolCalls = append(last.ToolCalls, chat.ToolCall{})
			}
			call := &last.ToolCalls[c.Index]
			call.ID += c.ID
			call.Name += c.Function.Name
			call.Arguments += c.Function.Arguments
		}
		if choice.FinishReason != "" {
			last.Done = choice.FinishReason
		}
	}
	if c.Usage != nil {
		last.Usage = llm.Usage{Prompt: c.Usage.PromptTokens, Completion: c.Usage.CompletionTokens}
	}
	return d
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

// errNotAnEvent says that a line of a stream is not JSON; it does not repeat it.
var errNotAnEvent = errors.New("an event of the stream is not JSON")

// events reads a stream of server-sent events up to [DONE] or its end.
func events(r io.Reader) iter.Seq2[chunk, error] {
	return func(yield func(chunk, error) bool) {
		for data, err := range rawEvents(r) {
			var c chunk
			if err == nil && json.Unmarshal(data, &c) != nil {
				err = errNotAnEvent
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}
