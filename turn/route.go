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
	if t.engine.Router == nil || t.asked == "" || !slices.ContainsFunc(t.Prompt.Tools, known) {
		return nil
	}
	r := *t.engine.Router
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
	t.Route = &Routed{Outcome: out, counter: counter, sent: out.Sent}
	if out.Routed {
		err = t.apply(r.Settings)
	}
	t.Route.Summary = t.Route.SavedText()
	if !out.Routed || t.Route.proposal != nil {
		t.engine.observe().Spent(*t.Route)
	}
	return err
}

// known reports whether the router knows a tool.
func known(tool llm.Tool) bool {
	return slices.ContainsFunc(route.Tools(), func(k route.Tool) bool { return k.Name == tool.Name })
}

// asRequest is the turn as the router sees it: the client's own prompt and tools,
// and what is attached or in the prompt already (RTE-11).
func (t *Turn) asRequest() route.Request {
	r := route.Request{Ask: t.asked, Mode: t.engine.Mode, Environment: t.engine.Place, Client: t.client(), Attached: t.attachedNames()}
	for _, m := range t.Prompt.Messages {
		switch {
		case m.Role != chat.System:
			r.Messages = append(r.Messages, m.Message)
		case r.System == "":
			r.System = m.Text
		default:
			r.System += "\n\n" + m.Text
		}
	}
	return r
}

// client is what the sender of the turn brought along.
func (t *Turn) client() *route.Client {
	c := &route.Client{ToolChoice: t.req.ToolChoice}
	for _, tool := range t.Prompt.Tools {
		c.Tools = append(c.Tools, route.ClientTool{Name: tool.Name, Description: tool.Description, Schema: tool.Parameters, Definition: jsonOf([]llm.Tool{tool})})
	}
	return c
}

// attachedNames are the files that came with this message or are in the prompt
// from earlier ones.
func (t *Turn) attachedNames() (names []string) {
	for _, f := range slices.Concat(t.req.Files, t.earlier) {
		names = append(names, f.Name)
	}
	for _, i := range t.req.Images {
		names = append(names, i.Name)
	}
	return names
}

// apply makes the outcome the prompt: a proposal instead of it, or what the
// router leaves of the prompt and its tools.
func (t *Turn) apply(settings route.Settings) error {
	out := &t.Route.Outcome
	if tool := out.Decision.Tool; tool != nil {
		call, err := tool.ToolCall("call_" + strings.ToLower(rand.Text()))
		t.Route.proposal = &chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}}
		return err
	}
	t.Route.wrap = t.Prompt.Allows(route.Completion)
	if out.Decision.Big == nil || !out.Decision.Big.UseCondensedPrompt {
		return nil
	}
	if settings.RetryFullPrompt {
		full := Prompt{Messages: slices.Clone(t.Prompt.Messages), Tools: t.Prompt.Tools}
		t.Full = &full
	}
	t.Prompt.Tools = slices.DeleteFunc(slices.Clone(t.Prompt.Tools), func(tool llm.Tool) bool { return !out.Keeps(tool.Name) })
	t.Prompt.Messages = t.condensed(out.System, out.Messages)
	return nil
}

// condensed are the messages that the router left, each with its place.
func (t *Turn) condensed(system string, left []chat.Message) []Message {
	var out []Message
	if system != "" {
		first := Message{Message: chat.Message{Role: chat.System, Text: system}}
		if i := slices.IndexFunc(t.Prompt.Messages, func(m Message) bool { return m.Role == chat.System }); i >= 0 {
			first.Ref = t.Prompt.Messages[i].Ref
		}
		out = append(out, first)
	}
	from := len(t.Prompt.Messages)
	placed := make([]Message, len(left))
	for i, m := range slices.Backward(left) {
		placed[i].Message = m
		for k := from - 1; k >= 0; k-- {
			if was := t.Prompt.Messages[k]; was.Role == m.Role && was.Text == m.Text && was.ToolCallID == m.ToolCallID {
				placed[i], from = was, k
				break
			}
		}
	}
	return append(out, placed...)
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
	t.engine.observe().Spent(*r)
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
