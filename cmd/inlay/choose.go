package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"inlay/fault"
	"inlay/internal/inputs"
	"inlay/internal/wire"
	"inlay/llm/ollama"
)

// listPatience is how long a server may take to list its models.
const listPatience = 5 * time.Second

// mostListed is how many models an error names.
const mostListed = 20

// choose names a model where the settings name none: on a terminal the person
// does, among those of the server at --base-url, else of Ollama. Elsewhere the error
// lists them.
func (a *app) choose(ctx context.Context, s *wire.ModelSettings) error {
	if s.Model != "" {
		return nil
	}
	asked, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	names, err := wire.ListModels(asked, *s, a.getenv)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := &fault.Error{Code: fault.Usage, Subject: "--model", Reason: "is not given", Err: err}
	at := cmp.Or(wire.OllamaURL(s.BaseURL, a.getenv), ollama.DefaultURL)
	switch {
	case err != nil:
		e.Reason += ", and no server of models answers at " + at
		e.Next = "start Ollama and get a model with `ollama pull llama3.2`, or name one of another server: --model openai:NAME --base-url URL"
		if a.getenv(wire.KeyVariable) != "" {
			e.Next = "name a model, for example --model openai:gpt-4o, for which " + wire.KeyVariable + " is set"
		}
		return e
	case len(names) == 0:
		e.Reason += ", and the server at " + at + " has no models"
		e.Next = "get one, for example with `ollama pull llama3.2`"
		return e
	case !isTerminal(a.stdin) || !isTerminal(a.stderr):
		e.Next = "name one of those at " + at + ": " + strings.Join(names[:min(len(names), mostListed)], ", ")
		return e
	}
	s.Model, err = a.pick(ctx, at, names)
	return err
}

// pick lists the models and reads the number or the name of one.
func (a *app) pick(ctx context.Context, at string, names []string) (string, error) {
	_, _ = fmt.Fprintf(a.stderr, "Models at %s (--model names one without asking):\n", at)
	for i, name := range names {
		_, _ = fmt.Fprintf(a.stderr, "%3d  %s\n", i+1, printable(name))
	}
	for {
		_, _ = fmt.Fprintf(a.stderr, "Number or name [1]: ")
		line, err := readLine(inputs.Cancelable{Done: ctx.Done(), R: a.stdin})
		line = strings.TrimSpace(line)
		if ctx.Err() != nil || err != nil && line == "" {
			return "", &fault.Error{Code: fault.Canceled, Subject: "--model", Reason: "canceled", Err: cmp.Or(ctx.Err(), err)}
		}
		if line == "" {
			return names[0], nil
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(names) {
			return names[n-1], nil
		}
		for _, name := range names {
			if _, bare, _ := strings.Cut(name, ":"); line == name || line == bare {
				return name, nil
			}
		}
	}
}

// readLine reads one line and nothing behind it.
func readLine(r io.Reader) (string, error) {
	var line []byte
	for one := make([]byte, 1); ; {
		n, err := r.Read(one)
		if n > 0 && one[0] == '\n' {
			return string(line), nil
		}
		line = append(line, one[:n]...)
		if err != nil {
			return string(line), err
		}
	}
}
