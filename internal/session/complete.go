package session

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"inlay/cache"
	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/parse"
	"inlay/processor"
	"inlay/strategy"
)

// Wish is the field inlay of a chat completion: how the files are handled.
type Wish struct {
	Tuning
	Intent        string          `json:"intent,omitempty" enum:"off,builtin,model" doc:"move bulk out of a large message into documents; without it as the server is configured"`
	Strategy      string          `json:"strategy,omitempty" doc:"id of a strategy that makes the prompt"`
	Preprocessors []string        `json:"preprocessors,omitempty" doc:"run before the model; without a strategy and without this: files"`
	Context       json.RawMessage `json:"context,omitempty" doc:"for strategies: an object with attachments, clipboard, assistant, environment, extra, visual"`
	ContextLength int             `json:"context_length,omitempty" doc:"window in tokens; 0: the model's"`
	ChatID        string          `json:"chat_id,omitempty" doc:"a chat that the service keeps; messages then has the new message alone"`
}

// Completion is a chat completion on its way to its model.
type Completion struct {
	Result     *injection.Result   // what became of the files; nil where a strategy did it or there was nothing to do
	Execution  *strategy.Execution // what the strategy came to
	Split      *Split              // what was moved out of the newest message; nil where nothing was to be
	Processors []processor.Record  // what the server's chain did
	Route      *Routed             // where the turn went; nil where nothing was to be routed
	Upstream   string

	service  *Service
	owner    string
	model    Model
	body     map[string]json.RawMessage
	messages []apiMessage
	last     int               // the user's newest message
	hashes   [][]byte          // of the conversation up to each message, where the client sends it
	past     *past             // of the kept chat; nil: the client sends it
	kept     span              // where the messages of past stand
	fresh    []apiMessage      // what is new beside past, as the client wrote it
	asked    chat.Message      // the newest message as a kept chat has it
	answer   map[int]*answered // what the model said, where it is to be kept
	chains   *processor.Chains // the server's; nil: it has none
	uploaded []string          // ids of uploads that were made of this request's files
	wish     Wish
	said     string                     // the newest message as the user wrote it, without what was moved
	full     map[string]json.RawMessage // what is asked where a condensed call fails; nil: nothing
	unrouted []apiMessage               // of full
	guard    *guard                     // of the answer; nil: it is handed on as it comes
	laid     *laid                      // the newest message as it goes to the model; nil: as the client wrote it
	laidAt   cache.Key                  // where the next turn finds it
}

// Complete makes a chat completion ready: the files of its newest user message
// are laid into it, earlier messages are as they were sent when they were new,
// and everything else stays as the client wrote it.
func (s *Service) Complete(ctx context.Context, owner string, body map[string]json.RawMessage, wish Wish) (*Completion, error) {
	c := &Completion{service: s, owner: owner, body: body, wish: wish, last: -1}
	var name string
	if json.Unmarshal(body["model"], &name) != nil {
		return nil, wrong("model", "the name of one that GET /v1/models lists")
	}
	if err := c.prepare(ctx, name); err != nil {
		if e := c.Close(ctx); e != nil {
			err = errors.Join(err, e)
		}
		return nil, err
	}
	return c, nil
}

// prepare is the order of a turn: what was said before, intent and files, route,
// processors (INT-7).
func (c *Completion) prepare(ctx context.Context, model string) (err error) {
	if c.messages, err = parseMessages(c.body["messages"]); err != nil {
		return err
	}
	if err := c.takePast(ctx); err != nil {
		return err
	}
	if c.model, c.Upstream, err = c.service.router.open(ctx, model, c.wish.ContextLength); err != nil {
		return err
	}
	if err := c.openChains(); err != nil {
		return err
	}
	if err := c.layOut(ctx); err != nil {
		return c.service.failed(c.Upstream, c.outgrown(err))
	}
	if err := c.takeRoute(ctx); err != nil {
		return err
	}
	return c.process(ctx)
}

// mustJSON encodes a text.
func mustJSON[T ~string](s T) json.RawMessage {
	data, err := json.Marshal(string(s))
	if err != nil {
		panic(err) // a string always marshals
	}
	return data
}

// layOut rewrites the newest user message, and earlier ones as they were.
func (c *Completion) layOut(ctx context.Context) error {
	var hash []byte
	for i := range c.messages {
		if c.past == nil {
			hash = c.messages[i].chain(hash)
			c.hashes = append(c.hashes, hash)
		}
		if c.messages[i].role == "user" {
			c.last = i
		}
	}
	if err := c.noFilesElsewhere(); err != nil || c.last < 0 {
		return err
	}
	if done, err := c.resume(ctx); done || err != nil {
		return err
	}
	x, req, err := c.request(ctx)
	if err != nil {
		return err
	}
	start := time.Now()
	defer func() { c.service.config.Observe.Stage("decide", time.Since(start)) }()
	if c.wish.Strategy != "" || c.wish.Preprocessors != nil {
		c.said = req.Text
		return c.leaveRoom(ctx, req, func(req injection.Request) error { return c.execute(ctx, x, req) })
	}
	if c.Split, err = c.service.split(ctx, c.wish.Intent, req.Options.Mode, req.Text, req.Messages, c.model); err != nil {
		return err
	}
	c.Split.into(&req)
	c.said = req.Text
	return c.leaveRoom(ctx, req, func(req injection.Request) error { return c.inject(ctx, req) })
}

// noFilesElsewhere refuses files on messages that are not the user's.
func (c *Completion) noFilesElsewhere() error {
	for i, m := range c.messages {
		if m.role != "user" && m.hasFiles() {
			return wrong(fmt.Sprintf("messages[%d].content", i), "no files on a message that is not the user's")
		}
	}
	return nil
}

// request is what the injector is asked.
func (c *Completion) request(ctx context.Context) (Execution, injection.Request, error) {
	s, m := c.service, &c.messages[c.last]
	tuning := c.wish.Tuning
	if tuning.ReserveOutput == nil {
		tuning.ReserveOutput = c.answerTokens()
	}
	options, err := tuning.over(s.config.Defaults)
	if err != nil {
		return Execution{}, injection.Request{}, err
	}
	options.Namespace = c.owner
	fresh, err := s.attach(ctx, c.owner, m.files())
	if err != nil {
		return Execution{}, injection.Request{}, err
	}
	history, earlier, err := c.before(ctx)
	if err != nil {
		return Execution{}, injection.Request{}, err
	}
	values, err := contextOf(c.wish.Context)
	if err != nil {
		return Execution{}, injection.Request{}, err
	}
	req := injection.Request{
		Messages: history, Text: m.text(), Files: fresh.files, Images: fresh.images, Earlier: earlier, Model: c.model, Options: options,
	}
	return Execution{Values: values}, req, nil
}

// answerTokens is how long an answer the client asked for.
func (c *Completion) answerTokens() *int {
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		var n int
		if json.Unmarshal(c.body[name], &n) == nil && n > 0 {
			return &n
		}
	}
	return nil
}

// before is the conversation around the newest user message, as the model will
// see it, and the documents of earlier messages.
func (c *Completion) before(ctx context.Context) (history []chat.Message, earlier []injection.File, err error) {
	if tools := c.body["tools"]; len(tools) > 2 {
		history = append(history, chat.Message{Role: chat.System, Text: string(tools)}) // they take room too
	}
	if c.past != nil {
		if earlier, err = c.service.earlier(ctx, c.owner, c.past.messages); err != nil {
			return nil, nil, err
		}
	}
	for i := range c.messages {
		if i == c.last {
			continue
		}
		said, files, err := c.earlierMessage(ctx, i)
		if err != nil {
			return nil, nil, err
		}
		earlier, history = append(earlier, files...), append(history, said)
	}
	return history, earlier, nil
}

// earlierMessage is one message of the conversation as the model will see it,
// and its documents; those of a kept chat are known already.
func (c *Completion) earlierMessage(ctx context.Context, i int) (said chat.Message, files []injection.File, err error) {
	if c.kept.has(i) {
		return c.past.messages[i-c.kept.start], nil, nil
	}
	m := &c.messages[i]
	said = m.message()
	if m.hasFiles() || m.role == "user" && c.splits() {
		files, err = c.again(ctx, i, &said)
	}
	return said, files, err
}

// splits reports whether messages of this conversation may have been split.
func (c *Completion) splits() bool {
	how := cmp.Or(c.wish.Intent, c.service.config.Intent)
	return how == "builtin" || how == "model"
}

// laid is an earlier message as it was sent to the model when it was new.
type laid struct {
	Text     string            `json:"text"`
	Injected *chat.Injected    `json:"injected"`
	Moved    []chat.Attachment `json:"moved,omitempty"` // documents that were cut from what the client sent
}

// turns is what all turns of an owner are derived from, as far as the cache
// knows: one may hold passages of several files.
const turns = "turns"

func (c *Completion) laidKey(i int) cache.Key {
	return cache.Key{Namespace: c.owner, Of: turns, Kind: "turn", Parts: []string{c.model.Name(), hex.EncodeToString(c.hashes[i])}}
}

// laidInto is what was laid into an earlier message, as far as that is known.
func (c *Completion) laidInto(ctx context.Context, i int) (was laid, known bool, err error) {
	data, ok, err := c.service.config.Cache.Get(ctx, c.laidKey(i))
	return was, ok && json.Unmarshal(data, &was) == nil && was.Injected != nil, err
}

// again puts an earlier message with files back as it was: the client has only
// its own words. Where that is no longer known, the files are searched.
func (c *Completion) again(ctx context.Context, i int, said *chat.Message) ([]injection.File, error) {
	s, m := c.service, &c.messages[i]
	a, err := s.attach(ctx, c.owner, m.files())
	if err != nil {
		return nil, err
	}
	text := m.text()
	was, known, err := c.laidInto(ctx, i)
	if err != nil {
		return nil, err
	}
	if known {
		for _, one := range was.Moved {
			if data, ok := Cut(one, text); ok {
				a.files = append(a.files, injection.File{ID: one.FileID, Name: one.Name, MediaType: one.MediaType, Data: data})
			}
		}
		text, said.Injected = was.Text, was.Injected
	} else if !m.hasFiles() {
		return nil, nil // it was never anything but what it says
	}
	said.Text = text
	images, err := c.images(ctx, a.images)
	if err != nil {
		return nil, err
	}
	return a.files, m.rewrite(text, images)
}

// inject lays the files into the newest message.
func (c *Completion) inject(ctx context.Context, req injection.Request) error {
	res, err := c.service.lay(ctx, c.owner, req)
	if err != nil {
		return err
	}
	c.Split.Keep(&res)
	c.Result, c.asked = &res, res.Message
	c.service.config.Observe.Decided(res)
	if len(req.Files)+len(req.Images)+len(req.Earlier) == 0 && req.Text == c.messages[c.last].text() {
		return nil // nothing was laid into it: it goes on byte for byte
	}
	if err := c.rewriteLast(ctx, res.Message.Text, req.Images); err != nil {
		return err
	}
	if res.Message.Injected != nil && c.past == nil {
		c.laid = &laid{res.Message.Text, res.Message.Injected, c.Split.moved(res.Message)}
		c.laidAt = c.laidKey(c.last)
	}
	return nil
}

func (c *Completion) rewriteLast(ctx context.Context, text string, attached []chat.Attachment) error {
	images, err := c.images(ctx, attached)
	if err != nil {
		return err
	}
	return c.messages[c.last].rewrite(text, images)
}

// images are uploaded images as parts of a content.
func (c *Completion) images(ctx context.Context, list []chat.Attachment) ([]json.RawMessage, error) {
	var parts []json.RawMessage
	for _, a := range list {
		data, err := c.imageBytes(ctx, a.FileID)
		if err != nil {
			return nil, err
		}
		part, err := json.Marshal(map[string]any{
			"type": "image_url", "image_url": map[string]string{"url": "data:" + a.MediaType + ";base64," + base64.StdEncoding.EncodeToString(data)},
		})
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func (c *Completion) imageBytes(ctx context.Context, id string) ([]byte, error) {
	for _, m := range c.messages {
		for _, p := range m.parts {
			if p.file != nil && p.file.ID == "" && parse.FileID(p.file.Data) == id {
				return p.file.Data, nil
			}
		}
	}
	f, err := c.service.File(ctx, c.owner, id)
	if err != nil {
		return nil, err
	}
	return c.service.blobs.read(c.owner, f.Content)
}

// execute lets a strategy, or a list of preprocessors, make the message.
func (c *Completion) execute(ctx context.Context, x Execution, req injection.Request) error {
	one, err := c.strategy()
	if err != nil {
		return err
	}
	out, split, err := c.service.run(ctx, c.owner, one, &req, x)
	if err != nil {
		return err
	}
	c.Execution, c.Split = &out, split
	c.asked = chat.Message{Role: chat.User, Text: string(out.Prompt), Attachments: slices.Clone(req.Images)}
	for _, f := range req.Files {
		c.asked.Attachments = append(c.asked.Attachments, chat.Attachment{FileID: cmp.Or(f.ID, parse.FileID(f.Data)), Name: f.Name, MediaType: f.MediaType})
	}
	if split != nil && split.Raw != split.Text {
		split.mark(&c.asked)
	}
	if err := c.rewriteLast(ctx, string(out.Prompt), req.Images); err != nil {
		return err
	}
	if out.SystemPrompt != nil {
		c.setSystem(string(*out.SystemPrompt))
	}
	return nil
}

// strategy is the one that was named, else one that runs the preprocessors
// that were.
func (c *Completion) strategy() (*strategy.Strategy, error) {
	if c.wish.Intent != "" && c.wish.Intent != "off" {
		return nil, wrong("inlay.intent", "nothing beside a strategy or preprocessors, one of which can be intent")
	}
	if c.wish.Strategy != "" {
		if c.wish.Preprocessors != nil {
			return nil, wrong("inlay.preprocessors", "nothing beside a strategy, which names its own")
		}
		return c.service.Strategy(c.wish.Strategy)
	}
	body := "{Argument}"
	for _, id := range c.wish.Preprocessors {
		if _, ok := c.service.known.registry.Lookup(id); !ok {
			return nil, &fault.Error{Code: fault.PreprocessorNotFound, Subject: "preprocessor " + id, Reason: "there is no such preprocessor", Next: "see the list of preprocessors"}
		}
		if id == injection.ID {
			body = "{" + injection.Prefix + "prompt}"
		}
	}
	return &strategy.Strategy{ID: "service.request", Name: "request", Enabled: true, Preprocessors: c.wish.Preprocessors, Body: body}, nil
}

// setSystem puts a strategy's system prompt in the place of the client's.
func (c *Completion) setSystem(text string) {
	for i := range c.messages {
		if c.messages[i].role == "system" || c.messages[i].role == "developer" {
			c.messages[i].fields = maps.Clone(c.messages[i].fields)
			c.messages[i].fields["content"] = mustJSON(text)
			return
		}
	}
	c.messages = slices.Insert(c.messages, 0, apiMessage{fields: map[string]json.RawMessage{"role": mustJSON("system"), "content": mustJSON(text)}, role: "system"})
	c.last++
}

// pack writes messages into a body.
func pack(body map[string]json.RawMessage, messages []apiMessage) error {
	list := make([]map[string]json.RawMessage, len(messages))
	for i, m := range messages {
		list[i] = m.fields
	}
	data, err := json.Marshal(list)
	body["messages"] = data
	return err
}

// failed marks a failure that only the upstream can have.
func (s *Service) failed(upstream string, err error) error {
	code := fault.CodeOf(err)
	if errors.As(err, new(*UpstreamError)) || !slices.Contains([]fault.Code{fault.BackendUnreachable, fault.AnswerUnfinished, fault.Unauthorized, fault.RateLimited, fault.ModelNotFound}, code) {
		return err
	}
	s.config.Observe.UpstreamFailed(upstream, code)
	return &UpstreamError{upstream, err}
}
