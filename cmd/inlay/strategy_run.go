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
	"inlay/injection"
	"inlay/intent"
	"inlay/internal/session"
	"inlay/llm"
	"inlay/route"
	"inlay/strategy"
	"inlay/strategy/builtin"
)

// strategyRunCmd executes one strategy.
type strategyRunCmd struct {
	settings
	strategySettings
	contextFlags
	History string   `placeholder:"FILE" help:"Conversation so far (inlay.history/v1); it is read, not changed."`
	Input   string   `placeholder:"TEXT" help:"What you want besides; - reads it from standard input."`
	Allow   []string `placeholder:"DIR" sep:"none" help:"Folder whose files file-manager-selection may read."`
	DryRun  bool     `help:"Decide over the files, and embed nothing."`
	Exact   bool     `help:"Count every file to its end, whatever the decision needs."`
	Keep    bool     `help:"Leave placeholders without a value in the prompt."`
	Quiet   bool     `short:"q" help:"No statuses."`
	Output  string   `enum:"prompt,system,json" default:"prompt" help:"What to print: the prompt, the system prompt, or the whole execution as json."`
	Name    string   `arg:"" help:"Strategy file or id."`
}

// Run executes the strategy and prints what it made.
func (c *strategyRunCmd) Run(ctx context.Context, a *app) error {
	x, modes, err := c.execution(ctx, a)
	if err != nil {
		return err
	}
	names, err := session.KnownPreprocessors()
	if err != nil {
		return err
	}
	s, err := c.find(ctx, a, c.Name, names)
	if err != nil {
		return err
	}
	model, notice, err := openModel(c.modelSettings, a.getenv)
	if err != nil {
		return err
	}
	known, err := c.splitInput(ctx, a, s, &x, model)
	if err != nil {
		return err
	}
	registry, err := c.registry(ctx, a, modes, known)
	if err != nil {
		return err
	}
	view := newStatusView(a.stderr, c.Quiet)
	if notice != "" && len(x.Attachments) > 0 {
		view.note(notice)
	}
	x.Model = model
	x.Progress = func(event any) {
		if status, ok := event.(injection.Status); ok {
			view.show(status)
		}
	}
	engine := &strategy.Engine{Registry: registry, KeepMissing: c.Keep}
	out, err := engine.Execute(ctx, s, x)
	view.close()
	if e := c.notes(a, out); e != nil {
		return errors.Join(err, e)
	}
	if err != nil {
		return err
	}
	return c.print(a.stdout, out)
}

// execution gathers what the strategy works on.
func (c *strategyRunCmd) execution(ctx context.Context, a *app) (x strategy.ExecutionContext, modes map[string]injection.Mode, err error) {
	if x.Input, err = c.input(a); err != nil {
		return x, nil, err
	}
	past, err := openHistory(c.History)
	if err != nil {
		return x, nil, err
	}
	files, images, err := openFiles(ctx, a, c.File)
	if err != nil {
		return x, nil, err
	}
	if x.Values, err = c.values(a, c.Model); err != nil {
		return x, nil, err
	}
	x.Messages = past.Messages
	x.Attachments, modes = session.Attached(files, images, past.files(a.limits))
	for i, one := range x.Attachments {
		if one.Open == nil {
			x.Attachments[i].Open = opener(one.Attachment, "", a.limits) // an image
		}
	}
	return x, modes, nil
}

func (c *strategyRunCmd) input(a *app) (string, error) {
	if c.Input != "-" {
		return c.Input, nil
	}
	if slices.ContainsFunc(c.File, func(f string) bool { path, _ := splitMode(f); return path == "-" }) {
		return "", &fault.Error{Code: fault.Usage, Subject: "-", Reason: "standard input cannot be both a file and the input"}
	}
	data, err := io.ReadAll(a.stdin)
	if err != nil {
		return "", fmt.Errorf("read the input: %w", err)
	}
	return strings.TrimSuffix(string(data), "\n"), nil
}

// splitInput moves bulk out of the input where --intent or the strategy asks for
// it, and attaches the documents: preprocessors only return variables.
func (c *strategyRunCmd) splitInput(ctx context.Context, a *app, s *strategy.Strategy, x *strategy.ExecutionContext, model llm.Measurer) (*intent.Result, error) {
	how := c.settings
	if how.Intent == "off" && slices.Contains(s.Preprocessors, intent.ID) {
		how.Intent = "builtin"
	}
	split, err := how.split(ctx, a, x.Input, x.Messages, model)
	if split == nil || err != nil {
		return nil, err
	}
	list, _ := session.Attached(split.Files(), nil, nil)
	x.Input, x.Attachments = split.Question(x.Input), slices.Concat(x.Attachments, list)
	return split.Intent(), nil
}

func (c *strategyRunCmd) registry(ctx context.Context, a *app, modes map[string]injection.Mode, known *intent.Result) (*strategy.Registry, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	options.DryRun, options.ExactCounts = c.DryRun, c.Exact
	injector, err := openInjector(ctx, c.searchSettings, c.modelSettings, a.getenv)
	if err != nil {
		return nil, err
	}
	o := builtin.Options{
		Injector: injector, Defaults: options, Modes: modes, Intent: intent.Preprocessor{Known: known},
		Route: route.Preprocessor{Router: route.Router{Settings: route.Defaults()}},
	}
	if len(c.Allow) > 0 {
		o.Open = builtin.OpenUnder(c.Allow...)
	}
	for _, dir := range c.Allow {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, &fault.Error{Code: fault.Usage, Subject: "--allow " + dir, Reason: "is no folder", Err: errors.Join(err, fs.ErrInvalid)}
		}
	}
	return strategy.NewRegistry(builtin.Preprocessors(o)...)
}

// notes prints the diagnostics of an execution on stderr.
func (c *strategyRunCmd) notes(a *app, out strategy.Execution) error {
	if c.Quiet {
		return nil
	}
	for _, step := range out.Steps {
		if err := printDiagnostics(a.stderr, step.Diagnostics); err != nil {
			return err
		}
	}
	return printDiagnostics(a.stderr, out.Diagnostics)
}

func (c *strategyRunCmd) print(w io.Writer, out strategy.Execution) error {
	text := out.Prompt
	switch c.Output {
	case "json":
		return out.Write(w)
	case "system":
		if text = ""; out.SystemPrompt != nil {
			text = *out.SystemPrompt
		}
	}
	_, err := io.WriteString(w, string(text))
	return err
}
