package openai

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/llm"
	"inlay/llm/completion"
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
		for d, err := range r.model.respond(ctx, t.body, t.most) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !t.stream {
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
		if !t.stream {
			yield(t.completion(whole), nil)
		}
	}
}

// translation is a request in this API's form, and how its answer is to be told.
type translation struct {
	envelope completion.Envelope // of the completion and all of its chunks
	body     map[string]any
	most     int // tokens of the answer; 0: not bounded
	stream   bool
	usage    bool // the client wants a last chunk with what was used
	told     bool // the role was
	calls    int  // how many were told
}

// completions are the fields of a chat completion that change on the way.
type completions struct {
	Messages []struct {
		Role      string          `json:"role"`
		Name      string          `json:"name"`
		Content   json.RawMessage `json:"content"`
		ToolCalls []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
		ToolCallID string `json:"tool_call_id"`
	} `json:"messages"`
	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int    `json:"max_tokens"`
	MaxCompletionTokens int    `json:"max_completion_tokens"`
	ReasoningEffort     string `json:"reasoning_effort"`
	Verbosity           string `json:"verbosity"`
	ResponseFormat      *struct {
		Type   string         `json:"type"`
		Schema map[string]any `json:"json_schema"`
	} `json:"response_format"`
	Tools []struct {
		Type     string         `json:"type"`
		Function map[string]any `json:"function"`
	} `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	N          int             `json:"n"`
}

// The fields that go on as they are, and those that are translated.
func passed() []string {
	return []string{"temperature", "top_p", "parallel_tool_calls", "metadata", "user", "service_tier", "safety_identifier", "prompt_cache_key", "store"}
}

func translated() []string {
	return []string{
		"model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "reasoning_effort", "verbosity",
		"response_format", "tools", "tool_choice", "n",
	}
}

func (m *Model) translate(body map[string]json.RawMessage) (*translation, error) {
	b := map[string]any{"model": m.config.Model, "stream": true, "store": false, "truncation": "disabled"}
	for name, value := range body {
		switch {
		case saysNothing(value) || slices.Contains(translated(), name):
		case slices.Contains(passed(), name):
			b[name] = value
		default:
			return nil, m.lacks(name)
		}
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("%s: encode the request: %w", m.name(), err)
	}
	var c completions
	if json.Unmarshal(data, &c) != nil {
		return nil, m.fault(fault.Usage, "the request does not ask for a chat completion", "see OpenAI's reference of chat completions")
	}
	if c.N > 1 {
		return nil, m.lacks("n")
	}
	t := &translation{
		envelope: completion.Envelope{ID: "chatcmpl-" + strings.ToLower(rand.Text()), Model: m.config.Model},
		body:     b, stream: c.Stream, usage: c.StreamOptions.IncludeUsage, most: cmp.Or(c.MaxCompletionTokens, c.MaxTokens),
	}
	if t.most > 0 {
		b["max_output_tokens"] = t.most
	}
	if c.ReasoningEffort != "" {
		b["reasoning"] = map[string]any{"effort": c.ReasoningEffort}
	}
	c.text(b)
	if err := m.translateTools(c, b); err != nil {
		return nil, err
	}
	b["input"], err = m.translateMessages(c)
	return t, err
}

// saysNothing reports whether a value is what leaving its field out would mean.
func saysNothing(value json.RawMessage) bool {
	return slices.Contains([]string{"null", "false", "0", "0.0", `""`, "[]", "{}"}, string(bytes.TrimSpace(value)))
}

func (m *Model) lacks(name string) error {
	return m.fault(fault.Usage, "the Responses API has nothing like "+name+" of chat completions", "leave it out, or configure the server as openai, which speaks chat completions")
}

// text is how the answer's text is to be.
func (c completions) text(b map[string]any) {
	text := map[string]any{}
	if c.Verbosity != "" {
		text["verbosity"] = c.Verbosity
	}
	if f := c.ResponseFormat; f != nil {
		format := map[string]any{"type": f.Type}
		maps.Copy(format, f.Schema)
		text["format"] = format
	}
	if len(text) > 0 {
		b["text"] = text
	}
}

func (m *Model) translateTools(c completions, b map[string]any) error {
	var tools []map[string]any
	for _, t := range c.Tools {
		if t.Type != "function" {
			return m.lacks("a tool of type " + t.Type)
		}
		tool := map[string]any{"type": "function", "strict": false, "parameters": map[string]any{"type": "object", "properties": map[string]any{}}}
		for name, value := range t.Function {
			if value != nil {
				tool[name] = value
			}
		}
		tools = append(tools, tool)
	}
	if tools != nil {
		b["tools"] = tools
	}
	if saysNothing(c.ToolChoice) || len(c.ToolChoice) == 0 {
		return nil
	}
	var one struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	switch {
	case json.Unmarshal(c.ToolChoice, &one) != nil: // auto, none, required
		b["tool_choice"] = c.ToolChoice
	case one.Type == "function":
		b["tool_choice"] = map[string]any{"type": "function", "name": one.Function.Name}
	default:
		return m.lacks("a tool_choice of type " + one.Type)
	}
	return nil
}

func (m *Model) translateMessages(c completions) ([]any, error) {
	out := []any{}
	for _, msg := range c.Messages {
		content, err := m.content(msg.Role, msg.Content)
		if err != nil {
			return nil, err
		}
		if msg.Name != "" {
			return nil, m.lacks("a message's name")
		}
		if msg.Role == "tool" {
			out = append(out, map[string]any{"type": "function_call_output", "call_id": msg.ToolCallID, "output": content})
			continue
		}
		if content != any("") || len(msg.ToolCalls) == 0 {
			out = append(out, map[string]any{"type": "message", "role": msg.Role, "content": content})
		}
		for _, call := range msg.ToolCalls {
			out = append(out, map[string]any{
				"type": "function_call", "call_id": call.ID, "name": call.Function.Name, "arguments": cmp.Or(call.Function.Arguments, "{}"),
			})
		}
	}
	return out, nil
}

// content translates what a message holds: a text, or parts.
func (m *Model) content(role string, raw json.RawMessage) (any, error) {
	var text string
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Image struct {
			URL    string `json:"url"`
			Detail string `json:"detail"`
		} `json:"image_url"`
		File    map[string]any `json:"file"`
		Refusal string         `json:"refusal"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return nil, m.fault(fault.Usage, "the content of a message is neither a text nor a list of parts", "see OpenAI's reference of chat completions")
	}
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	out := make([]map[string]any, len(parts))
	for i, p := range parts {
		switch p.Type {
		case "text":
			out[i] = map[string]any{"type": kind, "text": p.Text}
		case "refusal":
			out[i] = map[string]any{"type": "refusal", "refusal": p.Refusal}
		case "image_url":
			out[i] = map[string]any{"type": "input_image", "image_url": p.Image.URL, "detail": cmp.Or(p.Image.Detail, "auto")}
		case "file":
			out[i] = map[string]any{"type": "input_file"}
			maps.Copy(out[i], p.File)
		default:
			return nil, m.lacks("a part of type " + p.Type)
		}
	}
	return out, nil
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
	if d.Done != "" && t.usage {
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
