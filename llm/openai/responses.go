package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/llm/responses"
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

// responseBody builds a streamed request that is never cut by the server.
func (m *Model) responseBody(q llm.Request) (map[string]any, error) {
	if len(q.Stop) > 0 || q.Seed != nil {
		return nil, m.fault(fault.Usage, "the Responses API takes neither stop texts nor a seed", "leave them out, or ask the model as openai:"+m.config.Model)
	}
	b := map[string]any{
		"model": m.config.Model, "input": responses.FromChats(q.Messages), "stream": true, "truncation": "disabled", "store": q.Thread != nil,
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
			parameters = json.RawMessage(responses.NoParameters)
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

// responseEvent reads an event; calls, and how the response ended, go to last.
func (m *Model) responseEvent(data []byte, last *llm.Delta) (llm.Delta, error) {
	h, err := responses.Listen(data)
	switch {
	case err != nil:
		return llm.Delta{}, m.odd(err)
	case h.Failure != nil:
		return llm.Delta{}, m.explainEvent(fmt.Appendf(nil, `{"error":%s}`, h.Failure))
	case h.Call != nil:
		last.ToolCalls = append(last.ToolCalls, *h.Call)
	case h.End != nil:
		last.ID, last.Done, last.Usage = h.End.ID, h.End.Reason, h.End.Usage
		if last.Done == "stop" && len(last.ToolCalls) > 0 {
			last.Done = "tool_calls"
		}
	}
	return llm.Delta{Text: h.Text, Thinking: h.Thinking}, nil
}
