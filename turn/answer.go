package turn

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/llm"
	"inlay/processor"
	"inlay/route"
	"inlay/strategy"
)

// Answer is one whole answer of the model: one choice, where it gave several.
type Answer struct {
	Text   string
	Calls  []chat.ToolCall
	Finish string // why the model stopped: "stop", "length", "tool_calls"
}

// Held reports whether an answer must be whole, and go through [Turn.Review],
// before any of it may be handed on.
func (t *Turn) Held() bool {
	return len(t.Denied) > 0 || t.chains != nil && len(t.chains.Responses.Names()) > 0 || t.Route != nil && t.Route.wrap
}

// Review is what becomes of a whole answer: calls of denied tools are refused,
// processors look at it, and for a routed turn it becomes an attempt_completion.
// An answer of a turn that is not [Turn.Held] stays as it is.
func (t *Turn) Review(ctx context.Context, a Answer) (Answer, error) {
	a = t.refuse(a)
	if t.chains != nil && len(t.chains.Responses.Names()) > 0 {
		request := &processor.Request{Messages: t.prompt}
		out, verdict, err := t.chains.Responses.Run(ctx, t.turns, processor.Response{Text: a.Text, ToolCalls: a.Calls, Model: t.req.Model.Name(), Attempt: 1, Request: request})
		if err == nil {
			err = halted(t.turns, verdict)
		}
		if err != nil {
			return a, err
		}
		a.Text, a.Calls = out.Text, out.ToolCalls
	}
	if t.Route != nil && t.Route.wrap {
		m, err := route.Wrap(chat.Message{Role: chat.Assistant, Text: a.Text, ToolCalls: a.Calls})
		if err != nil {
			return a, err
		}
		if len(m.ToolCalls) > len(a.Calls) {
			a.Finish = "tool_calls"
		}
		a.Text, a.Calls = m.Text, m.ToolCalls
	}
	return a, nil
}

// Ask has a model answer the prompt, and hands on what it says. request has the
// sampling settings; its messages and tools are the prompt's.
func (t *Turn) Ask(ctx context.Context, g llm.Generator, request llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if p := t.Proposal(); p != nil {
			t.Keep(*p)
			yield(llm.Delta{ToolCalls: p.ToolCalls, Done: "tool_calls"}, nil)
			return
		}
		if t.Held() {
			t.askWhole(ctx, g, request, yield)
			return
		}
		var said Answer
		defer func() { t.Keep(said.Message()) }()
		start := time.Now()
		for d, err := range t.generate(ctx, g, request) {
			said.Text += d.Text
			said.Calls = append(said.Calls, d.ToolCalls...)
			if d.Done != "" {
				t.Answered(d.Usage, said.Text, time.Since(start))
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// askWhole waits for the answer, reviews it and hands it on.
func (t *Turn) askWhole(ctx context.Context, g llm.Generator, request llm.Request, yield func(llm.Delta, error) bool) {
	var last llm.Delta
	var said Answer
	start := time.Now()
	for d, err := range t.generate(ctx, g, request) {
		if err != nil {
			yield(d, err)
			return
		}
		said.Text += d.Text
		said.Calls = append(said.Calls, d.ToolCalls...)
		if d.Done != "" {
			last, said.Finish = d, d.Done
			t.Answered(d.Usage, said.Text, time.Since(start))
		}
	}
	said, err := t.Review(ctx, said)
	if err != nil {
		yield(llm.Delta{}, err)
		return
	}
	t.Keep(said.Message())
	last.Text, last.Thinking, last.ToolCalls, last.Done = said.Text, "", said.Calls, said.Finish
	yield(last, nil)
}

// generate asks the model; where a condensed call fails before anything came,
// once more in full.
func (t *Turn) generate(ctx context.Context, g llm.Generator, request llm.Request) iter.Seq2[llm.Delta, error] {
	request.Messages, request.Tools = t.Prompt.Chats(), t.Prompt.Tools
	if t.Full == nil {
		return g.Generate(ctx, request)
	}
	return func(yield func(llm.Delta, error) bool) {
		start, first := time.Now(), true
		for d, err := range g.Generate(ctx, request) {
			if err != nil && first && ctx.Err() == nil {
				t.Retried(time.Since(start))
				request.Messages, request.Tools = t.Full.Chats(), t.Full.Tools
				g.Generate(ctx, request)(yield)
				return
			}
			first = false
			if !yield(d, err) {
				return
			}
		}
	}
}

// Message is the answer as a history keeps it.
func (a Answer) Message() chat.Message {
	return chat.Message{Role: chat.Assistant, Text: a.Text, ToolCalls: a.Calls}
}

// Source is a passage or a whole file that an answer could draw on.
type Source struct {
	chat.Citation

	Cited bool // the answer refers to it by its number
}

// Sources are the passages of the turn, cited or not, and after them what else the
// answer refers to: whole files, and what was shown in messages before. A
// number that refers to nothing is unknown.
func (t *Turn) Sources(answer string) (list []Source, unknown []int) {
	numbers := injection.CitedNumbers(answer)
	for _, one := range t.Citations() {
		list = append(list, Source{one, slices.Contains(numbers, one.Number)})
	}
	passages := len(list)
	for _, n := range numbers {
		if slices.ContainsFunc(list[:passages], func(s Source) bool { return s.Number == n }) {
			continue
		}
		if one, ok := t.Marked(n); ok {
			list = append(list, Source{one, true})
		} else {
			unknown = append(unknown, n)
		}
	}
	return list, unknown
}

// Citable reports whether an answer has anything to refer to.
func (t *Turn) Citable() bool {
	return len(t.Citations()) > 0 || slices.ContainsFunc(append(t.Past(0), t.message), func(m chat.Message) bool { return m.Injected != nil })
}

// Marked is what a mark of the answer refers to, by its number: a passage, or a
// whole file, of which it has the number, the name and the id alone. It is of the
// new message, else of the newest one before it that has the mark and that the
// model can still see.
func (t *Turn) Marked(number int) (c chat.Citation, ok bool) {
	list := t.Citations()
	if i := slices.IndexFunc(list, func(one chat.Citation) bool { return one.Number == number }); i >= 0 {
		return list[i], true
	}
	said := append(t.Past(0), t.message)
	for _, m := range slices.Backward(said) {
		if m.Injected == nil {
			continue
		}
		if c, ok := marked(m, number); ok {
			return c, true
		}
	}
	return chat.Citation{}, false
}

// marked is what a number means in a message.
func marked(m chat.Message, number int) (chat.Citation, bool) {
	in := m.Injected
	if i := slices.IndexFunc(in.Citations, func(one chat.Citation) bool { return one.Number == number }); i >= 0 {
		return in.Citations[i], true
	}
	n := 0
	for n < len(in.FileIDs) && in.FileNumber(n) != number {
		n++
	}
	if n == len(in.FileIDs) {
		return chat.Citation{}, false
	}
	c := chat.Citation{Number: number, FileID: in.FileIDs[n]}
	for _, a := range m.Attachments {
		if a.FileID == c.FileID {
			c.File = a.Name
		}
	}
	for _, w := range in.Whole {
		if w.FileID == c.FileID && w.Library != "" {
			c.File, c.Library = w.File, w.Library
		}
	}
	return c, true
}

// Piece is the new message as an agent's processors take it.
func (t *Turn) Piece() processor.Message {
	newest := t.newest()
	return t.pieces([]Message{newest})[0]
}

// Keep notes what was said after the new message: the answer, or what an agent
// did until it answered.
func (t *Turn) Keep(messages ...chat.Message) { t.answers = messages }

// Said is what a history keeps of the turn: the new message with what was
// injected into it, what followed it, and the answer.
func (t *Turn) Said() []chat.Message {
	var out []chat.Message
	if !t.req.Continues {
		out = append(out, t.Message())
	}
	return slices.Concat(out, t.req.After, t.answers)
}

// Past is what was said before the new message, from the n-th message of the
// request's past on, as the model sees it: a door keeps those that are new to it.
func (t *Turn) Past(n int) []chat.Message {
	var out []chat.Message
	for _, m := range t.past {
		if m.Ref > n {
			out = append(out, m.Message)
		}
	}
	return out
}

// Message is the new message as a history keeps it.
func (t *Turn) Message() chat.Message {
	m := t.message
	at := processor.LastUser(t.prompt)
	if at < 0 || m.Injected != nil || t.prompt[at].Injected == nil || t.req.Continues {
		return m
	}
	with := t.prompt[at].Chat() // @files are part of the conversation
	m.Text, m.Injected = with.Text, with.Injected
	return m
}

// Files are all documents of the turn: of the new message, of what was moved out
// of it, and of the past.
func (t *Turn) Files() []injection.File {
	return slices.Concat(t.req.Files, filesOf(t.Intent), t.earlier)
}

// Replay renders a turn again that a strategy made, from the messages that were
// kept of it and nothing else.
func Replay(said []chat.Message) (strategy.Execution, error) {
	for _, m := range said {
		if m.Execution == nil {
			continue
		}
		x, err := strategy.ReadExecution(bytes.NewReader(m.Execution))
		if err != nil {
			return x, err
		}
		return strategy.Replay(x)
	}
	return strategy.Execution{}, &fault.Error{Code: fault.NotFound, Subject: "turn", Reason: "no strategy made it, so there is nothing to replay", Next: "name a turn that a strategy made"}
}
