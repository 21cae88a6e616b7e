package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"inlay/internal/chats"
	"inlay/internal/files"
	"inlay/internal/upstream"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/llm"
	"inlay/options"
	"inlay/parse"
	"inlay/strategy"
	"inlay/turn"
)

// Question is one turn whose prompt is wanted: what was said, the new message,
// its files, the model that will answer.
type Question struct {
	Messages []chat.Message // before the new one
	Text     string         // the new one, byte for byte
	Files    []files.Ref
	ChatID   string         // instead of Messages: a chat that the service keeps
	Model    string         // as GET /v1/models lists it, or a well-known one
	Options  options.Values // of the request; the others are as the server is configured
	DryRun   bool
	Debug    bool
	Content  bool                   // with Debug: the documents' text
	Report   func(injection.Status) // may be nil

	Strategy    *strategy.Strategy // makes the prompt; nil: files alone do
	Values      map[string]any     // attachments, clipboard, assistant, environment, extra, visual
	KeepMissing bool               // placeholders without a value stay
	Settings    map[string]any     // of the one preprocessor that is run by itself
}

// Preprocess prepares the turn of a question. In a chat that the service keeps,
// the turn is kept unless it is a dry run. Beside an error it returns what the
// turn came to.
func (s *Service) Preprocess(ctx context.Context, owner string, q Question) (*turn.Turn, error) {
	past, err := s.past(ctx, owner, &q)
	if err != nil {
		return &turn.Turn{}, err
	}
	if past == nil || q.DryRun {
		return s.prepare(ctx, owner, q)
	}
	made, err := s.KeepInline(ctx, owner, "user_data", past.Messages, q.Files)
	t := &turn.Turn{}
	if err == nil {
		t, err = s.prepare(ctx, owner, q)
		err = past.Outgrown(err, "begin a new chat, or use a model with a larger window")
	}
	if err == nil {
		err = s.AddTurn(ctx, owner, past, t.Result, t.Said()...)
	}
	if err != nil {
		err = errors.Join(err, s.Drop(context.WithoutCancel(ctx), owner, made))
	}
	return t, err
}

// past takes the history of a kept chat into the question.
func (s *Service) past(ctx context.Context, owner string, q *Question) (*chats.Past, error) {
	if q.ChatID == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	if len(q.Messages) > 0 {
		return nil, errTwoPasts("chat_id")
	}
	p, err := s.Recall(ctx, owner, q.ChatID)
	if err != nil {
		return nil, err
	}
	q.Messages = p.Messages
	return p, nil
}

func (s *Service) prepare(ctx context.Context, owner string, q Question) (*turn.Turn, error) {
	req, err := s.request(ctx, owner, q)
	if err != nil {
		return &turn.Turn{}, err
	}
	start := time.Now()
	t, err := s.plain(owner).Prepare(ctx, req)
	if err != nil {
		return t, s.ofUpstream(ctx, q.Model, err)
	}
	s.config.Observe.Stage("decide", time.Since(start))
	return t, nil
}

// request turns a question into a turn.
func (s *Service) request(ctx context.Context, owner string, q Question) (r turn.Request, err error) {
	if err := upstream.CheckName(q.Model); err != nil {
		return r, err
	}
	if r.Options, err = s.config.Defaults.With(q.Options); err != nil {
		return r, err
	}
	r.Options.Namespace, r.Options.DryRun, r.Options.Debug, r.Options.DebugContent = owner, q.DryRun, q.Debug, q.Content
	attached, err := s.Attach(ctx, owner, q.Files)
	if err != nil {
		return r, err
	}
	for _, m := range q.Messages {
		files, err := s.Of(ctx, owner, m)
		if err != nil {
			return r, err
		}
		r.Past = append(r.Past, turn.Said{Message: m, Files: files})
	}
	r.Text, r.Files, r.Images, r.Report = q.Text, attached.Files, attached.Images, q.Report
	r.Strategy, r.Values, r.KeepMissing = q.Strategy, q.Values, q.KeepMissing
	r.Intent = q.Options.Text("intent")
	if r.Strategy == nil {
		r.Intent = cmp.Or(r.Intent, s.config.Intent)
	}
	r.Model, err = s.measurer(ctx, q.Model, q.Options.Int("context_length"))
	if fault.Is(err, fault.WindowUnknown) && q.Strategy != nil {
		r.Model, err = turn.Unknown(q.Model, err), nil // a strategy without files needs none
	}
	return r, err
}

// measurer is the model that a question names: one that an upstream serves,
// else what is known of it without asking anybody.
func (s *Service) measurer(ctx context.Context, name string, length int) (llm.Measurer, error) {
	if name != "" && len(s.Servers) > 0 {
		m, _, err := s.Open(ctx, name, length)
		if err == nil || !fault.Is(err, fault.ModelNotFound) {
			return m, err
		}
	}
	if s.config.Measure == nil {
		return nil, errWindow(name)
	}
	m, err := s.measured.Get(upstream.Key{Model: name, Length: length}, func() (llm.Measurer, error) { return s.config.Measure(name, length) })
	if fault.Is(err, fault.WindowUnknown) {
		err = errWindow(name)
	}
	return m, err
}

func errWindow(name string) error {
	return &fault.Error{
		Code: fault.WindowUnknown, Subject: cmp.Or(name, "model"), Reason: "its context window is not known",
		Next: "send context_length, or a model that GET /v1/models lists",
	}
}

// ofUpstream marks failures that only the server of a model can have.
func (s *Service) ofUpstream(ctx context.Context, model string, err error) error {
	if name := s.NameOf(model); name != "" && err != nil && fault.CodeOf(err) != fault.Internal {
		return s.failed(ctx, name, err)
	}
	return err
}

// Text reads the files of a turn again, from the cache, for their texts by id.
func (s *Service) Text(ctx context.Context, owner string, t *turn.Turn) func(fileID string) (string, bool) {
	files := map[string]injection.File{}
	for _, f := range t.Files() {
		id := cmp.Or(f.ID, parse.FileID(f.Data))
		if _, ok := files[id]; !ok {
			files[id] = f
		}
	}
	return func(id string) (string, bool) {
		f, ok := files[id]
		if !ok {
			return "", false
		}
		text, err := s.textOf(ctx, owner, f)
		return text, err == nil
	}
}

func (s *Service) textOf(ctx context.Context, owner string, f injection.File) (string, error) {
	reader := s.config.Injector(owner).Reader
	if f.Data == nil {
		if recaller, ok := reader.(injection.Recaller); ok {
			if doc, ok := recaller.Recall(f.Content, fileOf(f)); ok {
				return doc.Text, nil
			}
		}
		data, err := f.Open(ctx)
		if err != nil {
			return "", fmt.Errorf("read %s: %w", f.ID, err)
		}
		f.Data = data
	}
	doc, err := reader.Parse(ctx, fileOf(f), nil)
	return doc.Text, err
}

func fileOf(f injection.File) parse.File {
	return parse.File{Name: f.Name, MediaType: f.MediaType, Data: f.Data}
}
