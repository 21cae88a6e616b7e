package builtin

import (
	"context"
	"time"

	"inlay/fault"
	"inlay/strategy"
	"inlay/strategy/render"
)

// quick is the timeout of preprocessors that only copy what was supplied.
const quick = 5 * time.Second

// missing is the failure of a preprocessor whose context was not supplied.
func missing(id, what, path string) error {
	return &fault.Error{
		Code: fault.PreprocessorContextMissing, Subject: "preprocessor " + id, Reason: "there is no " + what,
		Next: "supply " + path + " with the context",
	}
}

// textAt reads a text that is there and not empty.
func textAt(values map[string]any, path string) (string, bool) {
	v, _ := render.Find(values, path)
	s, ok := v.(string)
	return s, ok && s != ""
}

// SelectedText exposes the text the user selected.
type SelectedText struct{}

// Info implements [strategy.Preprocessor].
func (SelectedText) Info() strategy.Info {
	return strategy.Info{
		ID: "selected-text", DisplayName: "Selected text", Description: "Takes the text that is selected in the program in front.",
		Permission: "Reads selected text", Timeout: quick,
	}
}

// CheckSettings implements [strategy.SettingsChecker]: there are none.
func (p SelectedText) CheckSettings(settings map[string]any) error {
	return strategy.NoSettings(p.Info().ID, settings)
}

// Process implements [strategy.Preprocessor].
func (p SelectedText) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	return copied(ctx, p.Info().ID, x, "selected text", "attachments.selection.text", "preprocess.selection.text")
}

// ClipboardText exposes the text on the clipboard.
type ClipboardText struct{}

// Info implements [strategy.Preprocessor].
func (ClipboardText) Info() strategy.Info {
	return strategy.Info{
		ID: "clipboard-text", DisplayName: "Clipboard text", Description: "Takes the text that is on the clipboard.",
		Permission: "Reads clipboard text", Timeout: quick,
	}
}

// CheckSettings implements [strategy.SettingsChecker]: there are none.
func (p ClipboardText) CheckSettings(settings map[string]any) error {
	return strategy.NoSettings(p.Info().ID, settings)
}

// Process implements [strategy.Preprocessor].
func (p ClipboardText) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	return copied(ctx, p.Info().ID, x, "text on the clipboard", "clipboard.text", "preprocess.clipboard.text")
}

func copied(ctx context.Context, id string, x strategy.ExecutionContext, what, from, to string) (strategy.Result, error) {
	if err := ctx.Err(); err != nil {
		return strategy.Result{}, err
	}
	text, ok := textAt(x.Values, from)
	if !ok {
		return strategy.Result{}, missing(id, what, from)
	}
	return strategy.Result{Variables: map[string]any{to: text}}, nil
}
