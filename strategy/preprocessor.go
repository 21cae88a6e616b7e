// Package strategy is the socket that preprocessors plug into: it runs them in
// declared order, merges their variables and renders prompts from them. It
// knows nothing of files.
package strategy

import (
	"context"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/strategy/source"
)

// Preprocessor prepares variables for the one strategy a user executes
// (STR-2). It may read the execution context and extract more; it cannot
// change tools, model, attachments or the answer: what it gets is its own copy.
//
// Process must return soon after ctx ends; one that does not is abandoned and
// its result is dropped. Errors of code preprocessor.context_missing (what it
// needs was not supplied) and preprocessor.permission_unavailable keep their
// code. An error that wraps fs.ErrPermission becomes permission_unavailable, a
// fault of code window_unknown becomes context_missing; every other error is
// reported as preprocessor.exception. Error texts must not hold document text,
// keys or values. It is safe for concurrent use.
type Preprocessor interface {
	Info() Info
	Process(ctx context.Context, x ExecutionContext) (Result, error)
}

// SettingsChecker is implemented by a preprocessor that can tell without
// running whether it takes its settings (options.preprocessors.{id}). A loader
// refuses the strategies that it refuses, and the engine asks it before it calls
// Process. The error is a fault.Error whose subject is the setting's path; it
// holds no values that are text.
type SettingsChecker interface {
	CheckSettings(settings map[string]any) error
}

// CheckSettings asks p whether it takes its settings. One that is no
// SettingsChecker takes any.
func CheckSettings(p Preprocessor, settings map[string]any) error {
	if c, ok := p.(SettingsChecker); ok {
		return c.CheckSettings(settings)
	}
	return nil
}

// NoSettings is CheckSettings for a preprocessor that has none: it refuses any.
func NoSettings(id string, settings map[string]any) error {
	names := sortedKeys(settings)
	if len(names) == 0 {
		return nil
	}
	return &fault.Error{Code: fault.Usage, Subject: "options.preprocessors." + id + "." + names[0], Reason: "is not an option here", Next: id + " has none"}
}

// Info describes a preprocessor.
type Info struct {
	ID           string        // stable: "files"
	DisplayName  string        // "Attached files"
	Description  string        // one sentence
	Permission   string        // what it may read, for the user: "Reads attached files"
	Timeout      time.Duration // 0 means 30 s
	ContainInput []string      // variables that already contain the user's input (STR-8)
}

// Limit is the timeout that applies when the strategy names none: Timeout, or
// [DefaultTimeout] where it is 0.
func (i Info) Limit() time.Duration {
	if i.Timeout > 0 {
		return i.Timeout
	}
	return DefaultTimeout
}

// ExecutionContext is what a preprocessor may read.
type ExecutionContext struct {
	Strategy    View            // the strategy that runs it
	StrategyID  string          // Strategy.ID
	Input       string          // the user's text, byte for byte
	Messages    []chat.Message  // the chat before the new message
	Attachments []Attachment    // of the new message and of earlier ones
	Model       llm.Measurer    // the model that will answer; may be nil
	Settings    map[string]any  // options.preprocessors.{id}
	Values      map[string]any  // attachments.*, clipboard.*, environment.*, extra.* by dotted path
	Progress    func(event any) // restarts the timeout; may be nil
	DryRun      bool            // decide and measure only: no prompt is rendered from the variables
}

// Attachment is a file handed to preprocessors: bytes, or a way to open them.
type Attachment struct {
	chat.Attachment
	New  bool                                      // hangs on the new message
	Size int64                                     // bytes, where known; conditions see it
	Open func(ctx context.Context) ([]byte, error) // reads the bytes
}

// Result is all a preprocessor may return in v1. Version and Patches leave room
// for what later versions may return; v1 refuses both with
// preprocessor.invalid_result.
type Result struct {
	Variables   map[string]any // dotted lower-case keys under "preprocess."; empty when there is nothing, never nil
	Diagnostics []Diagnostic
	Version     int            // 0 or 1
	Patches     map[string]any // "tools", "attachments", "model": not in v1
}

// Diagnostic says what happened, by names and never by values (STR-14).
type Diagnostic = source.Diagnostic
