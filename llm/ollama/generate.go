package ollama

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/ollama/ollama/api"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/llm/internal/transport"
)

// errLeft ends a stream whose reader has left.
var errLeft = errors.New("the reader left")

// Generate implements [llm.Generator]. The request carries the window in force,
// forbids cutting the prompt, and forbids dropping its beginning when the
// answer fills the window: such an answer ends with Done "length".
func (m *Model) Generate(ctx context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		req, err := m.request(ctx, r)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ctx, failure := transport.WithFailure(ctx)
		done, begun, calls := false, false, 0
		err = m.chat(ctx, req, func(resp api.ChatResponse) error {
			if done {
				return nil // nothing follows the end
			}
			done, begun = resp.Done, begun || says(resp)
			d := delta(resp)
			for _, c := range resp.Message.ToolCalls {
				calls++
				d.ToolCalls = append(d.ToolCalls, toolCall(c, calls))
			}
			if !yield(d, nil) {
				return errLeft
			}
			return nil
		})
		switch {
		case errors.Is(err, errLeft), done:
		case err == nil:
			yield(llm.Delta{}, m.cutOff(ctx, failure.Err(), begun))
		default:
			yield(llm.Delta{}, m.overflow(ctx, m.explain(err), req))
		}
	}
}

// cutOff explains a stream that ended without saying so: the client keeps quiet
// about errors of reading it.
func (m *Model) cutOff(ctx context.Context, cause error, begun bool) error {
	if err := context.Cause(ctx); err != nil {
		return m.explain(err)
	}
	if fault.Is(cause, fault.Timeout) {
		return cause
	}
	if cause == nil {
		return m.unfinished(begun)
	}
	return m.broken(cause)
}

// overflow adds the numbers to a refusal for length.
func (m *Model) overflow(ctx context.Context, err error, req *api.ChatRequest) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != fault.DoesNotFit {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = m.seen.Add(-m.config.Fresh) // it may be another model: the next request asks
	g := *f
	g.Reason = fmt.Sprintf("the prompt is longer than the window of %d tokens", m.length)
	if p, err := m.prompter(ctx); err == nil && p != nil {
		if n, err := p.count(req.Messages, req.Tools); err == nil {
			g.Reason = fmt.Sprintf("the prompt has %d tokens, the window %d", n, m.length)
		}
	}
	return &g
}

// request builds what every chat request of this package has in common.
func (m *Model) request(ctx context.Context, r llm.Request) (*api.ChatRequest, error) {
	messages, err := apiMessages(r.Messages)
	if err != nil {
		return nil, err
	}
	tools, err := apiTools(r.Tools)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	length, err := m.window(ctx)
	if err != nil {
		return nil, err
	}
	never := false
	return &api.ChatRequest{
		Model: m.config.Model, Messages: messages, Tools: tools, Format: r.Schema, Truncate: &never, Shift: &never,
		KeepAlive: m.keepAlive(), Options: options(r, length),
	}, nil
}

func options(r llm.Request, length int) map[string]any {
	o := map[string]any{"num_ctx": length}
	if r.MaxTokens > 0 {
		o["num_predict"] = r.MaxTokens // 0 would be endless
	}
	if r.Temperature != nil {
		o["temperature"] = *r.Temperature
	}
	if r.Seed != nil {
		o["seed"] = *r.Seed
	}
	if len(r.Stop) > 0 {
		o["stop"] = r.Stop
	}
	return o
}

func delta(r api.ChatResponse) llm.Delta {
	d := llm.Delta{Text: r.Message.Content, Thinking: r.Message.Thinking}
	if r.Done {
		d.Done = r.DoneReason
		if d.Done == "" {
			d.Done = "stop"
		}
		d.Usage = llm.Usage{Prompt: r.PromptEvalCount, Completion: r.EvalCount}
	}
	return d
}

// toolCall is the server's call in inlay's form. Servers before 0.12 give calls
// no id; then their number in the answer stands for it.
func toolCall(c api.ToolCall, number int) chat.ToolCall {
	return chat.ToolCall{ID: cmp.Or(c.ID, fmt.Sprintf("call_%d", number)), Name: c.Function.Name, Arguments: c.Function.Arguments.String()}
}

// apiTools translates tools; a schema that the server has no words for is an error.
func apiTools(tools []llm.Tool) (api.Tools, error) {
	var out api.Tools
	for _, t := range tools {
		f := api.ToolFunction{Name: t.Name, Description: t.Description}
		f.Parameters.Type = "object"
		if t.Parameters != nil {
			if err := json.Unmarshal(t.Parameters, &f.Parameters); err != nil {
				return nil, &fault.Error{Code: fault.Usage, Subject: "tool " + t.Name, Reason: "its parameters are not a JSON schema of an object", Next: "fix the tool", Err: err}
			}
		}
		if f.Parameters.Properties == nil {
			f.Parameters.Properties = api.NewToolPropertiesMap()
		}
		out = append(out, api.Tool{Type: "function", Function: f})
	}
	return out, nil
}

// apiMessages translates messages. Attachments stay out: images are not inlay's
// to send, and files are in the text already (INJ-2).
func apiMessages(messages []chat.Message) ([]api.Message, error) {
	out := make([]api.Message, len(messages))
	for i, m := range messages {
		out[i] = api.Message{Role: string(m.Role), Content: m.Text, ToolCallID: m.ToolCallID}
		for n, c := range m.ToolCalls {
			call := api.ToolCall{ID: c.ID, Function: api.ToolCallFunction{Index: n, Name: c.Name}}
			if c.Arguments != "" {
				if err := json.Unmarshal([]byte(c.Arguments), &call.Function.Arguments); err != nil {
					return nil, &fault.Error{
						Code: fault.Usage, Subject: fmt.Sprintf("message %d", i+1),
						Reason: "the arguments of its tool call are not a JSON object", Next: "correct the history",
					}
				}
			}
			out[i].ToolCalls = append(out[i].ToolCalls, call)
		}
	}
	return out, nil
}
