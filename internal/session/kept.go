package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
)

// span is a stretch of a list.
type span struct{ start, end int }

func (s span) has(i int) bool { return s.start <= i && i < s.end }

// takePast puts a kept chat between the client's system prompt and what is new:
// a message of the user, or what tools returned.
func (c *Completion) takePast(ctx context.Context) error {
	if c.wish.ChatID == "" {
		return nil
	}
	var head, fresh []apiMessage
	count := map[string]int{}
	for _, m := range c.messages {
		count[m.role]++
		if m.role == "system" || m.role == "developer" {
			head = append(head, m)
			continue
		}
		fresh = append(fresh, m)
	}
	if count["assistant"] > 0 || count["user"] > 1 {
		return &fault.Error{Code: fault.Usage, Subject: "inlay.chat_id", Reason: "stands beside a history in messages", Next: "send the one or the other, and of messages the new one alone"}
	}
	if len(fresh) == 0 {
		return wrong("messages", "a new message of the user, or what tools returned, beside inlay.chat_id")
	}
	var err error
	if c.past, err = c.service.recall(ctx, c.owner, c.wish.ChatID); err != nil {
		return err
	}
	c.kept = span{len(head), len(head) + len(c.past.api)}
	c.messages, c.fresh = slices.Concat(head, c.past.api, fresh), fresh
	return c.keepFiles(ctx)
}

// keptMessage is a message of a kept chat in the OpenAI API's form.
func keptMessage(is chat.Message) (apiMessage, error) {
	m := apiMessage{fields: map[string]json.RawMessage{}, role: string(is.Role), plain: true}
	text, err := textPart(is.Text)
	m.parts = []apiPart{text}
	m.setCalls(is)
	if err == nil {
		err = m.write()
	}
	return m, err
}

// keepFiles makes uploads of files that came inside the request: later turns of
// the chat search them.
func (c *Completion) keepFiles(ctx context.Context) error {
	for i := range c.messages[c.kept.end:] {
		m := &c.messages[c.kept.end+i]
		refs := m.files()
		made, err := c.service.keepInline(ctx, c.owner, "user_data", refs)
		c.uploaded = append(c.uploaded, made...)
		if err != nil {
			return err
		}
		for k := range m.parts {
			if m.parts[k].file != nil {
				m.parts[k].file, refs = &refs[0], refs[1:]
			}
		}
	}
	return nil
}

// keepInline makes uploads of the refs that are none, in their place. made are
// their ids, also beside an error.
func (s *Service) keepInline(ctx context.Context, owner, purpose string, refs []FileRef) (made []string, err error) {
	for i, ref := range refs {
		if ref.ID != "" {
			continue
		}
		in := ref.Received
		if in == nil {
			if in, err = s.Receive(ctx, ref.Name, bytes.NewReader(ref.Data), int64(len(ref.Data))); err != nil {
				return made, err
			}
		}
		f, err := s.Accept(ctx, owner, purpose, in)
		in.Discard()
		if err != nil {
			return made, err
		}
		refs[i] = FileRef{ID: f.ID, Mode: ref.Mode}
		made = append(made, f.ID)
	}
	return made, nil
}

// Close deletes what was uploaded for a turn that was not kept.
func (c *Completion) Close(ctx context.Context) error {
	made := c.uploaded
	c.uploaded = nil
	return c.service.drop(context.WithoutCancel(ctx), c.owner, made)
}

// resume leaves a turn that is under way as it was laid out when it was new: the
// model has called tools since, and must not find another prompt above its own
// calls. Where what was laid into it is not known, it is laid out anew.
func (c *Completion) resume(ctx context.Context) (done bool, err error) {
	if c.kept.has(c.last) {
		m := c.past.messages[c.last-c.kept.start]
		c.said = cmp.Or(m.Raw, m.Text)
		if m.Injected != nil {
			c.said = cmp.Or(m.Injected.Query, c.said)
		}
		c.Result = resumed(m)
		_, _, err := c.before(ctx)
		return true, err
	}
	if c.past != nil || c.last == len(c.messages)-1 {
		return false, nil
	}
	if _, known, err := c.laidInto(ctx, c.last); err != nil || !known {
		return false, err
	}
	said := chat.Message{Role: chat.User}
	if _, err = c.again(ctx, c.last, &said); err != nil {
		return false, err
	}
	c.said, c.Result = said.Injected.Query, resumed(said)
	_, _, err = c.before(ctx)
	return true, err
}

// resumed says of a turn under way what stands in its message.
func resumed(m chat.Message) *injection.Result {
	r := injection.Result{
		Schema: injection.ResultSchema, Strategy: injection.None, ReasonCode: injection.NoFiles,
		Reason: "The turn goes on, and nothing was laid into its message.", Message: m,
	}
	if m.Injected != nil {
		r.Strategy, r.ReasonCode = injection.Strategy(m.Injected.Strategy), injection.AlreadyInContext
		r.Reason, r.Citations, r.Query = "The turn goes on, and its message stays as it was laid out.", m.Injected.Citations, m.Injected.Query
	}
	return &r
}

// outgrown says what helps where a kept chat has no room in the window any more.
func (p *past) outgrown(err error, next string) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != fault.DoesNotFit || p == nil || p.turns == 0 {
		return err
	}
	said := *e
	said.Next = next
	return &said
}

// outgrown is that of the chat, if it has one. Processors that leave out earlier
// turns have said already what did not fit.
func (c *Completion) outgrown(err error) error {
	if c.shortens() {
		return err
	}
	return c.past.outgrown(err, "begin a new chat, use a model with a larger window, or have the server started with --processors, which leaves out the oldest turns")
}

// Keep adds the turn to its chat, if it has one: what was new, and the answer
// with the calls it makes.
func (c *Completion) Keep(ctx context.Context) error {
	if c.past == nil {
		return nil
	}
	var said []chat.Message
	for i := range c.fresh {
		m := c.fresh[i].message()
		if m.Role == chat.User {
			m = c.asked
		}
		said = append(said, m)
	}
	answer := chat.Message{Role: chat.Assistant}
	if a := c.answer[0]; a != nil {
		answer.Text, answer.ToolCalls = a.text, a.calls
	}
	var res *injection.Result
	if !c.kept.has(c.last) {
		res = c.Result
	}
	if err := c.service.addTurn(ctx, c.owner, c.past, res, append(said, answer)...); err != nil {
		return err
	}
	c.uploaded = nil // they are the chat's now
	return nil
}
