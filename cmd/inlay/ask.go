package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/internal/inputs"
	"inlay/internal/wire"
	"inlay/turn"
)

// askCmd is the main job: files and a question in; decision, citations,
// variables and prompt out.
type askCmd struct {
	settings
	File    []rawArg `short:"f" sep:"none" placeholder:"PATH[=MODE]" help:"File, folder, web address or glob to attach; - is standard input. A mode may follow: big.pdf=retrieval."`
	History string   `placeholder:"FILE" help:"Conversation so far (inlay.history/v1); this turn is added to it, and it is made if it is not there."`
	NoSave  bool     `help:"Leave the history file as it is."`
	DryRun  bool     `help:"Decide, and embed nothing."`
	Exact   bool     `help:"Count every file to its end, whatever the decision needs."`
	Debug   bool     `help:"Add times and retrieval results to the result."`
	Content bool     `help:"With --debug: add the text of the documents."`
	Quiet   bool     `short:"q" help:"No statuses."`
	Output  string   `enum:"text,json,prompt" default:"text" help:"What to print: text, json or prompt."`

	Question []rawArg `arg:"" optional:"" help:"What you want to know, and files to attach; - reads it from standard input. After -- nothing is a file."`
}

// Run injects the files into the question.
func (c *askCmd) Run(ctx context.Context, a *app) error {
	options, err := c.options()
	if err != nil {
		return err
	}
	options.DryRun, options.ExactCounts, options.Debug, options.DebugContent = c.DryRun, c.Exact, c.Debug, c.Content
	got, err := a.arguments(c.File, c.Question)
	if err != nil {
		return err
	}
	question, err := a.question(ctx, got)
	if err != nil {
		return err
	}
	past, err := openHistory(c.History)
	if err != nil {
		return err
	}
	attached, err := openEach(ctx, a, got.files)
	if err != nil {
		return err
	}
	model, err := wire.OpenModel(c.ModelSettings, a.getenv)
	if err != nil {
		return err
	}
	engine, err := c.engine(ctx, a)
	if err != nil {
		return err
	}
	view := newStatusView(a.stderr, c.Quiet)
	t, err := engine.Prepare(ctx, turn.Request{
		Past: past.said(a.limits), Text: question, Files: attached.files, Model: model, Options: options, Intent: c.Intent,
		Report: view.show,
	})
	view.close()
	if err != nil {
		return err
	}
	a.unread(got, c.Quiet)
	t.Result.Warnings = append(attached.warnings(), t.Result.Warnings...)
	if !c.DryRun && !c.NoSave && c.History != "" {
		if err := past.add(t.Said()...); err != nil {
			return err
		}
	}
	return c.print(a, *t.Result, t.Intent)
}

// engine makes the turns of a command.
func (s settings) engine(ctx context.Context, a *app) (*turn.Engine, error) {
	injector, err := openInjector(ctx, s.searchSettings, s.ModelSettings, a.getenv)
	return &turn.Engine{Injector: injector, Analyzer: s.analyzer(a.getenv)}, err
}

// question is the words among the arguments, or standard input.
func (a *app) question(ctx context.Context, got typed) (string, error) {
	text := got.question
	if text == inputs.Stdin {
		for _, f := range got.files {
			if path, _ := splitMode(string(f)); path == inputs.Stdin {
				return "", &fault.Error{Code: fault.Usage, Subject: "-", Reason: "standard input cannot be both a file and the question"}
			}
		}
		data, err := io.ReadAll(inputs.Cancelable{Done: ctx.Done(), R: a.stdin})
		if err != nil {
			return "", fmt.Errorf("read the question: %w", err)
		}
		text = strings.TrimSuffix(string(data), "\n")
	}
	if strings.TrimSpace(text) == "" {
		return "", &fault.Error{Code: fault.Usage, Subject: "question", Reason: "is empty", Next: a.askHow(got)}
	}
	return text, nil
}

// askHow is what to type where no question was.
func (a *app) askHow(got typed) string {
	switch {
	case a.taken != "":
		return fmt.Sprintf(`%q is a file and is attached; add what you want to know: inlay ask "question" %s`, a.taken, a.taken)
	case len(got.files) == 0 && a.piped():
		return `standard input is taken as a document: add what you want to know, ... | inlay ask "question"; inlay ask -f FILE - reads the question from it`
	}
	return `say what you want to know: inlay ask -f FILE "question"`
}

// print writes the result. Where that is the prompt alone, warnings and
// failures go to stderr: nothing is left out silently.
func (c *askCmd) print(a *app, res injection.Result, split *intent.Result) error {
	switch c.Output {
	case "json":
		return writeJSON(a.stdout, askJSON{res, split})
	case "prompt":
		var b strings.Builder
		printProblems(&b, res)
		_, err := io.WriteString(a.stderr, printable(strings.TrimPrefix(b.String(), "\n")))
		if err == nil {
			_, err = io.WriteString(a.stdout, res.Prompt)
		}
		return err
	default:
		if err := printSplit(a.stdout, split); err != nil {
			return err
		}
		return printResult(a.stdout, res)
	}
}
