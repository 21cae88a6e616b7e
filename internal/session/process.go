package session

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/llm"
	"inlay/processor"
	"inlay/tokens"
)

// openChains makes the server's chains for this request's model.
func (c *Completion) openChains() (err error) {
	if c.service.config.Chains == nil {
		return nil
	}
	generator, _ := c.model.(llm.Generator)
	c.chains, err = c.service.config.Chains(c.owner, generator)
	return err
}

// shortening are the processors that leave out earlier turns.
func shortening() []string {
	return []string{"ChatHistoryMessageModifier", "ChatCompressionModifier", "ConversationCompactorModifier"}
}

// shortens reports whether processors leave out earlier turns later.
func (c *Completion) shortens() bool {
	return c.chains != nil && slices.ContainsFunc(shortening(), func(name string) bool { return slices.Contains(c.chains.Messages.Names(), name) })
}

// leaveRoom has lay decide over files beside the newest turns alone, where
// processors leave out earlier ones later: as far as the conversation takes more
// than half of the window, its beginning neither counts nor passes for what the
// model can still see. Where not even a passage fits beside those, none of them
// count.
func (c *Completion) leaveRoom(ctx context.Context, req injection.Request, lay func(injection.Request) error) error {
	if !c.shortens() {
		return lay(req)
	}
	whole := req.Messages
	room, counter, err := c.room(ctx)
	if err != nil {
		return err
	}
	err = lay(c.beside(req, recent(whole, room/2, counter)))
	if fault.Is(err, fault.DoesNotFit) && len(whole) > 0 {
		return lay(c.beside(req, recent(whole, 0, counter)))
	}
	return err
}

// room is what conversation and files may take of the window.
func (c *Completion) room(ctx context.Context) (int, tokens.Counter, error) {
	length, err := c.model.Length(ctx)
	if err != nil {
		return 0, nil, err
	}
	counter, err := c.model.Counter(ctx)
	return length.N - c.reserve(), counter, err
}

// reserve is what is kept for the answer.
func (c *Completion) reserve() int {
	if n := cmp.Or(c.wish.ReserveOutput, c.answerTokens()); n != nil {
		return *n
	}
	return c.service.config.Defaults.ReserveOutput
}

// beside is the request with what is left of its conversation.
func (c *Completion) beside(req injection.Request, left []chat.Message) injection.Request {
	if len(left) < len(req.Messages) && len(req.Files)+len(req.Earlier) > 0 {
		req.Warnings = append(slices.Clip(req.Warnings), injection.Warning{Code: "history_shortened", Message: "Files were decided beside the newest turns of the conversation; the server's processors shorten the rest."})
	}
	req.Messages = left
	return req
}

// recent are the newest turns that have at most so many tokens, behind the
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

// process sends the messages through the server's chain and packs them. Without
// a chain they stay as they are, byte for byte.
func (c *Completion) process(ctx context.Context) error {
	if c.Route != nil && c.Route.proposal != nil {
		return nil // nothing goes to a model
	}
	if c.full != nil {
		if _, err := c.processed(ctx, c.full, c.unrouted); err != nil {
			return err
		}
	}
	messages, err := c.processed(ctx, c.body, c.messages)
	c.messages = messages
	return err
}

// processed is one body's messages, packed into it.
func (c *Completion) processed(ctx context.Context, body map[string]json.RawMessage, messages []apiMessage) ([]apiMessage, error) {
	if c.chains == nil {
		return messages, pack(body, messages)
	}
	turn, err := c.turn(ctx, body)
	if err != nil {
		return nil, err
	}
	prompt, verdict, err := c.chains.Messages.Run(ctx, turn, c.pieces(messages))
	if err == nil {
		err = halted(turn, verdict)
	}
	if err != nil {
		return nil, err
	}
	if messages, err = merge(messages, prompt); err != nil {
		return nil, err
	}
	c.Processors = turn.Trace()
	if len(c.chains.Responses.Names()) > 0 {
		c.guarding().processors(c.chains.Responses, turn, prompt)
	}
	return messages, pack(body, messages)
}

// turn is what processors may know: the model, the room for answer and tools.
func (c *Completion) turn(ctx context.Context, body map[string]json.RawMessage) (*processor.Turn, error) {
	t := &processor.Turn{Said: c.said, Now: time.Now(), Model: c.model, Reserve: c.reserve(), Logger: c.service.log}
	if c.past != nil {
		t.Ledger = c.past.ledger
	}
	if tools := body["tools"]; len(tools) > 2 {
		counter, err := c.model.Counter(ctx)
		if err != nil {
			return nil, err
		}
		t.Reserve += counter.Count(string(tools)).Budgeted()
	}
	return t, nil
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
	next := "ask otherwise, or see the server's section processors"
	if v.Code == fault.DoesNotFit {
		next = "shorten the question, or use a model with a larger window"
	}
	return &fault.Error{Code: cmp.Or(v.Code, fault.ProcessorHalted), Subject: name, Reason: cmp.Or(v.Reason, "it stopped the turn"), Next: next}
}

// pieces are messages as processors see them. References mean something only in
// what the user wrote for this turn, and there only where no file was laid into
// it: then it is no longer the user's alone.
func (c *Completion) pieces(messages []apiMessage) []processor.Message {
	last := lastUser(messages)
	out := make([]processor.Message, len(messages))
	for i := range messages {
		m := messages[i].message()
		if i == last && c.Result != nil {
			m.Injected = c.Result.Message.Injected
		}
		out[i] = processor.FromChat(m)
		out[i].Ref = i + 1
		if i == last && m.Text == c.said {
			out[i].Parts[0].Origin = processor.FromUser
		}
	}
	return out
}

func lastUser(messages []apiMessage) int {
	for i, m := range slices.Backward(messages) {
		if m.role == "user" {
			return i
		}
	}
	return -1
}

// merge puts what came out of the chain in the place of messages: one that did
// not change stays as the client wrote it.
func merge(messages []apiMessage, prompt []processor.Message) ([]apiMessage, error) {
	out := make([]apiMessage, 0, len(prompt))
	for _, p := range prompt {
		is := p.Chat()
		m := apiMessage{fields: map[string]json.RawMessage{}, role: string(is.Role), plain: true}
		if p.Ref > 0 && p.Ref <= len(messages) {
			m = messages[p.Ref-1]
			m.fields = maps.Clone(m.fields)
		}
		was := m.message()
		if p.Ref == 0 || was.Text != is.Text {
			if err := m.rewrite(is.Text, nil); err != nil {
				return nil, err
			}
		}
		if p.Ref == 0 || !slices.Equal(was.ToolCalls, is.ToolCalls) {
			m.setCalls(is)
		}
		out = append(out, m)
	}
	return out, nil
}

// setCalls writes role and tool calls of a message that is not the client's any
// more as it was.
func (m *apiMessage) setCalls(is chat.Message) {
	m.fields["role"] = mustJSON(m.role)
	if is.ToolCallID != "" {
		m.fields["tool_call_id"] = mustJSON(is.ToolCallID)
	}
	m.calls, m.callID = is.ToolCalls, is.ToolCallID
	delete(m.fields, "tool_calls")
	if len(is.ToolCalls) > 0 {
		m.fields["tool_calls"] = apiCalls(is.ToolCalls, false)
	}
}

// apiCall is a tool call in the OpenAI API's form.
type apiCall struct {
	Index    *int   `json:"index,omitempty"` // in a stream
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func apiCalls(calls []chat.ToolCall, stream bool) json.RawMessage {
	out := make([]apiCall, len(calls))
	for i, call := range calls {
		out[i].ID, out[i].Type = call.ID, "function"
		out[i].Function.Name, out[i].Function.Arguments = call.Name, call.Arguments
		if stream {
			out[i].Index = &i
		}
	}
	data, err := json.Marshal(out)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return data
}
