package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"inlay/internal/chats"
	"inlay/internal/files"
	"inlay/internal/upstream"

	"inlay/fault"
	"inlay/injection"
	"inlay/llm"
	"inlay/llm/completion"
	"inlay/options"
	"inlay/strategy"
	"inlay/strategy/condition"
	"inlay/turn"
)

// Wants is the field inlay of a chat completion: how the turn is made.
type Wants struct {
	options.RequestFields
	Options       options.Values     `json:"-"` // the fields, decoded
	Strategy      string             `json:"strategy,omitempty" doc:"id of a strategy that makes the prompt"`
	Preprocessors []string           `json:"preprocessors,omitempty" doc:"run before the model; without a strategy and without this: files"`
	Context       json.RawMessage    `json:"context,omitempty" doc:"for strategies: an object with attachments, clipboard, assistant, environment, extra, visual"`
	ToolRules     strategy.ToolRules `json:"tool_rules,omitempty" doc:"which tools may reach the model: plugin pattern to function pattern to bool; stronger than the strategy's rules"`
	FileModes     map[string]string  `json:"file_modes,omitempty" doc:"how uploads of the new message are used, by their ids: auto, full, retrieval or none, as mode says for all"`
	ChatID        string             `json:"chat_id,omitempty" doc:"a chat that the service keeps; messages then has the new message alone"`
	Search        *Search            `json:"-"` // in vector stores
}

// Completion is a chat completion on its way to its model: a turn, and the
// request of the OpenAI API's form that it came in.
type Completion struct {
	*turn.Turn
	Upstream string

	service  *Service
	owner    string
	recall   func(context.Context, []completion.Message) (kept span, err error) // puts what the service keeps beside what the client wrote
	model    upstream.Model
	body     map[string]json.RawMessage
	messages []completion.Message // all that go to the model, as the client wrote them or the chat has them
	tools    []completion.Tool
	past     *chats.Past                // that the service keeps; nil: the client sends it
	heard    completion.Answers         // what the model said, where the chat is kept
	sent     map[string]json.RawMessage // body with the turn's prompt in it
	uploaded []string                   // ids of uploads that were made of this request's files
}

// Complete makes a chat completion ready: its turn is prepared, and everything
// that the turn did not change stays as the client wrote it. Beside an error it
// returns what the turn came to.
func (s *Service) Complete(ctx context.Context, owner string, body map[string]json.RawMessage, wants Wants) (*Completion, error) {
	c := &Completion{Turn: &turn.Turn{}, service: s, owner: owner, body: body}
	c.recall = func(ctx context.Context, messages []completion.Message) (span, error) {
		return c.arrange(ctx, messages, wants.ChatID)
	}
	err := c.prepare(ctx, wants)
	if err != nil {
		err = errors.Join(c.outgrown(s.failed(ctx, c.Upstream, err)), c.Close(ctx))
	}
	return c, err
}

func (c *Completion) prepare(ctx context.Context, wants Wants) error {
	var name string
	if json.Unmarshal(c.body["model"], &name) != nil {
		return fault.Invalid("model", "the name of one that GET /v1/models lists")
	}
	if err := upstream.CheckName(name); err != nil {
		return err
	}
	if err := checkFields(c.body); err != nil {
		return err
	}
	messages, err := completion.ParseMessages(c.body["messages"])
	if err != nil {
		return err
	}
	if c.tools, err = completion.ParseTools(c.body["tools"]); err != nil {
		return err
	}
	req, err := c.request(ctx, messages, wants)
	if err != nil {
		return err
	}
	if c.model, c.Upstream, err = c.service.Open(ctx, name, wants.Options.Int("context_length")); err != nil {
		return err
	}
	req.Model = c.model
	if c.Turn, err = c.service.engine(c.owner).Prepare(ctx, req); err != nil {
		return err
	}
	c.sent, err = c.packed(ctx, c.Prompt)
	return err
}

// request is the turn that a request asks for.
func (c *Completion) request(ctx context.Context, messages []completion.Message, wants Wants) (r turn.Request, err error) {
	if r, err = c.wanted(wants); err != nil {
		return r, err
	}
	kept, err := c.recall(ctx, messages)
	if err != nil {
		return r, err
	}
	last := -1
	for i := range c.messages {
		if c.messages[i].Role == "user" {
			last = i
		} else if c.messages[i].HasFiles() {
			return r, fault.Invalid(fmt.Sprintf("messages[%d].content", i), "no files on a message that is not the user's")
		}
	}
	if c.past != nil {
		r.Ledger = c.past.Ledger
	}
	switch r.Continues = last < 0 || kept.has(last); {
	case r.Continues && kept.end > kept.start:
		last = kept.end
	case r.Continues:
		last = len(c.messages) // nobody asks: all of it is past
	}
	if r.Past, err = c.said(ctx, last, kept); err != nil {
		return r, err
	}
	rest := c.messages[last:]
	if !r.Continues {
		refs, err := moded(refsOf(&rest[0]), wants.FileModes)
		if err != nil {
			return r, err
		}
		a, err := c.service.Attach(ctx, c.owner, refs)
		if err != nil {
			return r, err
		}
		r.Text, r.Files, r.Images = rest[0].Text(), a.Files, a.Images
		rest = rest[1:]
	}
	for i := range rest {
		r.After = append(r.After, rest[i].Chat())
	}
	return r, nil
}

// wanted is what the fields of the request ask for.
func (c *Completion) wanted(wants Wants) (r turn.Request, err error) {
	if r.Options, err = c.service.config.Defaults.With(wants.Options); err != nil {
		return r, err
	}
	if _, given := wants.Options["reserve_output_tokens"]; !given {
		r.Options.ReserveOutput = cmp.Or(c.answerTokens(), r.Options.ReserveOutput)
	}
	wants.Search.into(&r.Options)
	r.Options.Namespace, r.Rules, r.ToolText = c.owner, wants.ToolRules, string(c.body["tools"])
	r.Intent = cmp.Or(wants.Options.Text("intent"), c.service.config.Intent)
	if r.Values, err = condition.ContextOf(wants.Context); err != nil {
		return r, err
	}
	r.ToolChoice, r.Warnings = c.toolChoice(), misplaced(c.body)
	for _, t := range c.tools {
		r.Tools = append(r.Tools, llm.Tool{Name: cmp.Or(t.Name, otherTool), Description: t.Description, Parameters: t.Parameters})
	}
	r.Strategy, err = c.service.named(wants)
	if r.Strategy != nil {
		r.Intent = ""
	}
	return r, err
}

// answerTokens is how long an answer the client asked for; 0: it did not say.
func (c *Completion) answerTokens() int {
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		var n int
		if json.Unmarshal(c.body[name], &n) == nil && n > 0 {
			return n
		}
	}
	return 0
}

// named is the strategy that is asked for, or one that runs the preprocessors
// that are; nil: neither.
func (s *Service) named(wants Wants) (*strategy.Strategy, error) {
	if wants.Strategy == "" && wants.Preprocessors == nil {
		return nil, nil //nolint:nilnil // files alone do
	}
	if how := wants.Options.Text("intent"); how != "" && how != "off" {
		return nil, fault.Invalid("inlay.intent", "nothing beside a strategy or preprocessors, one of which can be intent")
	}
	if wants.Strategy != "" {
		if wants.Preprocessors != nil {
			return nil, fault.Invalid("inlay.preprocessors", "nothing beside a strategy, which names its own")
		}
		return s.Strategy(wants.Strategy)
	}
	body := "{Argument}"
	for _, id := range wants.Preprocessors {
		if _, ok := s.known.registry.Lookup(id); !ok {
			return nil, noPreprocessor(id)
		}
		if id == injection.ID {
			body = "{" + injection.Prefix + "prompt}"
		}
	}
	return &strategy.Strategy{ID: "service.request", Name: "request", Enabled: true, Preprocessors: wants.Preprocessors, Body: body}, nil
}

func noPreprocessor(id string) error {
	return &fault.Error{Code: fault.PreprocessorNotFound, Subject: "preprocessor " + id, Reason: "there is no such preprocessor", Next: "see the list of preprocessors"}
}

// span is a stretch of a list.
type span struct{ start, end int }

func (s span) has(i int) bool { return s.start <= i && i < s.end }

// arrange puts a kept chat between the client's system prompt and what is new:
// a message of the user, or what tools returned. kept is where its messages are.
func (c *Completion) arrange(ctx context.Context, messages []completion.Message, chatID string) (kept span, err error) {
	if c.messages = messages; chatID == "" {
		return span{}, nil
	}
	var head, fresh []completion.Message
	count := map[string]int{}
	for _, m := range messages {
		count[m.Role]++
		if m.Role == "system" || m.Role == "developer" {
			head = append(head, m)
			continue
		}
		fresh = append(fresh, m)
	}
	if count["assistant"] > 0 || count["user"] > 1 {
		return kept, errTwoPasts("inlay.chat_id")
	}
	if len(fresh) == 0 {
		return kept, fault.Invalid("messages", "a new message of the user, or what tools returned, beside inlay.chat_id")
	}
	if c.past, err = c.service.Recall(ctx, c.owner, chatID); err != nil {
		return kept, err
	}
	c.messages = slices.Concat(head, c.past.API, fresh)
	return span{len(head), len(head) + len(c.past.API)}, c.keepFiles(ctx, c.messages[len(head)+len(c.past.API):])
}

func errTwoPasts(field string) error {
	return &fault.Error{Code: fault.Usage, Subject: field, Reason: "is given with a history in messages", Next: "send the one or the other, and of messages the new one alone"}
}

// keepFiles makes uploads of files and images that came inside the request: later
// turns search the ones and show the others.
func (c *Completion) keepFiles(ctx context.Context, fresh []completion.Message) error {
	for i := range fresh {
		if fresh[i].Role == "user" {
			fresh[i].TakeImages(pictureName)
		}
		refs := refsOf(&fresh[i])
		made, err := c.service.KeepInline(ctx, c.owner, "user_data", c.past.Messages, refs)
		c.uploaded = append(c.uploaded, made...)
		if err != nil {
			return err
		}
		for k := range fresh[i].Parts {
			if f := fresh[i].Parts[k].File; f != nil {
				f.ID, f.Name, f.Data, refs = refs[0].ID, "", nil, refs[1:]
			}
		}
	}
	return nil
}

// pictureName is a name for an image that came without one; empty: it is none of
// a kind that is kept.
func pictureName(data []byte) string {
	_, kind, ok := strings.Cut(injection.ImageType(data), "/")
	if !ok {
		return ""
	}
	return "image." + kind
}

// refsOf are the files attached to a message.
func refsOf(m *completion.Message) []files.Ref {
	var refs []files.Ref
	for _, f := range m.Files() {
		refs = append(refs, files.Ref{ID: f.ID, Name: f.Name, Data: f.Data})
	}
	return refs
}

// moded are the refs with the modes that were asked for by id.
func moded(refs []files.Ref, modes map[string]string) ([]files.Ref, error) {
	left := len(modes)
	for i := range refs {
		if mode, ok := modes[refs[i].ID]; ok {
			refs[i].Mode = mode
			left--
		}
	}
	if left != 0 {
		return refs, fault.Invalid("inlay.file_modes", "the ids of uploads that the new message has, each there once")
	}
	return refs, nil
}

// said is the past up to a message. A client sends its own words alone; a kept
// chat has what was sent.
func (c *Completion) said(ctx context.Context, last int, kept span) ([]turn.Said, error) {
	out := make([]turn.Said, 0, last)
	for i := range c.messages[:last] {
		if kept.has(i) {
			m := c.past.Messages[i-kept.start]
			files, err := c.service.Of(ctx, c.owner, m)
			if err != nil {
				return nil, err
			}
			out = append(out, turn.Said{Message: m, Files: files})
			continue
		}
		m := &c.messages[i]
		one := turn.Said{Message: m.Chat(), Own: true}
		if m.HasFiles() {
			a, err := c.service.Attach(ctx, c.owner, refsOf(m))
			if err != nil {
				return nil, err
			}
			one.Files, one.Attachments = a.Files, a.Images
		}
		out = append(out, one)
	}
	return out, nil
}

// packed is the request with a prompt of the turn in it. Without a change to it
// a message is as the client wrote it, and so are the tools.
func (c *Completion) packed(ctx context.Context, p turn.Prompt) (body map[string]json.RawMessage, err error) {
	body = maps.Clone(c.body)
	if body["messages"], err = c.write(ctx, p); err != nil {
		return nil, err
	}
	if len(p.Tools) == len(c.tools) {
		return body, nil
	}
	return body, c.packTools(body, p)
}

// packTools leaves the tools that the prompt offers.
func (c *Completion) packTools(body map[string]json.RawMessage, p turn.Prompt) (err error) {
	var left []completion.Tool
	for _, t := range c.tools {
		if p.Allows(cmp.Or(t.Name, otherTool)) {
			left = append(left, t)
		}
	}
	if name := c.toolChoice(); slices.ContainsFunc(c.Denied, func(d turn.Denial) bool { return d.Tool == name }) {
		return &fault.Error{Code: fault.Usage, Subject: "tool_choice", Reason: "names a tool that the rules for tools deny", Next: "choose another tool, or let the model choose"}
	}
	if len(left) == 0 {
		for _, name := range []string{"tools", "tool_choice", "parallel_tool_calls"} {
			delete(body, name)
		}
		return nil
	}
	body["tools"], err = completion.MarshalTools(left)
	return err
}

// toolChoice is which tool the client wants called: a word, or a tool's name.
func (c *Completion) toolChoice() string {
	var word string
	if json.Unmarshal(c.body["tool_choice"], &word) == nil {
		return word
	}
	var choice struct{ Function struct{ Name string } }
	_ = json.Unmarshal(c.body["tool_choice"], &choice)
	return choice.Function.Name
}

// otherTool names a tool that is not a function, for the rules.
const otherTool = "other"

// write is a prompt's messages in the OpenAI API's form.
func (c *Completion) write(ctx context.Context, p turn.Prompt) (json.RawMessage, error) {
	out := make([]completion.Message, len(p.Messages))
	for i, m := range p.Messages {
		if m.Ref < 1 || m.Ref > len(c.messages) {
			out[i] = completion.FromChat(m.Message)
			continue
		}
		out[i] = c.messages[m.Ref-1].Clone()
		was := out[i].Chat()
		if was.Text != m.Text || out[i].HasFiles() {
			images, err := c.images(ctx, &c.messages[m.Ref-1])
			if err != nil {
				return nil, err
			}
			out[i].Rewrite(m.Text, images...)
		}
		if !slices.Equal(was.ToolCalls, m.ToolCalls) {
			out[i].SetCalls(m.ToolCalls, m.ToolCallID)
		}
	}
	return completion.MarshalMessages(out)
}

// images are the files of a message that are images, as parts of its content. One
// of an earlier turn that was deleted is left out, as documents are.
func (c *Completion) images(ctx context.Context, m *completion.Message) ([]completion.Part, error) {
	var parts []completion.Part
	for i, f := range m.Files() {
		kind, data := injection.ImageType(f.Data), f.Data
		if f.ID != "" {
			var err error
			if kind, data, err = c.service.Image(ctx, c.owner, f.ID); err != nil && !fault.Is(err, fault.FileNotFound) {
				return nil, fmt.Errorf("read file %s of the message: %w", strconv.Itoa(i+1), err)
			}
		}
		if kind != "" {
			parts = append(parts, completion.Image(kind, data, f.Detail))
		}
	}
	return parts, nil
}

// Close deletes what was uploaded for a turn that was not kept.
func (c *Completion) Close(ctx context.Context) error {
	made := c.uploaded
	c.uploaded = nil
	return c.service.Drop(context.WithoutCancel(ctx), c.owner, made)
}

// failed marks a failure that only the upstream can have.
func (s *Service) failed(ctx context.Context, name string, err error) error {
	code := fault.CodeOf(err)
	if errors.As(err, new(*upstream.Error)) || !slices.Contains([]fault.Code{
		fault.BackendUnreachable, fault.AnswerUnfinished,
		fault.Unauthorized, fault.RateLimited, fault.ModelNotFound, fault.BackendRefused,
	}, code) {
		return err
	}
	s.Note(ctx, name, err)
	s.config.Observe.UpstreamFailed(name, code)
	return &upstream.Error{Upstream: name, Err: err}
}

// outgrown is that of the chat, if it has one. Processors that leave out earlier
// turns have said already what did not fit.
func (c *Completion) outgrown(err error) error {
	if c.Shortens() {
		return err
	}
	return c.past.Outgrown(err, "begin a new chat, use a model with a larger window, or have the server started with --processors, which leaves out the oldest turns")
}

// KeepTurn adds the turn to its chat, if it has one: what was new, and the answer
// with the calls it makes.
func (c *Completion) KeepTurn(ctx context.Context) error {
	if c.past == nil {
		return nil
	}
	c.Keep(c.answered())
	if err := c.service.AddTurn(ctx, c.owner, c.past, c.kept(), c.Said()...); err != nil {
		return err
	}
	c.uploaded = nil // they are the chat's now
	return nil
}

// kept is the result that is kept with the turn: one that goes on has its own already.
func (c *Completion) kept() *injection.Result {
	if c.Result == nil || c.Result.Decision.Strategy == "" {
		return nil
	}
	return c.Result
}
