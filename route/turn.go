package route

import (
	"context"
	"fmt"
	"strings"
	"time"

	"inlay/chat"
	"inlay/llm"
)

// Turn is a decided turn and, where the large model was called, its answer.
type Turn struct {
	Outcome
	Answer   chat.Message `json:"answer"`              // a tool call: the proposal, or the completion around big's answer
	AnswerID string       `json:"answer_id,omitempty"` // of big's answer, for the next request's Thread
}

// Run decides a turn and calls big if that is the decision: condensed, once
// more with the full prompt after a failure if retryFullPrompt says so, and
// with a plain answer wrapped once. An unrouted turn is not the router's to
// run: it returns no answer.
func (r Router) Run(ctx context.Context, req Request, big llm.Generator) (Turn, error) {
	out, err := r.Decide(ctx, req)
	t := Turn{Outcome: out}
	switch {
	case err != nil || !out.Routed:
		return t, err
	case out.Decision.Tool != nil:
		call, err := out.Decision.Tool.ToolCall("call_" + out.Decision.Tool.Name)
		t.Answer = chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}}
		return t, err
	}
	full := llm.Request{Messages: append([]chat.Message{{Role: chat.System, Text: req.System}}, req.Messages...), Thread: req.Thread}
	condensed := out.Decision.Big.Apply(full)
	answer, err := r.call(ctx, &t, "big", big, condensed)
	if err != nil && r.Settings.RetryFullPrompt && ctx.Err() == nil {
		t.Warnings = append(t.Warnings, "The call with the condensed prompt failed and was tried once more with the full one.")
		t.Saved -= r.count("", full.Messages)
		answer, err = r.call(ctx, &t, "big-retry", big, full)
	}
	if err != nil {
		return t, fmt.Errorf("route: call the large model: %w", err)
	}
	t.Answer, err = Wrap(chat.Message{Role: chat.Assistant, Text: answer})
	return t, err
}

// call asks the large model and adds the stage.
func (r Router) call(ctx context.Context, t *Turn, name string, big llm.Generator, request llm.Request) (string, error) {
	start := time.Now()
	answer, err := llm.Collect(ctx, big, request)
	s := Stage{Name: name, In: answer.Usage.Prompt, Out: answer.Usage.Completion, Latency: time.Since(start)}
	if r.Counter != nil && s.In == 0 {
		s.In, s.Out = r.count("", request.Messages), r.Counter.Count(strings.TrimSpace(answer.Text)).N
	}
	t.Stages, t.AnswerID = append(t.Stages, s), answer.ID
	return answer.Text, err
}
