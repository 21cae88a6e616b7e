package service

import (
	"context"

	"inlay/internal/chats"
	"inlay/internal/files"

	"inlay/fault"
	"inlay/llm"
	"inlay/processor"
	"inlay/strategy"
	"inlay/strategy/builtin"
	"inlay/strategy/render"
	"inlay/turn"
)

// plain makes an owner's turns without what is around a model: for prompts
// that a caller takes away.
func (s *Service) plain(owner string) *turn.Engine {
	injector := s.config.Injector(owner)
	if s.stores != nil && injector.Libraries != nil {
		injector.Libraries = s.stores.Titled(injector.Libraries)
	}
	return &turn.Engine{
		Injector: injector, Preprocessors: builtin.Options{Open: s.config.OpenFile}, Rules: s.config.Rules, Memo: &s.memo,
		Admit: s.load.admit(owner), Observe: s.config.Observe, Logger: s.log,
	}
}

// engine makes an owner's turns that are answered here.
func (s *Service) engine(owner string) *turn.Engine {
	e := s.plain(owner)
	e.Router, e.Mode, e.Place = s.config.Router, s.config.Mode, s.config.Place
	if s.config.Chains != nil {
		e.Chains = func(model llm.Generator) (*processor.Chains, error) { return s.config.Chains(owner, model) }
	}
	return e
}

// Execute runs a question's strategy; the turn is kept as [Service.Preprocess]
// keeps it. Beside an error the turn has the steps and diagnostics so far.
func (s *Service) Execute(ctx context.Context, owner string, q Question) (*turn.Turn, error) {
	return s.Preprocess(ctx, owner, q)
}

// Preprocessed is what one preprocessor came to.
type Preprocessed struct {
	Variables   map[string]any        `json:"variables"`
	Diagnostics []strategy.Diagnostic `json:"diagnostics"`
}

// RunPreprocessor runs one preprocessor by itself.
func (s *Service) RunPreprocessor(ctx context.Context, owner, id string, q Question) (Preprocessed, error) {
	if _, ok := s.known.registry.Lookup(id); !ok {
		return Preprocessed{}, noPreprocessor(id)
	}
	q.Strategy = &strategy.Strategy{ID: "service." + id, Name: id, Enabled: true, Preprocessors: []string{id}, Body: "{Argument}"}
	if len(q.Settings) > 0 {
		q.Strategy.Options.Preprocessors = map[string]map[string]any{id: q.Settings}
	}
	t, err := s.prepare(ctx, owner, q)
	if err != nil {
		return Preprocessed{}, err
	}
	step := t.Execution.Steps[0]
	return Preprocessed{Variables: step.Variables, Diagnostics: append([]strategy.Diagnostic{}, step.Diagnostics...)}, nil
}

// Match judges the host's strategies over a context and files.
func (s *Service) Match(ctx context.Context, owner string, values map[string]any, refs []files.Ref) (strategy.Matches, error) {
	a, err := s.Attach(ctx, owner, refs)
	if err != nil {
		return strategy.Matches{}, err
	}
	if values == nil {
		values = map[string]any{}
	}
	if _, given := render.Find(values, "attachments.files"); !given {
		values["attachments.files"] = strategy.AttachmentValues(turn.Attachments(a.Files, a.Images))
	}
	return (&strategy.Matcher{}).Match(ctx, s.Strategies(), values)
}

// Replay renders a turn of a kept chat again that a strategy made, from what is
// kept and nothing else. Turns are numbered from 1.
func (s *Service) Replay(ctx context.Context, owner, chatID string, number int) (strategy.Execution, error) {
	c, err := s.Chat(ctx, owner, chatID)
	if err != nil {
		return strategy.Execution{}, err
	}
	for _, t := range c.Turns {
		if t.Number != number {
			continue
		}
		said, err := chats.MessagesOf(t)
		if err != nil {
			return strategy.Execution{}, err
		}
		return turn.Replay(said)
	}
	return strategy.Execution{}, &fault.Error{Code: fault.NotFound, Subject: "turn", Reason: "the chat has no such turn", Next: "see the results of GET /v1/chats/{id}"}
}
