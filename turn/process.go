package turn

import (
	"cmp"
	"context"
	"slices"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/llm"
	"inlay/processor"
	"inlay/tokens"
)

// openChains makes the processors for the model of this turn.
func (t *Turn) openChains(context.Context) (err error) {
	if t.req.ToolText == "" {
		t.req.ToolText = jsonOf(t.req.Tools)
	}
	if t.engine.Chains == nil {
		return nil
	}
	generator, _ := t.req.Model.(llm.Generator)
	t.chains, err = t.engine.Chains(generator)
	return err
}

// shortening are the processors that leave out earlier turns.
func shortening() []string {
	return []string{"ChatHistoryMessageModifier", "ChatCompressionModifier", "ConversationCompactorModifier"}
}

// Shortens reports whether processors leave out earlier turns later.
func (t *Turn) Shortens() bool {
	return t.chains != nil && slices.ContainsFunc(shortening(), func(name string) bool { return slices.Contains(t.chains.Messages.Names(), name) })
}

// leaveRoom has do decide over files beside the newest turns alone, where
// processors leave out earlier ones later: as far as the conversation takes more
// than half of the window, its beginning neither counts nor passes for what the
// model can still see. Where not even a passage fits beside those, none of them
// count.
func (t *Turn) leaveRoom(ctx context.Context, req injection.Request, do func(context.Context, injection.Request) error) error {
	if !t.Shortens() {
		return do(ctx, req)
	}
	whole := req.Messages
	length, err := t.req.Model.Length(ctx)
	if err != nil {
		return err
	}
	counter, err := t.req.Model.Counter(ctx)
	if err != nil {
		return err
	}
	err = do(ctx, beside(req, recent(whole, (length.N-t.reserve())/2, counter)))
	if fault.Is(err, fault.DoesNotFit) && len(whole) > 0 {
		return do(ctx, beside(req, recent(whole, 0, counter)))
	}
	return err
}

// reserve is what is kept for the answer.
func (t *Turn) reserve() int { return max(t.req.Reserve, t.req.Options.ReserveOutput) }

// beside is the request with what is left of its conversation.
func beside(req injection.Request, left []chat.Message) injection.Request {
	if len(left) < len(req.Messages) && len(req.Files)+len(req.Earlier) > 0 {
		req.Warnings = append(slices.Clip(req.Warnings), injection.Warning{
			Code:    "history_shortened",
			Message: "Files were decided beside the newest turns of the conversation; the processors shorten the rest.",
		})
	}
	req.Messages = left
	return req
}

// recent are the newest turns that have at most so many tokens, after the
// system prompt.
func recent(history []chat.Message, room int, counter tokens.Counter) []chat.Message {
	head := 0
	for head < len(history) && history[head].Role == chat.System {
		room -= counter.Count(history[head].Text).Budgeted()
		head++
	}
	from := len(history)
	for i, m := range slices.Backward(history[head:]) {
		room -= counter.Count(m.Text).Budgeted()
		for _, call := range m.ToolCalls {
			room -= counter.Count(call.Name + call.Arguments).Budgeted()
		}
		if room < 0 {
			break
		}
		if m.Role == chat.User {
			from = head + i
		}
	}
	return slices.Concat(history[:head], history[from:])
}

// process sends the messages through the chain. Without one they stay as they
// are.
func (t *Turn) process(ctx context.Context) error {
	if t.chains == nil || t.Proposal() != nil {
		return nil
	}
	if t.Full != nil {
		if err := t.processed(ctx, t.Full); err != nil {
			return err
		}
	}
	return t.processed(ctx, &t.Prompt)
}

func (t *Turn) processed(ctx context.Context, p *Prompt) error {
	turn, err := t.processors(ctx, *p)
	if err != nil {
		return err
	}
	t.turns = turn
	prompt, verdict, err := t.chains.Messages.Run(ctx, turn, t.pieces(p.Messages))
	if err == nil {
		err = halted(turn, verdict)
	}
	if err != nil {
		return err
	}
	t.prompt = prompt
	p.Messages = merged(p.Messages, prompt)
	return nil
}

// processors is what processors may know: the model, the room for answer and tools.
func (t *Turn) processors(ctx context.Context, p Prompt) (*processor.Turn, error) {
	turn := &processor.Turn{
		Said: t.asked, Now: time.Now(), Model: t.req.Model, Reserve: t.reserve(), Ledger: t.req.Ledger,
		Arguments: t.req.Arguments, Logger: t.engine.Logger,
	}
	if len(p.Tools) > 0 {
		counter, err := t.req.Model.Counter(ctx)
		if err != nil {
			return nil, err
		}
		turn.Reserve += counter.Count(t.req.ToolText).Budgeted()
	}
	return turn, nil
}

// pieces are the messages as processors take them. What the user of this turn
// wrote may hold references; a document may not (PRO-6).
func (t *Turn) pieces(messages []Message) []processor.Message {
	out := make([]processor.Message, len(messages))
	last := -1
	for i, m := range messages {
		if m.Role == chat.User {
			last = i
		}
	}
	for i, m := range messages {
		out[i] = processor.FromChat(m.Message)
		out[i].Ref = i + 1
		switch {
		case m.Role == chat.System && m.Ref == 0:
			out[i].Parts[0].Origin = processor.FromAuthor
		case i == last && m.Text == t.asked:
			out[i].Parts[0].Origin = processor.FromUser
		}
	}
	return out
}

// merged are the messages that came out of the chain, each with its place.
func merged(messages []Message, prompt []processor.Message) []Message {
	out := make([]Message, len(prompt))
	for i, p := range prompt {
		out[i].Message = p.Chat()
		if p.Ref > 0 && p.Ref <= len(messages) {
			out[i].Ref = messages[p.Ref-1].Ref
		}
	}
	return out
}

// halted is the error of a turn that a processor stopped.
func halted(t *processor.Turn, v processor.Verdict) error {
	if v.Kind != processor.Halts {
		return nil
	}
	name := "processor"
	if trace := t.Trace(); len(trace) > 0 {
		name = trace[len(trace)-1].Name
	}
	next := "ask otherwise, or see the section processors of the configuration"
	if v.Code == fault.DoesNotFit {
		next = "shorten the question, or use a model with a larger window"
	}
	return &fault.Error{Code: cmp.Or(v.Code, fault.ProcessorHalted), Subject: name, Reason: cmp.Or(v.Reason, "it stopped the turn"), Next: next}
}
