package strategy

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/strategy/render"
	"inlay/strategy/source"
)

// Engine runs the one strategy a user chose: its preprocessors in declared
// order, then one rendering of its body and system prompt. It is safe for
// concurrent use.
type Engine struct {
	Registry    *Registry
	BuiltIns    map[string]any    // prompt variables of the host, below all context
	Aliases     map[string]string // legacy names to paths, below everything
	KeepMissing bool              // diagnostics mode: a placeholder without a value stays in the prompt
	DryRun      bool              // run the preprocessors, check the templates and render nothing
	MaxBytes    int               // most bytes of a rendered prompt; 0 means render.DefaultLimit
	Logger      *slog.Logger      // names, durations and codes; nil logs nothing
}

// Execute runs s. x supplies the input and the context; the engine sets its
// Strategy, StrategyID and DryRun, and each preprocessor's Settings.
//
// Any failure stops it and leaves no prompt: an *fault.Error of a
// preprocessor.* code, or strategy.render_failed. When ctx ends, for whatever
// cause, it returns promptly with fault.Canceled. Every error is an
// [*ExecutionError] with the steps and diagnostics so far, which the execution
// returned beside it has too.
//
// A dry run ends with status [DryRun] and without a prompt; the variables are in
// the steps. It fails as a run would before rendering, and on malformed templates.
func (e *Engine) Execute(ctx context.Context, s *Strategy, x ExecutionContext) (Execution, error) {
	out, err := newExecution(), error(&fault.Error{Code: fault.StrategyNotFound, Reason: "no strategy given", Next: "choose one"})
	if s != nil {
		out, err = e.execute(ctx, s, x)
	}
	out.end(err, e.DryRun)
	e.log(ctx, out, err)
	if err != nil {
		return out, &ExecutionError{Execution: out, Err: err}
	}
	return out, nil
}

// end sets the status that an execution ends in. A failure outside of all steps
// gets a diagnostic; that of a step has its own.
func (e *Execution) end(err error, dry bool) {
	switch {
	case err == nil && dry:
		e.Status = DryRun
	case err == nil:
		e.Status = Done
	case fault.Is(err, fault.Canceled):
		e.Status = Canceled
	default:
		e.Status = Failed
		if len(e.Steps) == 0 || e.Steps[len(e.Steps)-1].Failure == "" {
			e.Diagnostics = append(e.Diagnostics, failure(err))
		}
	}
	if e.Status != Done {
		e.Prompt, e.SystemPrompt = "", nil
	}
}

func (e *Engine) execute(ctx context.Context, s *Strategy, x ExecutionContext) (Execution, error) {
	out := newExecution()
	out.Input, out.KeepMissing = Text(x.Input), e.KeepMissing
	out.Strategy = Used{ID: s.ID, Name: s.Name, Body: Text(s.Body), Tools: s.Tools}
	if s.SystemPrompt != nil {
		system := Text(*s.SystemPrompt)
		out.Strategy.SystemPrompt = &system
	}
	x, err := prepared(x)
	if err != nil {
		return out, err
	}
	chosen, err := e.find(s, &out)
	if err != nil {
		return out, err
	}
	for _, p := range chosen {
		x.DryRun = e.DryRun
		step, err := runStep(ctx, p, s, x)
		out.Steps = append(out.Steps, step)
		if err != nil {
			return out, err
		}
	}
	merged, notes := merge(out.Steps)
	out.Diagnostics = append(out.Diagnostics, notes...)
	if err := ctx.Err(); err != nil {
		return out, canceled(ctx, s)
	}
	if e.DryRun {
		return out, out.checkTemplates()
	}
	find := newSources(merged, x, e.BuiltIns, e.Aliases).lookup
	return out, out.fill(find, render.Options{KeepMissing: e.KeepMissing, Limit: e.MaxBytes})
}

// find looks every preprocessor up before any runs.
func (e *Engine) find(s *Strategy, out *Execution) ([]Preprocessor, error) {
	var chosen []Preprocessor
	for _, id := range s.Preprocessors {
		p, ok := e.Registry.Lookup(id)
		if !ok {
			return nil, &fault.Error{
				Code: fault.PreprocessorNotFound, Subject: "preprocessor " + id,
				Reason: "strategy " + s.ID + " names it and this program does not have it",
				Next:   "remove it from the strategy or install what offers it",
			}
		}
		chosen = append(chosen, p)
		out.Strategy.ContainInput = append(out.Strategy.ContainInput, p.Info().ContainInput...)
	}
	if len(chosen) > 0 && strings.TrimSpace(s.Body) == "" && s.SystemPrompt == nil {
		out.Diagnostics = append(out.Diagnostics, unused(s))
	}
	return chosen, nil
}

func unused(s *Strategy) Diagnostic {
	return Diagnostic{
		Code: source.UnusedPreprocessor, Severity: source.Warning, Path: "preprocessors", File: s.File,
		Message: "Preprocessors run, but there is neither a body nor a systemPrompt that could use their variables.",
	}
}

// prepared normalises the caller's values once for all steps.
func prepared(x ExecutionContext) (ExecutionContext, error) {
	x.Values = withAttachments(x.Values, x.Attachments)
	values := make(map[string]any, len(x.Values))
	for _, path := range sortedKeys(x.Values) {
		v, err := render.Normalize(x.Values[path])
		if err != nil {
			return x, &fault.Error{
				Code: fault.StrategyRenderFailed, Subject: path, Reason: "the supplied value cannot be written as text",
				Next: "supply text, numbers, booleans, lists or objects", Err: err,
			}
		}
		values[path] = v
	}
	x.Values = values
	return x, nil
}

// forStep gives a preprocessor its own copy of the context.
func forStep(id string, s *Strategy, x ExecutionContext) (ExecutionContext, error) {
	x.Strategy, x.StrategyID = s.View(), s.ID
	x.Messages = cloneMessages(x.Messages)
	x.Attachments = slices.Clone(x.Attachments)
	values, err := render.Normalize(x.Values)
	if err != nil {
		return x, err
	}
	x.Values, _ = values.(map[string]any)
	settings, err := render.Normalize(s.Options.Preprocessors[id])
	if err != nil {
		return x, err
	}
	x.Settings, _ = settings.(map[string]any)
	return x, nil
}

func cloneMessages(in []chat.Message) []chat.Message {
	out := slices.Clone(in)
	for i := range out {
		out[i].Attachments = slices.Clone(out[i].Attachments)
		out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
		if out[i].Injected != nil {
			injected := *out[i].Injected
			injected.FileIDs, injected.FileNumbers = slices.Clone(injected.FileIDs), slices.Clone(injected.FileNumbers)
			injected.Citations = slices.Clone(injected.Citations)
			out[i].Injected = &injected
		}
	}
	return out
}

func canceled(ctx context.Context, s *Strategy) error {
	return &fault.Error{Code: fault.Canceled, Subject: "strategy " + s.ID, Reason: "canceled; no prompt was made", Err: context.Cause(ctx)}
}

// log writes names, durations and codes, never values.
func (e *Engine) log(ctx context.Context, out Execution, err error) {
	if e.Logger == nil {
		return
	}
	for _, s := range out.Steps {
		e.Logger.InfoContext(ctx, "preprocessor", "strategy", out.Strategy.ID, "preprocessor", s.Preprocessor,
			"duration", time.Duration(s.Duration), "variables", slices.Sorted(maps.Keys(s.Variables)), "failure", string(s.Failure), "error_type", s.ErrorType)
	}
	e.Logger.InfoContext(ctx, "strategy executed", "strategy", out.Strategy.ID, "status", out.Status, "code", string(fault.CodeOf(err)))
}
