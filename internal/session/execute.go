package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/parse"
	"inlay/strategy"
	"inlay/strategy/builtin"
	"inlay/strategy/condition"
	"inlay/strategy/render"
)

// Execution asks for a strategy, or for preprocessors without one, over a question.
type Execution struct {
	Question
	Values      map[string]any // attachments, clipboard, assistant, environment, extra, visual
	KeepMissing bool           // placeholders without a value stay
	Settings    map[string]any // of the one preprocessor that is run by itself
}

// Execute runs a strategy.
func (s *Service) Execute(ctx context.Context, owner string, one *strategy.Strategy, x Execution) (strategy.Execution, error) {
	past, err := s.past(ctx, owner, &x.Question)
	if err != nil {
		return strategy.Execution{}, err
	}
	if past != nil {
		return strategy.Execution{}, wrong("chat_id", "no chat: executing a strategy keeps nothing")
	}
	req, err := s.request(ctx, owner, x.Question)
	if fault.Is(err, fault.WindowUnknown) && len(x.Files) == 0 && !slices.Contains(one.Preprocessors, intent.ID) {
		x.ContextLength = 1 // nothing to fit into it
		req, err = s.request(ctx, owner, x.Question)
	}
	if err != nil {
		return strategy.Execution{}, err
	}
	out, _, err := s.run(ctx, owner, one, &req, x)
	return out, s.ofUpstream(x.Model, err)
}

// run executes a strategy over what the injector would be asked. Where it names
// intent, bulk is moved out of req's text first and attached, so that files sees
// it: preprocessors only return variables (STR-17).
func (s *Service) run(ctx context.Context, owner string, one *strategy.Strategy, req *injection.Request, x Execution) (strategy.Execution, *Split, error) {
	var split *Split
	if slices.Contains(one.Preprocessors, intent.ID) && len(one.Options.Preprocessors[intent.ID]) == 0 {
		var err error
		if split, err = s.split(ctx, "builtin", req.Options.Mode, req.Text, req.Messages, req.Model); err != nil {
			return strategy.Execution{}, nil, err
		}
		split.into(req)
	}
	end, err := s.load.begin(ctx, owner, *req)
	if err != nil {
		return strategy.Execution{}, nil, err
	}
	defer end()
	list, modes := Attached(req.Files, req.Images, req.Earlier)
	registry, err := strategy.NewRegistry(builtin.Preprocessors(builtin.Options{Injector: s.config.Injector(owner), Defaults: req.Options, Modes: modes, Intent: intent.Preprocessor{Known: split.Intent()}})...)
	if err != nil {
		return strategy.Execution{}, nil, err
	}
	over := strategy.ExecutionContext{Input: req.Text, Messages: req.Messages, Attachments: list, Model: req.Model, Values: x.Values}
	if x.Report != nil {
		over.Progress = func(event any) {
			if status, ok := event.(injection.Status); ok {
				x.Report(status)
			}
		}
	}
	start := time.Now()
	engine := &strategy.Engine{Registry: registry, KeepMissing: x.KeepMissing, Logger: s.log}
	out, err := engine.Execute(ctx, one, over)
	s.config.Observe.Stage("strategy", time.Since(start))
	return out, split, err
}

// Preprocessed is what one preprocessor came to.
type Preprocessed struct {
	Variables   map[string]any        `json:"variables"`
	Diagnostics []strategy.Diagnostic `json:"diagnostics"`
}

// RunPreprocessor runs one preprocessor by itself.
func (s *Service) RunPreprocessor(ctx context.Context, owner, id string, x Execution) (Preprocessed, error) {
	if _, ok := s.known.registry.Lookup(id); !ok {
		return Preprocessed{}, &fault.Error{Code: fault.PreprocessorNotFound, Subject: "preprocessor " + id, Reason: "there is no such preprocessor", Next: "see the list of preprocessors"}
	}
	alone := &strategy.Strategy{ID: "service." + id, Name: id, Enabled: true, Preprocessors: []string{id}, Body: "{Argument}"}
	if len(x.Settings) > 0 {
		alone.Options.Preprocessors = map[string]map[string]any{id: x.Settings}
	}
	out, err := s.Execute(ctx, owner, alone, x)
	if err != nil {
		return Preprocessed{}, err
	}
	step := out.Steps[0]
	return Preprocessed{Variables: step.Variables, Diagnostics: append([]strategy.Diagnostic{}, step.Diagnostics...)}, nil
}

// Match judges the host's strategies over a context and files.
func (s *Service) Match(ctx context.Context, owner string, values map[string]any, refs []FileRef) (strategy.Matches, error) {
	a, err := s.attach(ctx, owner, refs)
	if err != nil {
		return strategy.Matches{}, err
	}
	list, _ := Attached(a.files, a.images, nil)
	if values == nil {
		values = map[string]any{}
	}
	if _, given := render.Find(values, "attachments.files"); !given {
		values["attachments.files"] = strategy.AttachmentValues(list)
	}
	return (&strategy.Matcher{}).Match(ctx, s.Strategies(), values)
}

var errNoObject = errors.New("the context is no JSON object")

// DecodeContext reads the context that strategies work on: an object with the
// roots of conditions.
func DecodeContext(data []byte) (map[string]any, error) {
	v, err := render.DecodeJSON(bytes.TrimPrefix(data, []byte("\uFEFF")))
	if err != nil {
		return nil, fmt.Errorf("the context is no JSON: %w", err)
	}
	values, ok := v.(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	for key := range values {
		if root, _, _ := strings.Cut(key, "."); !slices.Contains(condition.Roots(), root) {
			return nil, fmt.Errorf("%q is no root of context", root)
		}
	}
	return values, nil
}

// contextOf is DecodeContext for a field of a request: no part of it is repeated.
func contextOf(data json.RawMessage) (map[string]any, error) {
	if len(data) == 0 || string(data) == "null" {
		return map[string]any{}, nil
	}
	values, err := DecodeContext(data)
	if err != nil {
		return nil, &fault.Error{Code: fault.Usage, Subject: "context", Reason: "is not what it may be", Next: "write an object with " + strings.Join(condition.Roots(), ", ")}
	}
	return values, nil
}

// ContextOf reads the context field of a request.
func ContextOf(data json.RawMessage) (map[string]any, error) { return contextOf(data) }

func fileOf(f injection.File) parse.File {
	return parse.File{Name: f.Name, MediaType: f.MediaType, Data: f.Data}
}
