package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/strategy"
	"inlay/turn"
)

// executionJSON is what strategy run prints as JSON: inlay.execution/v1, with
// the citations in its prompt and what became of the files.
type executionJSON struct {
	strategy.Execution
	Citations []chat.Citation   `json:"citations,omitempty"`
	Files     *injection.Result `json:"files_result,omitempty"`
	Error     map[string]any    `json:"error,omitempty"`
}

// strategyReplayCmd renders a kept turn again.
type strategyReplayCmd struct {
	Turn   int    `default:"0" placeholder:"N" help:"Which turn of a history, by its message from the user: 1 is the first; 0: the last that a strategy made."`
	Output string `short:"o" enum:"prompt,system,json" default:"prompt" help:"What to print: the prompt, the system prompt, or the whole execution as json."`
	File   string `arg:"" help:"A history (inlay.history/v1) or an execution (inlay.execution/v1)."`
}

// Run renders the turn from what was kept and prints it.
func (c *strategyReplayCmd) Run(a *app) error {
	data, err := os.ReadFile(c.File)
	if err != nil {
		return &fault.Error{Code: fault.CodeOf(err), Subject: c.File, Reason: "it cannot be read: " + reasonOf(err), Next: "name a history or an execution", Err: err}
	}
	x, err := c.replay(data)
	if err != nil {
		return err
	}
	text := x.Prompt
	switch c.Output {
	case "json":
		return x.Write(a.stdout)
	case "system":
		if text = ""; x.SystemPrompt != nil {
			text = *x.SystemPrompt
		}
	}
	_, err = io.WriteString(a.stdout, string(text))
	return err
}

func (c *strategyReplayCmd) replay(data []byte) (strategy.Execution, error) {
	var kind struct{ Schema string }
	if json.Unmarshal(data, &kind) == nil && kind.Schema == strategy.ExecutionSchema {
		x, err := strategy.ReadExecution(bytes.NewReader(data))
		if err != nil {
			return x, err
		}
		return strategy.Replay(x)
	}
	h, err := chat.ReadHistory(bytes.NewReader(data))
	if err != nil {
		return strategy.Execution{}, &fault.Error{
			Code: fault.Corrupt, Subject: c.File,
			Reason: "is neither inlay.history/v1 nor inlay.execution/v1: " + err.Error(),
			Next:   "name a file that --history or strategy run --output json wrote",
			Err:    err,
		}
	}
	said, err := c.chosen(h)
	if err != nil {
		return strategy.Execution{}, err
	}
	return turn.Replay(said)
}

// chosen is the message that the flag names.
func (c *strategyReplayCmd) chosen(h chat.History) (said []chat.Message, err error) {
	turns := 0
	for _, m := range h.Messages {
		if m.Role != chat.User {
			continue
		}
		turns++
		if turns == c.Turn || c.Turn == 0 && m.Execution != nil {
			said = []chat.Message{m}
		}
	}
	if said == nil && c.Turn != 0 {
		return nil, &fault.Error{Code: fault.Usage, Subject: "--turn", Reason: fmt.Sprintf("is %d, and the history has %d turns", c.Turn, turns), Next: "leave it out for the last that a strategy made"}
	}
	return said, nil
}
