package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/internal/inputs"
	"inlay/internal/wire"
	"inlay/route"
	"inlay/strategy"
	"inlay/strategy/builtin"
	"inlay/turn"
)

// strategyRunCmd executes one strategy.
type strategyRunCmd struct {
	settings
	strategySettings
	contextFlags
	History string   `placeholder:"FILE" help:"Conversation so far (inlay.history/v1); this turn is added to it, and it is made if it is not there."`
	NoSave  bool     `help:"Leave the history file as it is."`
	Input   string   `placeholder:"TEXT" help:"What you want besides; - reads it from standard input."`
	Allow   []string `placeholder:"DIR" sep:"none" help:"Folder whose files file-manager-selection may read."`
	DryRun  bool     `short:"n" help:"Decide over the files, and embed nothing."`
	Exact   bool     `help:"Count every file to its end, whatever the decision needs."`
	Keep    bool     `help:"Leave placeholders without a value in the prompt."`
	Quiet   bool     `short:"q" help:"No statuses."`
	Output  string   `short:"o" enum:"prompt,system,json" default:"prompt" help:"What to print: the prompt, the system prompt, or the whole execution as json."`
	Name    string   `arg:"" help:"Strategy file or id."`
}

// Run executes the strategy and prints what it made. Of one that failed it
// prints the diagnostics, and as JSON the steps too.
func (c *strategyRunCmd) Run(ctx context.Context, a *app) error {
	past, err := openHistory(c.History)
	if err != nil {
		return err
	}
	req, err := c.request(ctx, a, past)
	if err != nil {
		return err
	}
	engine, err := c.strategyEngine(ctx, a)
	if err != nil {
		return err
	}
	view := newStatusView(a.stderr, c.Quiet)
	req.Report = view.show
	t, err := engine.Prepare(ctx, req)
	view.close()
	if t.Execution == nil {
		return err
	}
	if e := c.notes(a, *t.Execution); e != nil {
		return errors.Join(err, e)
	}
	if err != nil {
		return c.failed(a, *t.Execution, err)
	}
	if !c.DryRun && !c.NoSave && c.History != "" {
		if err := past.add(t.Said()...); err != nil {
			return err
		}
	}
	return c.print(a.stdout, t)
}

// request is the turn that the strategy makes.
func (c *strategyRunCmd) request(ctx context.Context, a *app, past *history) (req turn.Request, err error) {
	if req.Text, err = c.input(a); err != nil {
		return req, err
	}
	attached, err := openFiles(ctx, a, c.File)
	if err != nil {
		return req, err
	}
	attached.tell(a)
	req.Files, req.Images = attached.files, attached.images
	if req.Values, err = c.values(a, c.Model); err != nil {
		return req, err
	}
	names, err := builtin.KnownPreprocessors()
	if err != nil {
		return req, err
	}
	if req.Strategy, err = c.find(ctx, a, c.Name, names); err != nil {
		return req, err
	}
	if req.Options, err = c.options(); err != nil {
		return req, err
	}
	req.Options.DryRun, req.Options.ExactCounts = c.DryRun, c.Exact
	req.Past, req.Intent, req.KeepMissing = past.said(a.limits), c.Intent, c.Keep
	req.Model, err = wire.OpenModel(c.ModelSettings, a.getenv)
	return req, err
}

func (c *strategyRunCmd) input(a *app) (string, error) {
	if c.Input != "-" {
		return c.Input, nil
	}
	if slices.ContainsFunc(c.File, func(f rawArg) bool { path, _ := splitMode(string(f)); return path == inputs.Stdin }) {
		return "", &fault.Error{Code: fault.Usage, Subject: "-", Reason: "standard input cannot be both a file and the input"}
	}
	data, err := io.ReadAll(a.stdin)
	if err != nil {
		return "", fmt.Errorf("read the input: %w", err)
	}
	return strings.TrimSuffix(string(data), "\n"), nil
}

// strategyEngine is the engine, with what preprocessors of a strategy may use.
func (c *strategyRunCmd) strategyEngine(ctx context.Context, a *app) (*turn.Engine, error) {
	engine, err := c.engine(ctx, a)
	if err != nil {
		return nil, err
	}
	engine.Preprocessors.Route = route.Preprocessor{Router: route.Router{Settings: route.Defaults()}}
	if len(c.Allow) > 0 {
		engine.Preprocessors.Open = builtin.OpenUnder(c.Allow...)
	}
	for _, dir := range c.Allow {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, &fault.Error{Code: fault.Usage, Subject: "--allow " + dir, Reason: "is not a folder", Err: errors.Join(err, fs.ErrInvalid)}
		}
	}
	return engine, nil
}

// notes prints the diagnostics of an execution on stderr.
func (c *strategyRunCmd) notes(a *app, out strategy.Execution) error {
	if c.Quiet {
		return nil
	}
	notes := slices.Clone(out.Diagnostics)
	for _, step := range out.Steps {
		notes = append(notes, step.Diagnostics...)
	}
	notes = slices.DeleteFunc(notes, func(d strategy.Diagnostic) bool { return d.Severity == "error" }) // the error itself says so
	return printDiagnostics(a.stderr, notes)
}

// failed prints what a strategy came to before it failed.
func (c *strategyRunCmd) failed(a *app, out strategy.Execution, err error) error {
	if c.Output == "json" {
		return errors.Join(err, &shown{writeJSON(a.stdout, executionJSON{Execution: out, Error: errorBody(err)})})
	}
	for _, step := range out.Steps {
		line := fmt.Sprintf("step %s: %s", step.Preprocessor, "done")
		if step.Failure != "" {
			line = fmt.Sprintf("step %s: %s", step.Preprocessor, step.Failure)
		}
		if _, e := fmt.Fprintln(a.stderr, line); e != nil {
			return errors.Join(err, e)
		}
	}
	return err
}

func (c *strategyRunCmd) print(w io.Writer, t *turn.Turn) error {
	text := t.Execution.Prompt
	switch c.Output {
	case "json":
		return writeJSON(w, executionJSON{Execution: *t.Execution, Citations: t.Citations(), Files: t.Result})
	case "system":
		if text = ""; t.Execution.SystemPrompt != nil {
			text = *t.Execution.SystemPrompt
		}
	}
	if isTerminal(w) && !strings.HasSuffix(string(text), "\n") {
		text += "\n"
	}
	_, err := io.WriteString(w, string(text))
	return err
}
