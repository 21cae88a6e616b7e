package session

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"inlay/chat"
	"inlay/fault"
)

// Answer asks the model. Failures are the upstream's, as [UpstreamError]. Where
// the turn was routed to a tool, nobody is asked: the proposal is the answer.
func (c *Completion) Answer(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	answer := c.relay(ctx)
	switch {
	case c.Route != nil && c.Route.proposal != nil:
		answer = c.propose()
	case c.guard != nil:
		answer = c.guarded(ctx, answer)
	}
	return func(yield func(json.RawMessage, error) bool) {
		defer c.keepLaid(ctx)
		for data, err := range answer {
			if err == nil && c.past != nil {
				c.hear(data)
			}
			if !yield(data, err) {
				return
			}
		}
	}
}

// hear collects what the model says, for the chat that keeps it.
func (c *Completion) hear(data json.RawMessage) {
	var piece struct{ Choices json.RawMessage }
	if json.Unmarshal(data, &piece) != nil {
		return // whoever hands it on says so
	}
	if c.answer == nil {
		c.answer = map[int]*answered{}
	}
	_, _ = collectChoices(c.answer, piece.Choices, c.where())
}

// where is the field that choices of the answer speak in.
func (c *Completion) where() string {
	if string(c.body["stream"]) == "true" {
		return "delta"
	}
	return "message"
}

// keepLaid keeps the message as it was sent, for the next turn. It comes after
// the answer: a disk that writes is not to be waited for by the first token.
func (c *Completion) keepLaid(ctx context.Context) {
	if c.laid == nil {
		return
	}
	if data, err := json.Marshal(c.laid); err == nil {
		_ = c.service.config.Cache.Put(context.WithoutCancel(ctx), c.laidAt, data) // without it the next turn searches the files
	}
}

// relay hands on what the upstream answers.
func (c *Completion) relay(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		start, first := time.Now(), true
		for data, err := range c.ask(ctx) {
			if err != nil && ctx.Err() == nil {
				err = c.failed(err)
			}
			if first {
				c.service.config.Observe.Stage("first_token", time.Since(start))
				first = false
			}
			if c.Route != nil && c.Route.Routed && err == nil {
				c.Route.answered(data, start)
			}
			if !yield(data, err) {
				return
			}
		}
		c.service.config.Observe.Stage("answer", time.Since(start))
	}
}

// ask asks the upstream; where a condensed call fails before anything came, and
// that is wanted, once more in full.
func (c *Completion) ask(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	if c.full == nil {
		return c.relayed(ctx, c.body)
	}
	return func(yield func(json.RawMessage, error) bool) {
		start, first := time.Now(), true
		for data, err := range c.relayed(ctx, c.body) {
			if err != nil && first && ctx.Err() == nil {
				c.Route.retried(time.Since(start))
				c.relayed(ctx, c.full)(yield)
				return
			}
			first = false
			if !yield(data, err) {
				return
			}
		}
	}
}

// relayed is what the model answers, as it came.
func (c *Completion) relayed(ctx context.Context, body map[string]json.RawMessage) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for chunk, err := range c.model.Relay(ctx, body) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(chunk.Raw, nil) {
				return
			}
		}
	}
}

// failed marks a failure of the upstream. What the request itself causes is not
// its failure.
func (c *Completion) failed(err error) error {
	if slices.Contains([]fault.Code{fault.Usage, fault.DoesNotFit, fault.WindowUnknown}, fault.CodeOf(err)) {
		return c.outgrown(err)
	}
	c.service.config.Observe.UpstreamFailed(c.Upstream, fault.CodeOf(err))
	return &UpstreamError{c.Upstream, err}
}

// Citations are the passages that stand in the prompt.
func (c *Completion) Citations() []chat.Citation {
	if c.Result == nil {
		return nil
	}
	return c.Result.Citations
}
