package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"inlay/fault"
	"inlay/internal/inputs"
	"inlay/internal/wire"
	"inlay/llm"
	"inlay/turn"
)

// askCmd is the main job: files and a question in; decision, citations,
// variables and prompt out.
type askCmd struct {
	settings
	File     []rawArg `short:"f" sep:"none" placeholder:"PATH[=MODE]" help:"File, folder, web address or glob to attach; - is standard input. A mode may follow: big.pdf=retrieval."`
	History  string   `placeholder:"FILE" help:"Conversation so far (inlay.history/v1); this turn is added to it, and it is made if it is not there."`
	NoSave   bool     `help:"Leave the history file as it is."`
	DryRun   bool     `short:"n" help:"Decide, and embed nothing."`
	Answer   bool     `short:"a" xor:"answer" help:"Have the model of --model answer. Without it one does where standard output is a terminal."`
	NoAnswer bool     `xor:"answer" help:"Print the decision and the passages, and ask no model."`
	Exact    bool     `help:"Count every file to its end, whatever the decision needs."`
	Debug    bool     `help:"Add times and retrieval results to the result."`
	Content  bool     `help:"With --debug: add the text of the documents."`
	Quiet    bool     `short:"q" help:"No statuses."`
	Output   string   `short:"o" enum:"text,json,prompt" default:"text" help:"What to print: text, json or prompt."`

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
	answering, err := c.answers(a)
	if err == nil && answering {
		err = a.choose(ctx, &c.ModelSettings)
	}
	if err != nil {
		return err
	}
	model, answerer, err := c.model(a, answering)
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
	if left := attached.warnings(); len(left) > 0 {
		t.Result.Warnings = append(left, t.Result.Warnings...)
	}
	var said *answered
	if answering {
		if said, err = c.answer(ctx, a, t, answerer); err != nil {
			return err
		}
	}
	if !c.DryRun && !c.NoSave && c.History != "" {
		if err := past.add(t.Said()...); err != nil {
			return err
		}
	}
	return c.print(a, t, said)
}

// model is the one that the window is measured for, and that answers where one is
// to.
func (c *askCmd) model(a *app, answering bool) (llm.Measurer, wire.Answerer, error) {
	if answering {
		m, err := wire.OpenAnswerer(c.ModelSettings, a.getenv)
		return m, m, err
	}
	m, err := wire.OpenModel(c.ModelSettings, a.getenv)
	return m, nil, err
}

// engine makes the turns of a command.
func (s settings) engine(ctx context.Context, a *app) (*turn.Engine, error) {
	injector, err := s.injector(ctx, a)
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
func (c *askCmd) print(a *app, t *turn.Turn, said *answered) error {
	res := *t.Result
	switch {
	case c.Output == "json":
		return writeJSON(a.stdout, askJSON{res, t.Intent, said})
	case said != nil:
		return nil
	case c.Output == "prompt":
		var b strings.Builder
		printProblems(&b, res)
		_, err := io.WriteString(a.stderr, printable(strings.TrimPrefix(b.String(), "\n")))
		if err == nil {
			_, err = io.WriteString(a.stdout, ended(res.Prompt))
		}
		return err
	}
	if err := printSplit(a.stdout, t.Intent); err != nil {
		return err
	}
	if err := printResult(a.stdout, res); err != nil {
		return err
	}
	if next := c.nextStep(a, res); next != "" {
		_, err := fmt.Fprintln(a.stderr, fitted(a.stderr, "\nnext: "+next))
		return err
	}
	return nil
}

// ended is a text with a last newline.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
