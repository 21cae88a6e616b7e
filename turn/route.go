package turn

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"inlay/chat"
	"inlay/llm"
	"inlay/route"
	"inlay/tokens"
)

// Routed says where a turn went.
type Routed struct {
	route.Outcome
	Summary string `json:"summary"` // "Saved 815 tokens this turn"
	Retried bool   `json:"retried,omitempty" doc:"the condensed call failed, and the full one was made"`

	proposal *chat.Message
	wrap     bool // a plain answer becomes an attempt_completion
	counter  tokens.Counter
	sent     int // tokens of the prompt, as counted
}

// takeRoute decides the turn where the engine routes and a tool is offered that
// the router knows; any other turn stays as it is.
func (t *Turn) takeRoute(ctx context.Context) error {
	if t.engine.Router == nil || t.asked == "" {
		return nil
	}
	r := *t.engine.Router
	if r.Tools = offered(t.Prompt.Tools); r.Tools == nil {
		return nil
	}
	r.CodebaseSearch = has(r.Tools, "codebase_search")
	counter, err := t.req.Model.Counter(ctx)
	if err != nil {
		return err
	}
	r.Counter = counter
	out, err := r.Decide(ctx, t.asRequest())
	if err != nil {
		return err
	}
	t.engine.observe().Routed(out)
	t.Route = &Routed{Outcome: out, counter: counter, sent: counter.Count(out.System).N}
	for _, m := range out.Messages {
		t.Route.sent += counter.Count(m.Text).N
	}
	if out.Routed {
		err = t.apply(r)
	}
	t.Route.Summary = t.Route.SavedText()
	return err
}

// offered are the router's tools among those of the prompt, with the schemas
// that the client gave them.
func offered(tools []llm.Tool) (list []route.Tool) {
	known := route.Tools()
	for _, t := range tools {
		i := slices.IndexFunc(known, func(k route.Tool) bool { return k.Name == t.Name })
		if i < 0 {
			continue
		}
		tool := known[i]
		if len(t.Parameters) > 0 {
			tool.Schema = t.Parameters
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
func (t *Turn) asRequest() route.Request {
	r := route.Request{Ask: t.asked, Mode: t.engine.Mode, Environment: t.engine.Place, System: t.req.ToolText}
	for _, m := range t.Prompt.Messages {
		if m.Role == chat.System {
			r.System = m.Text + "\n" + r.System
			continue
		}
		r.Messages = append(r.Messages, m.Message)
	}
	return r
}

// apply makes the outcome the prompt: a proposal instead of it, or the condensed
// prompt and the newest message. A proposal that the client has no tool for
// changes nothing.
func (t *Turn) apply(r route.Router) error {
	out := &t.Route.Outcome
	if tool := out.Decision.Tool; tool != nil {
		if !has(r.Tools, tool.Name) {
			out.Routed, out.Saved = false, 0
			out.Warnings = append(out.Warnings, "The prompt is not routed: the client has no tool "+tool.Name+".")
			return nil
		}
		call, err := tool.ToolCall("call_" + strings.ToLower(rand.Text()))
		t.Route.proposal = &chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}}
		return err
	}
	t.Route.wrap = has(r.Tools, route.Completion)
	if out.Decision.Big == nil || !out.Decision.Big.UseCondensedPrompt {
		return nil
	}
	if r.Settings.RetryFullPrompt {
		full := Prompt{Messages: slices.Clone(t.Prompt.Messages), Tools: t.Prompt.Tools}
		t.Full = &full
	}
	t.Prompt.Tools = nil
	newest := t.newest()
	t.Prompt.Messages = []Message{{Message: chat.Message{Role: chat.System, Text: out.System}}, newest}
	return nil
}

// newest is the newest message of the user.
func (t *Turn) newest() Message {
	for _, m := range slices.Backward(t.Prompt.Messages) {
		if m.Role == chat.User {
			return m
		}
	}
	return Message{Message: chat.Message{Role: chat.User, Text: t.asked}}
}

// Proposal is the answer of a turn that was routed to a tool: no model is asked.
// It is nil for any other turn.
func (t *Turn) Proposal() *chat.Message {
	if t.Route == nil {
		return nil
	}
	return t.Route.proposal
}

// Retried notes that the condensed call failed after took, and that [Turn.Full]
// is asked.
func (t *Turn) Retried(took time.Duration) {
	r := t.Route
	r.Stages = append(r.Stages, route.Stage{Name: "big", Latency: took})
	r.Retried, r.Saved, r.Summary = true, 0, (route.Outcome{}).SavedText()
}

// Answered notes what a routed call took: the tokens that the server reports,
// else those that are counted.
func (t *Turn) Answered(usage llm.Usage, text string, took time.Duration) {
	r := t.Route
	if r == nil || !r.Routed || r.proposal != nil {
		return
	}
	stage := route.Stage{Name: "big", Latency: took, In: usage.Prompt, Out: usage.Completion}
	if r.Retried {
		stage.Name = "big-retry"
	}
	if usage == (llm.Usage{}) {
		stage.In, stage.Out = r.sent, r.counter.Count(text).N
	}
	r.Stages = append(r.Stages, stage)
}

// jsonOf is the tools as the large model would be sent them.
func jsonOf(tools []llm.Tool) string {
	if len(tools) == 0 {
		return ""
	}
	data, err := json.Marshal(tools)
	if err != nil {
		return ""
	}
	return string(data)
}
