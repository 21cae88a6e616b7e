package service

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"inlay/internal/state"
	"inlay/internal/upstream"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/llm/completion"
	"inlay/turn"
)

// Answer asks the model and hands on what it answers, chunk by chunk as it comes
// where nothing of the turn must see the whole first. Failures are the
// upstream's, as [upstream.Error]. Where the turn was routed to a tool, nobody is
// asked: the proposal is the answer.
func (c *Completion) Answer(ctx context.Context) iter.Seq2[*completion.Chunk, error] {
	return func(yield func(*completion.Chunk, error) bool) {
		answer := c.relay(ctx)
		switch {
		case c.Proposal() != nil:
			answer = c.propose()
		case c.Held():
			answer = c.reviewed(ctx, answer)
		}
		for chunk, err := range answer {
			if err == nil && c.past != nil {
				err = c.heard.Add(chunk)
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// Streams reports whether the answer comes as a stream.
func (c *Completion) Streams() bool { return strings.TrimSpace(string(c.body["stream"])) == "true" }

// answered is what the model said, for the chat that keeps it.
func (c *Completion) answered() chat.Message {
	answer := chat.Message{Role: chat.Assistant}
	if all := c.heard.All(); len(all) > 0 {
		answer.Text, answer.ToolCalls = all[0].Text, all[0].Calls
	}
	return answer
}

// relay hands on what the upstream answers.
func (c *Completion) relay(ctx context.Context) iter.Seq2[*completion.Chunk, error] {
	return func(yield func(*completion.Chunk, error) bool) {
		start, first := time.Now(), true
		for chunk, err := range c.ask(ctx) {
			if err != nil && ctx.Err() == nil {
				err = c.upstreamFailed(ctx, err)
			}
			if first {
				if err == nil {
					c.service.Note(ctx, c.Upstream, nil)
				}
				c.service.config.Observe.Stage("first_token", time.Since(start))
				first = false
			}
			if err == nil {
				c.account(chunk, start)
			}
			if !yield(chunk, err) {
				return
			}
		}
		c.service.config.Observe.Stage("answer", time.Since(start))
	}
}

// account notes the tokens of a routed call: a stream reports them last.
func (c *Completion) account(chunk *completion.Chunk, start time.Time) {
	if c.Route == nil || chunk.Usage == nil && c.Streams() {
		return
	}
	var usage llm.Usage
	if chunk.Usage != nil {
		usage = llm.Usage{Prompt: chunk.Usage.Prompt, Completion: chunk.Usage.Completion}
	}
	var text strings.Builder
	for _, one := range chunk.Choices {
		text.WriteString(one.Text)
	}
	c.Answered(usage, text.String(), time.Since(start))
}

// ask asks the upstream; where a condensed call fails before anything came, and
// that is wanted, once more in full.
func (c *Completion) ask(ctx context.Context) iter.Seq2[*completion.Chunk, error] {
	if c.Full == nil {
		return c.model.Relay(ctx, c.sent)
	}
	return func(yield func(*completion.Chunk, error) bool) {
		start, first := time.Now(), true
		for chunk, err := range c.model.Relay(ctx, c.sent) {
			if err != nil && first && ctx.Err() == nil {
				c.Retried(time.Since(start))
				c.askFull(ctx, yield)
				return
			}
			first = false
			if !yield(chunk, err) {
				return
			}
		}
	}
}

func (c *Completion) askFull(ctx context.Context, yield func(*completion.Chunk, error) bool) {
	body, err := c.packed(ctx, *c.Full)
	if err != nil {
		yield(nil, err)
		return
	}
	c.model.Relay(ctx, body)(yield)
}

// reviewed collects the answer, has the turn review every choice, and hands out
// what it left. What nobody looked at, such as a model's thoughts and the
// probabilities of its tokens, is left out.
func (c *Completion) reviewed(ctx context.Context, answer iter.Seq2[*completion.Chunk, error]) iter.Seq2[*completion.Chunk, error] {
	return func(yield func(*completion.Chunk, error) bool) {
		chunks, err := c.review(ctx, answer)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, chunk := range chunks {
			if !yield(chunk, nil) {
				return
			}
		}
	}
}

// review is the whole answer as the turn leaves it.
func (c *Completion) review(ctx context.Context, answer iter.Seq2[*completion.Chunk, error]) ([]*completion.Chunk, error) {
	var whole completion.Answers
	for chunk, err := range answer {
		if err != nil {
			return nil, err
		}
		if whole.Add(chunk) != nil {
			return nil, c.odd(ctx)
		}
	}
	all := whole.All()
	for i, one := range all {
		out, err := c.Review(ctx, turn.Answer{Text: one.Text, Calls: one.Calls, Finish: one.Finish})
		if err != nil {
			return nil, err
		}
		all[i].Text, all[i].Calls, all[i].Finish = out.Text, out.Calls, out.Finish
	}
	return whole.Rebuild(c.Streams(), all), nil
}

func (c *Completion) odd(ctx context.Context) error {
	return c.upstreamFailed(ctx, &fault.Error{Code: fault.BackendUnreachable, Subject: "model", Reason: "the server's answer is not a chat completion"})
}

// propose is the proposal as an answer, or as a stream of one chunk.
func (c *Completion) propose() iter.Seq2[*completion.Chunk, error] {
	return func(yield func(*completion.Chunk, error) bool) {
		stage := c.Route.Stages[0]
		envelope := completion.Envelope{
			ID: strings.Replace(state.NewID("chatcmpl-"), "_", "-", 1), Model: c.model.Name(),
			Usage: &completion.Usage{Prompt: stage.In, Completion: stage.Out},
		}
		a := completion.Answer{Calls: c.Proposal().ToolCalls, Finish: "tool_calls"}
		yield(completion.New(envelope, c.Streams(), a.Choice(c.Streams())), nil)
	}
}

// upstreamFailed marks a failure of the upstream. What the request itself causes
// is not its failure.
func (c *Completion) upstreamFailed(ctx context.Context, err error) error {
	if slices.Contains([]fault.Code{fault.Usage, fault.DoesNotFit, fault.WindowUnknown}, fault.CodeOf(err)) {
		return c.outgrown(err)
	}
	c.service.Note(ctx, c.Upstream, err)
	c.service.config.Observe.UpstreamFailed(c.Upstream, fault.CodeOf(err))
	return &upstream.Error{Upstream: c.Upstream, Err: err}
}
