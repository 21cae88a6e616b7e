package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/internal/wire"
	"inlay/turn"
)

// askCmd is the main job: files and a question in; decision, citations,
// variables and prompt out.
type askCmd struct {
	settings
	File    []rawArg `short:"f" sep:"none" placeholder:"PATH[=MODE]" help:"File to attach; - is standard input. A mode may follow: big.pdf=retrieval."`
	History string   `placeholder:"FILE" help:"Conversation so far (inlay.history/v1); this turn is added to it, and it is made if it is not there."`
	NoSave  bool     `help:"Leave the history file as it is."`
	DryRun  bool     `help:"Decide, and embed nothing."`
	Exact   bool     `help:"Count every file to its end, whatever the decision needs."`
	Debug   bool     `help:"Add times and retrieval results to the result."`
	Content bool     `help:"With --debug: add the text of the documents."`
	Quiet   bool     `short:"q" help:"No statuses."`
	Output  string   `enum:"text,json,prompt" default:"text" help:"What to print: text, json or prompt."`

	Question []rawArg `arg:"" optional:"" help:"What you want to know; - reads it from standard input."`
}

// Run injects the files into the question.
func (c *askCmd) Run(ctx context.Context, a *app) error {
	options, err := c.options()
	if err != nil {
		return err
	}
	options.DryRun, options.ExactCounts, options.Debug, options.DebugContent = c.DryRun, c.Exact, c.Debug, c.Content
	question, err := c.question(ctx, a)
	if err != nil {
		return err
	}
	past, err := openHistory(c.History)
	if err != nil {
		return err
	}
	files, err := openEach(ctx, a, c.File)
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
		Past: past.said(a.limits), Text: question, Files: files, Model: model, Options: options, Intent: c.Intent,
		Report: view.show,
	})
	view.close()
	if err != nil {
		return err
	}
	if !c.DryRun && !c.NoSave && c.History != "" {
		if err := past.add(t.Said()...); err != nil {
			return err
		}
	}
	return c.print(a, *t.Result, t.Intent)
}

// engine makes the turns of a command.
func (s settings) engine(ctx context.Context, a *app) (*turn.Engine, error) {
	injector, err := s.injector(ctx, a)
	return &turn.Engine{Injector: injector, Analyzer: s.analyzer(a.getenv)}, err
}

// question is the words after the flags, or standard input.
func (c *askCmd) question(ctx context.Context, a *app) (string, error) {
	words := make([]string, len(c.Question))
	for i, w := range c.Question {
		words[i] = string(w)
	}
	text := strings.Join(words, " ")
	if text == "-" {
		for _, f := range c.File {
			if path, _ := splitMode(string(f)); path == "-" {
				return "", &fault.Error{Code: fault.Usage, Subject: "-", Reason: "standard input cannot be both a file and the question"}
			}
		}
		data, err := io.ReadAll(cancelable{ctx.Done(), a.stdin})
		if err != nil {
			return "", fmt.Errorf("read the question: %w", err)
		}
		text = strings.TrimSuffix(string(data), "\n")
	}
	if strings.TrimSpace(text) == "" {
		return "", &fault.Error{Code: fault.Usage, Subject: "question", Reason: "is empty", Next: `say what you want to know: inlay ask -f FILE "question"`}
	}
	return text, nil
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
