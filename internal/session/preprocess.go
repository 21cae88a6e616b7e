package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/llm"
	"inlay/parse"
)

// Question is one turn to be laid out: what was said, the new message, its
// files, the model that will answer.
type Question struct {
	Messages      []chat.Message // before the new one
	Text          string         // the new one, byte for byte
	Files         []FileRef
	ChatID        string // instead of Messages: a chat that the service keeps
	Model         string // as GET /v1/models lists it, or a well-known one
	ContextLength int    // 0: as the model has it
	Tuning        Tuning
	Intent        string // off, builtin, model; empty: as the server is configured
	DryRun        bool
	Debug         bool
	Report        func(injection.Status) // may be nil
}

// Preprocess lays the files of a question into its prompt. In a chat that the
// service keeps, the turn is kept unless it is a dry run.
//
// The split says what was moved out of the question; it is nil where nothing
// was to be.
func (s *Service) Preprocess(ctx context.Context, owner string, q Question) (injection.Result, *Split, error) {
	past, err := s.past(ctx, owner, &q)
	if err != nil {
		return injection.Result{}, nil, err
	}
	if past == nil || q.DryRun {
		return s.inject(ctx, owner, q)
	}
	return s.keepTurn(ctx, owner, q, past)
}

// keepTurn lays out a turn of a kept chat, and keeps it. Files that came inside
// the request become uploads: later turns search them.
func (s *Service) keepTurn(ctx context.Context, owner string, q Question, past *past) (res injection.Result, split *Split, err error) {
	made, err := s.keepInline(ctx, owner, "user_data", q.Files)
	if err == nil {
		res, split, err = s.inject(ctx, owner, q)
		err = past.outgrown(err, "begin a new chat, or use a model with a larger window")
	}
	if err == nil {
		err = s.addTurn(ctx, owner, past, &res, res.Message)
	}
	if err != nil {
		err = errors.Join(err, s.drop(context.WithoutCancel(ctx), owner, made))
	}
	return res, split, err
}

// inject asks the owner's injector.
func (s *Service) inject(ctx context.Context, owner string, q Question) (injection.Result, *Split, error) {
	req, err := s.request(ctx, owner, q)
	if err != nil {
		return injection.Result{}, nil, err
	}
	start := time.Now()
	split, err := s.split(ctx, q.Intent, req.Options.Mode, req.Text, req.Messages, req.Model)
	if err != nil {
		return injection.Result{}, nil, s.ofUpstream(q.Model, err)
	}
	split.into(&req)
	res, err := s.lay(ctx, owner, req)
	if err != nil {
		return res, nil, s.ofUpstream(q.Model, err)
	}
	split.Keep(&res)
	s.config.Observe.Stage("decide", time.Since(start))
	s.config.Observe.Decided(res)
	return res, split, nil
}

// lay has the owner's injector answer, once there is room for the documents. The
// room is not held while a model splits the message.
func (s *Service) lay(ctx context.Context, owner string, req injection.Request) (injection.Result, error) {
	end, err := s.load.begin(ctx, owner, req)
	if err != nil {
		return injection.Result{}, err
	}
	defer end()
	return s.config.Injector(owner).Inject(ctx, req)
}

// request turns a question into what the injector takes.
func (s *Service) request(ctx context.Context, owner string, q Question) (r injection.Request, err error) {
	options, err := q.Tuning.over(s.config.Defaults)
	if err != nil {
		return r, err
	}
	options.Namespace, options.DryRun, options.Debug = owner, q.DryRun, q.Debug
	attached, err := s.attach(ctx, owner, q.Files)
	if err != nil {
		return r, err
	}
	earlier, err := s.earlier(ctx, owner, q.Messages)
	if err != nil {
		return r, err
	}
	model, err := s.measurer(ctx, q.Model, q.ContextLength)
	if err != nil {
		return r, err
	}
	return injection.Request{
		Messages: q.Messages, Text: q.Text, Files: attached.files, Images: attached.images, Earlier: earlier,
		Model: model, Options: options, Report: q.Report,
	}, nil
}

// measurer is the model that a question names: one that an upstream serves,
// else what is known of it without asking anybody.
func (s *Service) measurer(ctx context.Context, name string, length int) (llm.Measurer, error) {
	if length < 0 {
		return nil, wrong("context_length", "0 (measure) or a number of tokens")
	}
	if name != "" && len(s.router.upstreams) > 0 {
		m, _, err := s.router.open(ctx, name, length)
		if err == nil || !fault.Is(err, fault.ModelNotFound) {
			return m, err
		}
	}
	if s.config.Measure == nil {
		return nil, errWindow(name)
	}
	m, err := s.measured.get(modelKey{model: name, length: length}, func() (llm.Measurer, error) { return s.config.Measure(name, length) })
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
func (s *Service) ofUpstream(model string, err error) error {
	if name := s.router.nameOf(model); name != "" && err != nil && fault.CodeOf(err) != fault.Internal {
		return s.failed(name, err)
	}
	return err
}

// Text reads files of a question, and what was moved out of it, again, from the
// cache, for their texts by id.
func (s *Service) Text(ctx context.Context, owner string, q Question, split *Split) (func(fileID string) (string, bool), error) {
	attached, err := s.attach(ctx, owner, q.Files)
	if err != nil {
		return nil, err
	}
	earlier, err := s.earlier(ctx, owner, q.Messages)
	if err != nil {
		return nil, err
	}
	files := map[string]injection.File{}
	for _, f := range slices.Concat(attached.files, split.Files(), earlier) {
		f.ID = cmp.Or(f.ID, parse.FileID(f.Data))
		if _, ok := files[f.ID]; !ok {
			files[f.ID] = f
		}
	}
	return func(id string) (string, bool) {
		f, ok := files[id]
		if !ok {
			return "", false
		}
		text, err := s.textOf(ctx, owner, f)
		return text, err == nil
	}, nil
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
