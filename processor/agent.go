package processor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/internal/plural"
	"inlay/llm"
)

// Model is a model that can be measured and answers.
type Model interface {
	llm.Measurer
	llm.Generator
}

// Chains are all families.
type Chains struct {
	Messages   Chain[[]Message]
	Injection  Chain[[]Tool]
	Parameters Chain[Call]
	Validation Chain[Candidate]
	Steps      Steps
	Responses  Chain[Response]
}

// Agent is the loop around the chains: ask the model, run what it calls, ask
// again, until it answers. Its fields are set once; it is safe for concurrent
// use with one [Conversation] each.
type Agent struct {
	Chains   Chains
	Models   []Model         // the first answers; steps may turn to the others by name
	Tools    []Tool          // what may be offered
	Offered  []string        // names of the tools that are offered before injection; nil: all
	MaxSteps int             // most calls of the model in a turn; 0 means 16
	Request  Request         // the sampling settings of every call
	Stream   func(llm.Delta) // sees the pieces as they come, transformed; nil: none
	Ledger   *Ledger         // counts shared by turns; nil: each turn its own
}

// Conversation is what was said until now.
type Conversation struct{ Messages []Message }

// Reply is how a turn ended.
type Reply struct {
	Text  string
	Steps int       // calls of the model
	Usage llm.Usage // summed over the calls whose answers were used
	Said  []Message // what the turn added: the user's message, calls, results, the answer
}

// Turn adds what the user says to the conversation and carries the turn out.
// When it fails the conversation is as it was before. A halt of a processor is
// fault.ProcessorHalted, or the verdict's own code, with the processor and its
// reason.
func (a *Agent) Turn(ctx context.Context, t *Turn, c *Conversation, text string) (Reply, error) {
	t.Said = text
	return a.Run(ctx, t, c, Say(chat.User, FromUser, text))
}

// Run is Turn for a message that the host prepared, such as one with documents
// injected; t.Said is what the user wrote of it.
func (a *Agent) Run(ctx context.Context, t *Turn, c *Conversation, said Message) (Reply, error) {
	if len(a.Models) == 0 {
		return Reply{}, &fault.Error{Code: fault.Usage, Subject: "agent", Reason: "there is no model to ask", Next: "give it one"}
	}
	if t.Model == nil {
		m, known := a.model(a.Request.Model)
		if a.Request.Model == "" {
			m, known = a.first(ctx, t), true
		}
		if !known {
			return Reply{}, noSuchModel(a.Request.Model)
		}
		t.turnTo(m)
	}
	t.Tools = a.Tools
	t.Ledger = cmp.Or(t.Ledger, a.Ledger)
	messages := append(slices.Clone(c.Messages), said)
	reply := Reply{Said: slices.Clone(messages[len(c.Messages):])}
	for reply.Steps < cmp.Or(a.MaxSteps, 16) {
		reply.Steps++
		answer, kept, tools, err := a.step(ctx, t, messages)
		if err != nil {
			return reply, err
		}
		reply.Usage.Prompt += answer.Usage.Prompt
		reply.Usage.Completion += answer.Usage.Completion
		answer.ToolCalls = distinct(kept, answer.ToolCalls)
		messages = append(kept, answer.Message())
		reply.Said = append(reply.Said, answer.Message())
		if len(answer.ToolCalls) == 0 {
			reply.Text, c.Messages = answer.Text, messages
			return reply, nil
		}
		for _, call := range answer.ToolCalls {
			result, err := a.call(ctx, t, tools, call)
			if err != nil {
				return reply, err
			}
			messages = append(messages, toolMessage(call, result))
			reply.Said = append(reply.Said, toolMessage(call, result))
		}
	}
	return reply, &fault.Error{
		Code: fault.ProcessorTooManySteps, Subject: "agent",
		Reason: "the model still called tools after " + plural.Of(reply.Steps, "step"),
		Next:   "ask for less at a time, or raise the limit",
	}
}

// first is the first model whose window is known: one whose server is not there
// cannot be measured, and would not answer. If there is none it is the first.
func (a *Agent) first(ctx context.Context, t *Turn) Model {
	for _, m := range a.Models[:len(a.Models)-1] {
		_, err := m.Length(ctx)
		if err == nil {
			return m
		}
		t.record(Record{Family: LLMSteps, Stage: "before", Name: "agent", Verdict: Retries, Reason: string(fault.CodeOf(err)) + ": " + m.Name() + " cannot be measured, the next model is asked"})
	}
	last := a.Models[len(a.Models)-1]
	if _, err := last.Length(ctx); err != nil {
		return a.Models[0]
	}
	return last
}

// step is one call of the model with everything before and after it. kept is
// what of the prompt belongs to the conversation. When a step turns to another
// model the prompt is made again for its window, and the rest of the turn is that
// model's.
func (a *Agent) step(ctx context.Context, t *Turn, messages []Message) (answer Response, kept []Message, tools []Tool, err error) {
	if tools, err = run(ctx, t, a.Chains.Injection, a.offered()); err != nil {
		return answer, nil, nil, err
	}
	request := a.Request
	request.Tools, request.Attempt = tools, 1
	for {
		t.Reserve = a.reserve(ctx, t, tools)
		prompt, err := run(ctx, t, a.Chains.Messages, messages)
		if err != nil {
			return answer, nil, nil, err
		}
		request.Messages, request.Model = prompt, cmp.Or(t.model, a.Request.Model)
		var next string
		if answer, next, err = a.ask(ctx, t, &request); err != nil {
			return answer, nil, nil, err
		}
		if next == "" {
			answer, err = run(ctx, t, a.Chains.Responses, answer)
			return answer, Settle(prompt), tools, err
		}
		m, known := a.model(next)
		if !known {
			return answer, nil, nil, noSuchModel(next)
		}
		t.turnTo(m)
	}
}

// distinct gives each call an id that no other call of the conversation has: a
// result names its call by it, and models have been seen to use one twice.
func distinct(messages []Message, calls []chat.ToolCall) []chat.ToolCall {
	taken := map[string]bool{"": true}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			taken[c.ID] = true
		}
	}
	out := slices.Clone(calls)
	for i, c := range out {
		for n := 2; taken[out[i].ID]; n++ {
			out[i].ID = fmt.Sprintf("%s_%d", cmp.Or(c.ID, "call"), n)
		}
		taken[out[i].ID] = true
	}
	return out
}

// run is a chain whose halt ends the turn.
func run[T any](ctx context.Context, t *Turn, c Chain[T], v T) (T, error) {
	v, verdict, err := c.Run(ctx, t, v)
	if err == nil && verdict.Kind == Halts {
		err = halted(t, verdict)
	}
	return v, err
}

// halted is the error of a turn that a processor stopped.
func halted(t *Turn, v Verdict) error {
	return &fault.Error{Code: cmp.Or(v.Code, fault.ProcessorHalted), Subject: t.lastName(), Reason: cmp.Or(v.Reason, "it stopped the turn")}
}

func (a *Agent) offered() []Tool {
	if a.Offered == nil {
		return a.Tools
	}
	return slices.DeleteFunc(slices.Clone(a.Tools), func(t Tool) bool { return !slices.Contains(a.Offered, t.Name) })
}

// reserve is the room for the answer and for what a template makes of tools.
func (a *Agent) reserve(ctx context.Context, t *Turn, tools []Tool) int {
	n := a.Request.MaxTokens
	if n == 0 {
		n = 512
		if length, err := t.Model.Length(ctx); err == nil {
			n = min(1024, length.N/4)
		}
	}
	for _, tool := range tools {
		n += 32 + t.Count(tool.Name+tool.Description+string(tool.Parameters))*3/2
	}
	return n
}

// maxAttempts bounds the retries of one call, whatever the steps say.
const maxAttempts = 10

// ask sends a request, as often as the steps want. next is the model that they
// turn to, with the attempt in request; empty: answer is the answer.
func (a *Agent) ask(ctx context.Context, t *Turn, request *Request) (answer Response, next string, err error) {
	for ; ; request.Attempt++ {
		r, err := run(ctx, t, a.Chains.Steps.Before, *request)
		if err != nil {
			return Response{}, "", err
		}
		answer, verdict, err := a.Chains.Steps.After.Run(ctx, t, a.generate(ctx, r))
		switch {
		case err != nil:
			return answer, "", err
		case verdict.Kind == Halts:
			return answer, "", halted(t, verdict)
		case verdict.Kind != Retries || request.Attempt == maxAttempts:
			return answer, "", answer.Err
		}
		select {
		case <-ctx.Done():
			return answer, "", ctx.Err()
		case <-time.After(min(verdict.Wait, mostWait)):
		}
		if verdict.Model != "" && verdict.Model != answer.Model {
			request.Attempt++
			return answer, verdict.Model, nil
		}
	}
}

// model finds a model by its name; the empty name is the first.
func (a *Agent) model(name string) (Model, bool) {
	if name == "" {
		return a.Models[0], true
	}
	i := slices.IndexFunc(a.Models, func(m Model) bool { return m.Name() == name })
	if i < 0 {
		return nil, false
	}
	return a.Models[i], true
}

func noSuchModel(name string) error {
	return &fault.Error{Code: fault.ModelNotFound, Subject: name, Reason: "is not one of the agent's models"}
}

// generate asks the model once. Its failure is in the response.
func (a *Agent) generate(ctx context.Context, r Request) Response {
	out := Response{Attempt: r.Attempt, Request: &r, Model: r.Model}
	model, known := a.model(r.Model)
	if !known {
		out.Err = noSuchModel(r.Model)
		return out
	}
	out.Model = model.Name()
	transforms := make([]StreamTransform, len(r.Stream))
	for i, begin := range r.Stream {
		transforms[i] = begin()
	}
	asked := llm.Request{Messages: oneSystem(Chats(r.Messages)), Tools: llmTools(r.Tools), MaxTokens: r.MaxTokens, Temperature: r.Temperature, Seed: r.Seed, Stop: r.Stop, Schema: r.Schema}
	for d, err := range model.Generate(ctx, asked) {
		if err != nil {
			out.Err = err
			return out
		}
		d.Text = through(transforms, d.Text, d.Done != "")
		out = out.with(d)
		if a.Stream != nil {
			a.Stream(d)
		}
	}
	return out
}

// oneSystem makes one of the system messages that a conversation begins with,
// the turn's own and a summary: templates of many models know only one.
func oneSystem(messages []chat.Message) []chat.Message {
	n := 0
	for n < len(messages) && messages[n].Role == chat.System {
		n++
	}
	if n < 2 {
		return messages
	}
	first := messages[0]
	for _, m := range messages[1:n] {
		first.Text = strings.TrimRight(first.Text, "\n") + "\n\n" + m.Text
	}
	return append([]chat.Message{first}, messages[n:]...)
}

// through sends a piece of text through the transforms; at the end each gives
// up what it held back.
func through(transforms []StreamTransform, piece string, end bool) string {
	for _, f := range transforms {
		if piece != "" {
			piece = f(piece, false)
		}
		if end {
			piece += f("", true)
		}
	}
	return piece
}

func (r Response) with(d llm.Delta) Response {
	r.Text += d.Text
	r.Thinking += d.Thinking
	r.ToolCalls = append(r.ToolCalls, d.ToolCalls...)
	if d.Done != "" {
		r.Done, r.Usage = d.Done, d.Usage
	}
	return r
}

// call rewrites, judges and runs one call. A denial and a tool's own failure
// are results that the model reads.
func (a *Agent) call(ctx context.Context, t *Turn, tools []Tool, asked chat.ToolCall) (string, error) {
	tool, known := findTool(tools, asked.Name)
	if !known {
		t.record(Record{Family: ToolRuns, Name: "agent", Verdict: Denies, Reason: "there is no such tool"})
		return asJSON(Denial{true, asked.Name, "agent", "there is no such tool"}), nil
	}
	call, verdict, err := a.Chains.Parameters.Run(ctx, t, Call{ToolCall: asked, Tool: tool})
	if err == nil && verdict.Kind == Continues {
		call.Tool = tool
		_, verdict, err = a.Chains.Validation.Run(ctx, t, Candidate{call})
	}
	switch {
	case err != nil:
		return "", err
	case verdict.Kind == Halts:
		return "", halted(t, verdict)
	case verdict.Kind == Denies:
		return asJSON(Denial{true, asked.Name, t.lastName(), cmp.Or(verdict.Reason, "not allowed")}), nil
	}
	return ran(ctx, t, tool, call)
}

// ran runs a tool and leaves a record of it.
func ran(ctx context.Context, t *Turn, tool Tool, call Call) (string, error) {
	t.begin()
	start := time.Now()
	result, err := runTool(ctx, t, tool, call.Arguments)
	rec := Record{Family: ToolRuns, Name: tool.Name, Duration: time.Since(start), Notes: t.end()}
	if err != nil {
		rec.Verdict, rec.Reason = Failed, string(fault.CodeOf(err))
		result = asJSON(failure{toolReason(err), string(fault.CodeOf(err))})
	}
	rec.After = t.Count(result)
	t.record(rec)
	if t.Hooks != nil {
		t.Hooks.send(Event{Record: rec, Value: cloneCall(call)})
	}
	return result, ctx.Err()
}

// runTool turns a tool's panic into its failure.
func runTool(ctx context.Context, t *Turn, tool Tool, arguments string) (result string, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the tool panicked")
		}
	}()
	return tool.Run(ctx, t, json.RawMessage(arguments))
}

// toolReason is what the model is told of a failure: our own words only.
func toolReason(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Error()
	}
	return "the tool failed"
}
