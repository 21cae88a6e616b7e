package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"inlay/fault"
	"inlay/injection"
	"inlay/internal/wire"
	"inlay/llm"
	"inlay/turn"
)

// answered is what a model said at the end of ask.
type answered struct {
	Text   string `json:"text"`
	Finish string `json:"finish,omitempty"`
}

// stream prints the words of a model as they come, and returns them with why they
// ended.
func (a *app) stream(ctx context.Context, w io.Writer, made *turn.Turn, model wire.Answerer, most int) (said answered, err error) {
	var text strings.Builder
	w = wrapping(w)
	for d, err := range made.Ask(ctx, model, llm.Request{MaxTokens: most}) {
		if err != nil {
			_, e := io.WriteString(w, "\n")
			return answered{Text: text.String()}, errors.Join(err, e)
		}
		text.WriteString(d.Text)
		if _, err := io.WriteString(w, printable(d.Text)); err != nil {
			return answered{Text: text.String()}, err
		}
		if d.Done != "" {
			said.Finish = d.Done
		}
	}
	said.Text = text.String()
	if _, err = io.WriteString(w, "\n"); err == nil && said.Finish == "length" {
		_, err = fmt.Fprintln(a.stderr, "The answer stops here: the window or the reserved room is full.")
	}
	return said, err
}

// tell says what a person should know before an answer.
func (a *app) tell(made *turn.Turn) {
	if moved := movedText(made.Intent); moved != "" {
		_, _ = io.WriteString(a.stderr, moved)
	}
	for _, w := range made.Result.Warnings {
		_, _ = fmt.Fprintln(a.stderr, "warning:", printable(w.Message))
	}
	for _, f := range made.Result.Failures {
		_, _ = fmt.Fprintln(a.stderr, "left out:", printable(f.File+": "+f.Reason))
	}
}

// answers reports whether a model is asked at the end: with --answer, or where one
// is configured and a person reads what it says.
func (c *askCmd) answers(a *app) (bool, error) {
	provider, _ := llm.SplitModel(c.Model)
	can := provider == "ollama" || wire.IsOpenAI(provider)
	switch {
	case c.Answer && (c.DryRun || c.Output == "prompt"):
		return false, &fault.Error{Code: fault.Usage, Subject: "--answer", Reason: "asks a model, which --dry-run and --output prompt do not", Next: "leave one of them out"}
	case c.Answer:
		return true, nil
	}
	return can && !c.NoAnswer && !c.DryRun && c.Output == "text" && isTerminal(a.stdout), nil
}

// answer has the model answer and prints what it says: on a terminal with its
// sources, elsewhere alone, as JSON within the result.
func (c *askCmd) answer(ctx context.Context, a *app, made *turn.Turn, model wire.Answerer) (*answered, error) {
	out := a.stdout
	if c.Output == "json" {
		out = io.Discard
	} else {
		a.tell(made)
	}
	said, err := a.stream(ctx, out, made, model, c.ReserveOutput)
	if err != nil {
		return nil, err
	}
	if c.Output != "json" && isTerminal(a.stdout) {
		if list := sources(made, said.Text); list != "" {
			_, err = io.WriteString(a.stdout, "\n"+fitted(a.stdout, list))
		}
	}
	return &said, err
}

// nextStep is what a person can do with a result that no model has answered;
// empty: nothing fits.
func (c *askCmd) nextStep(a *app, r injection.Result) string {
	provider, name := llm.SplitModel(c.Model)
	_, missing := exec.LookPath("ollama")
	switch {
	case c.DryRun || c.NoAnswer || c.Output != "text" || c.Quiet || !isTerminal(a.stdout) || provider != "":
		return ""
	case len(r.Files)+len(r.Failures) == 0:
		return "attach files with -f FILE, or name them after the question"
	case name != "":
		return name + " is measured and does not answer; --model openai:" + name + " has it answer, --output prompt prints the prompt"
	case a.getenv(wire.KeyVariable) != "":
		return "--model openai:NAME has a model answer; --output prompt prints the prompt"
	case missing == nil || a.getenv("OLLAMA_HOST") != "":
		return "inlay chat lists the models that can answer; --output prompt prints the prompt"
	}
	return "--output prompt prints the prompt, to be piped to a model; with Ollama installed, ollama pull llama3.2 and then --model ollama:llama3.2"
}
