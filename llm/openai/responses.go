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
	"inlay/tokens"
)

// ResponsesProvider is what names of such models have in front.
const ResponsesProvider = "openai-responses"

// Responses is a model that is asked through OpenAI's Responses API, which some
// of its models have alone and other servers, Ollama's among them, have too. It
// is measured like [Model]. It is safe for concurrent use.
type Responses struct{ model *Model }

var (
	_ llm.Measurer     = (*Responses)(nil)
	_ llm.TextMeasurer = (*Responses)(nil)
	_ llm.Generator    = (*Responses)(nil)
	_ llm.Relay        = (*Responses)(nil)
)

// NewResponses returns the model that c names, as [New] does.
func NewResponses(c Config) (*Responses, error) {
	m, err := New(c)
	if err != nil {
		return nil, err
	}
	m.provider = ResponsesProvider
	return &Responses{m}, nil
}

// Name implements [llm.Measurer] and [llm.Generator].
func (r *Responses) Name() string { return r.model.Name() }

// Length implements [llm.Measurer].
func (r *Responses) Length(ctx context.Context) (tokens.Count, error) { return r.model.Length(ctx) }

// Counter implements [llm.Measurer].
func (r *Responses) Counter(ctx context.Context) (tokens.Counter, error) { return r.model.Counter(ctx) }

// CountMessages implements [llm.Measurer].
func (r *Responses) CountMessages(ctx context.Context, messages []chat.Message) (tokens.Count, error) {
	return r.model.CountMessages(ctx, messages)
}

// CountTexts implements [llm.TextMeasurer].
func (r *Responses) CountTexts(ctx context.Context, c tokens.Counter, messages []chat.Message) (tokens.Count, error) {
	return r.model.CountTexts(ctx, c, messages)
}

// Generate implements [llm.Generator]. The server keeps the answer only where
// the request has a thread. The API has neither stop texts nor a seed: such
// requests are refused.
func (r *Responses) Generate(ctx context.Context, q llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		body, err := r.model.responseBody(q)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		for d, err := range r.model.respond(ctx, body, q.MaxTokens) {
			if err == nil && d.Done != "" {
				r.model.finish(q, &d)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// respond sends body and streams the answer. It ends as [llm.Generator] says.
func (m *Model) respond(ctx context.Context, body map[string]any, most int) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		resp, err := m.send(ctx, m.at("responses", false), body)
		if err != nil {
			yield(llm.Delta{}, m.overflow(err))
			return
		}
		defer func() { _ = resp.Body.Close() }()
		last, end := llm.Delta{}, ending{}
		for d, err := range m.responseDeltas(resp.Body, &last, &end) {
			if err != nil {
				yield(llm.Delta{}, m.overflow(m.streamError(ctx, err)))
				return
			}
			if !yield(d, nil) {
				return
			}
		}
		if last.Done == "" {
			yield(llm.Delta{}, m.streamError(ctx, m.unfinished(end, "response.completed")))
			return
		}
		if most > 0 && last.Done == "stop" && last.Usage.Completion >= most {
			last.Done = "length" // Ollama calls an answer that was cut complete
		}
		yield(last, nil)
	}
}

// item is a part of the conversation in this API's form: a message, a call, or
// a call's result.
type item struct {
	Type      string  `json:"type"`
	Role      string  `json:"role,omitempty"`
	Content   *string `json:"content,omitempty"`
	CallID    string  `json:"call_id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments *string `json:"arguments,omitempty"`
	Output    *string `json:"output,omitempty"`
}

// items translates messages. What a message says comes before what it calls.
func items(messages []chat.Message) []item {
	out := []item{}
	for _, m := range messages {
		if m.Role == chat.Tool {
			out = append(out, item{Type: "function_call_output", CallID: m.ToolCallID, Output: &m.Text})
			continue
		}
		if m.Text != "" || len(m.ToolCalls) == 0 {
			out = append(out, item{Type: "message", Role: string(m.Role), Content: &m.Text})
		}
		for _, c := range m.ToolCalls {
			arguments := cmp.Or(c.Arguments, "{}")
			out = append(out, item{Type: "function_call", CallID: c.ID, Name: c.Name, Arguments: &arguments})
		}
	}
	return out
}

// responseBody builds a streamed request that is never cut by the server.
func (m *Model) responseBody(q llm.Request) (map[string]any, error) {
	if len(q.Stop) > 0 || q.Seed != nil {
		return nil, m.fault(fault.Usage, "the Responses API takes neither stop texts nor a seed", "leave them out, or ask the model as openai:"+m.config.Model)
	}
	b := map[string]any{
		"model": m.config.Model, "input": items(q.Messages), "stream": true, "truncation": "disabled", "store": q.Thread != nil,
	}
	if q.Thread != nil && q.Thread.Previous != "" {
		b["previous_response_id"] = q.Thread.Previous
	}
	if q.MaxTokens > 0 {
		b["max_output_tokens"] = q.MaxTokens
	}
	if q.Temperature != nil {
		b["temperature"] = *q.Temperature
	}
	var tools []map[string]any
	for _, t := range q.Tools {
		parameters := t.Parameters
		if parameters == nil {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		tools = append(tools, map[string]any{
			"type": "function", "name": t.Name, "description": t.Description, "parameters": parameters, "strict": false,
		})
	}
	if tools != nil {
		b["tools"] = tools
	}
	if q.Schema != nil {
		b["text"] = map[string]any{"format": map[string]any{"type": "json_schema", "name": "answer", "strict": true, "schema": q.Schema}}
	}
	return b, nil
}

// errNotAnEvent says what an event is not; it does not repeat it.
var errNotAnEvent = errors.New("an event of the stream is not one of the Responses API")

// event is one event of a stream, with the fields that matter here. Other kinds
// of events have other things in them.
type event struct {
	Type     string          `json:"type"`
	Delta    json.RawMessage `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Response response        `json:"response"`
	Error    json.RawMessage `json:"error"`
}

// response is the whole answer, at its end.
type response struct {
	ID         string          `json:"id"`
	Error      json.RawMessage `json:"error"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
	} `json:"usage"`
}

// responseDeltas reads a stream up to the answer's end; calls, why the model
// stopped and what it used go to last.
func (m *Model) responseDeltas(r io.Reader, last *llm.Delta, end *ending) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for data, err := range rawEvents(r, end) {
			d := llm.Delta{}
			if err == nil {
				d, err = m.responseEvent(data, last)
			}
			if err != nil {
				yield(llm.Delta{}, err)
				return
			}
			if (d.Text != "" || d.Thinking != "") && !yield(d, nil) {
				return
			}
			if last.Done != "" {
				return
			}
		}
	}
}

func (m *Model) responseEvent(data []byte, last *llm.Delta) (llm.Delta, error) {
	var e event
	if json.Unmarshal(data, &e) != nil {
		return llm.Delta{}, m.odd(errNotAnEvent)
	}
	if err := m.refused(e, data); err != nil {
		return llm.Delta{}, err
	}
	d, err := e.delta(last)
	if err != nil {
		return llm.Delta{}, m.odd(errNotAnEvent)
	}
	return d, nil
}

// refused is the error that an event tells, if any: as the field of the answer,
// as that of other addresses, or as the event itself.
func (m *Model) refused(e event, data []byte) error {
	switch {
	case e.Type == "response.failed":
		data = e.Response.Error
	case len(e.Error) > 0 && string(e.Error) != "null":
		data = e.Error
	case e.Type != "error":
		return nil
	}
	if len(data) == 0 {
		data = []byte("null")
	}
	return m.explainEvent(fmt.Appendf(nil, `{"error":%s}`, data))
}

// delta reads an event. A refusal is what the model says, so it is text.
func (e event) delta(last *llm.Delta) (d llm.Delta, err error) {
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		err = json.Unmarshal(e.Delta, &d.Text)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		err = json.Unmarshal(e.Delta, &d.Thinking)
	case "response.output_item.done":
		err = e.call(last)
	case "response.completed", "response.incomplete":
		last.ID, last.Done = e.Response.ID, e.done(len(last.ToolCalls))
		last.Usage = llm.Usage{Prompt: e.Response.Usage.Input, Completion: e.Response.Usage.Output}
	}
	return d, err
}

// call adds a function call that is done.
func (e event) call(last *llm.Delta) error {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(e.Item, &kind); err != nil || kind.Type != "function_call" {
		return err
	}
	var c struct {
		ID        string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	err := json.Unmarshal(e.Item, &c)
	last.ToolCalls = append(last.ToolCalls, chat.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	return err
}

// done is why the model stopped, in the words of chat completions.
func (e event) done(calls int) string {
	switch {
	case e.Response.Incomplete != nil && e.Response.Incomplete.Reason == "max_output_tokens":
		return "length"
	case e.Response.Incomplete != nil:
		return cmp.Or(e.Response.Incomplete.Reason, "incomplete")
	case calls > 0:
		return "tool_calls"
	}
	return "stop"
}
