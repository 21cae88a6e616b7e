package session

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"inlay/chat"
	"inlay/route"
	"inlay/tokens"
)

// Routed says where a turn went.
type Routed struct {
	route.Outcome
	Summary string `json:"summary"` // "Saved 815 tokens this turn"
	Retried bool   `json:"retried,omitempty" doc:"the condensed call failed, and the full one was made"`

	proposal *chat.Message
	counter  tokens.Counter
	sent     int // tokens of the prompt, as counted
}

func (r *Routed) retried(took time.Duration) {
	r.Stages = append(r.Stages, route.Stage{Name: "big", Latency: took})
	r.Retried, r.Saved, r.Summary = true, 0, (route.Outcome{}).SavedText()
}

// answered adds the stage of the large model: with the tokens that the server
// reports, which of a stream come last, else with what is counted.
func (r *Routed) answered(data json.RawMessage, start time.Time) {
	var said struct {
		Object string
		Usage  *struct {
			In  int `json:"prompt_tokens"`
			Out int `json:"completion_tokens"`
		}
		Choices []struct{ Message struct{ Content string } }
	}
	if json.Unmarshal(data, &said) != nil || said.Usage == nil && said.Object != "chat.completion" {
		return
	}
	stage := route.Stage{Name: "big", Latency: time.Since(start)}
	if r.Retried {
		stage.Name = "big-retry"
	}
	if said.Usage != nil {
		stage.In, stage.Out = said.Usage.In, said.Usage.Out
	} else {
		stage.In = r.sent
		for _, c := range said.Choices {
			stage.Out += r.counter.Count(c.Message.Content).N
		}
	}
	r.Stages = append(r.Stages, stage)
}

// takeRoute decides the turn where the server routes and the client offers a
// tool that the router knows; any other request stays as it is.
func (c *Completion) takeRoute(ctx context.Context) error {
	if c.service.config.Router == nil || c.last < 0 {
		return nil
	}
	r := *c.service.config.Router
	if r.Tools = offered(c.body["tools"]); r.Tools == nil {
		return nil
	}
	r.CodebaseSearch = has(r.Tools, "codebase_search")
	counter, err := c.model.Counter(ctx)
	if err != nil {
		return err
	}
	r.Counter = counter
	out, err := r.Decide(ctx, c.asRequest())
	if err != nil {
		return err
	}
	c.service.config.Observe.Routed(out)
	c.Route = &Routed{Outcome: out, counter: counter, sent: counter.Count(out.System).N}
	for _, m := range out.Messages {
		c.Route.sent += counter.Count(m.Text).N
	}
	if out.Routed {
		err = c.apply(r)
	}
	c.Route.Summary = c.Route.SavedText()
	return err
}

// offered are the router's tools that the client has, with the client's schemas.
func offered(data json.RawMessage) (list []route.Tool) {
	var tools []struct {
		Function struct {
			Name       string
			Parameters json.RawMessage
		}
	}
	if json.Unmarshal(data, &tools) != nil {
		return nil
	}
	known := route.Tools()
	for _, t := range tools {
		i := slices.IndexFunc(known, func(k route.Tool) bool { return k.Name == t.Function.Name })
		if i < 0 {
			continue
		}
		tool := known[i]
		if len(t.Function.Parameters) > 0 {
			tool.Schema = t.Function.Parameters
		}
		list = append(list, tool)
	}
	return list
}

func has(tools []route.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t route.Tool) bool { return t.Name == name })
}

// asRequest is the turn as the router sees it. The catalogue counts with the
// system prompt.
func (c *Completion) asRequest() route.Request {
	r := route.Request{Ask: c.said, Mode: c.service.config.Mode, Environment: c.service.config.Place, System: string(c.body["tools"])}
	for i := range c.messages {
		m := c.messages[i].message()
		if m.Role == chat.System {
			r.System = m.Text + "\n" + r.System
			continue
		}
		r.Messages = append(r.Messages, m)
	}
	return r
}

// apply makes the outcome the request: a proposal instead of it, or the
// condensed prompt and the newest message. A proposal that the client has no
// tool for changes nothing.
func (c *Completion) apply(r route.Router) error {
	out := &c.Route.Outcome
	if tool := out.Decision.Tool; tool != nil {
		if !has(r.Tools, tool.Name) {
			out.Routed, out.Saved = false, 0
			out.Warnings = append(out.Warnings, "The prompt is not routed: the client has no tool "+tool.Name+".")
			return nil
		}
		call, err := tool.ToolCall(newID("call_"))
		c.Route.proposal = &chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}}
		return err
	}
	if has(r.Tools, route.Completion) {
		c.guarding().wrap = true
	}
	if out.Decision.Big == nil || !out.Decision.Big.UseCondensedPrompt {
		return nil
	}
	if r.Settings.RetryFullPrompt {
		c.full, c.unrouted = maps.Clone(c.body), slices.Clone(c.messages)
	}
	for _, name := range []string{"tools", "tool_choice", "parallel_tool_calls"} {
		delete(c.body, name)
	}
	text, err := textPart(out.System)
	system := apiMessage{fields: map[string]json.RawMessage{"role": mustJSON("system")}, role: "system", plain: true, parts: []apiPart{text}}
	if err == nil {
		err = system.write()
	}
	c.messages, c.last = []apiMessage{system, c.messages[c.last]}, 1
	return err
}

// propose is the proposal as an answer, or as a stream of two chunks.
func (c *Completion) propose() iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		stream := string(bytes.TrimSpace(c.body["stream"])) == "true"
		where, object := "message", "chat.completion"
		if stream {
			where, object = "delta", "chat.completion.chunk"
		}
		finish := mustJSON("tool_calls")
		a := answered{calls: c.Route.proposal.ToolCalls, finish: finish}
		choice, err := a.choice(where)
		if err != nil {
			yield(nil, err)
			return
		}
		stage := c.Route.Stages[0]
		data, err := json.Marshal(map[string]any{
			"id": strings.Replace(newID("chatcmpl-"), "_", "-", 1), "object": object, "created": time.Now().Unix(), "model": c.model.Name(), "choices": []any{choice},
			"usage": map[string]int{"prompt_tokens": stage.In, "completion_tokens": stage.Out, "total_tokens": stage.In + stage.Out},
		})
		yield(data, err)
	}
}
