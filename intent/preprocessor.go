package intent

import (
	"context"
	"fmt"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/strategy"
)

// ID is the id under which strategies name this preprocessor.
const ID = "intent"

// Prefix is the namespace of this preprocessor's variables.
const Prefix = "preprocess.intent."

// Preprocessor is an [Extractor] as strategies see it. It returns variables
// only; attaching the documents to the message is the caller's part (STR-17),
// who runs the extraction before the strategy and hands the result in as Known.
type Preprocessor struct {
	Extractor Extractor
	Known     *Result // of the message under way; nil: it is extracted here
}

var _ strategy.Preprocessor = Preprocessor{}

// Info describes the preprocessor.
func (Preprocessor) Info() strategy.Info {
	return strategy.Info{
		ID:           ID,
		DisplayName:  "Intent and context documents",
		Description:  "Splits a large message into what is wanted and the bulk that was pasted beside it.",
		Permission:   "Reads your message",
		Timeout:      2 * time.Minute,
		ContainInput: []string{Prefix + "raw", Prefix + "text"},
	}
}

// CheckSettings implements strategy.SettingsChecker: there are none.
func (Preprocessor) CheckSettings(settings map[string]any) error {
	return strategy.NoSettings(ID, settings)
}

// Process returns preprocess.intent.text, .language, .documents and .raw.
func (p Preprocessor) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	if err := ctx.Err(); err != nil {
		return strategy.Result{}, err
	}
	if err := p.CheckSettings(x.Settings); err != nil {
		return strategy.Result{}, err
	}
	if p.Known != nil {
		return p.Known.strategyResult(), nil
	}
	if x.Model == nil {
		return strategy.Result{}, &fault.Error{Code: fault.PreprocessorContextMissing, Subject: "preprocessor intent", Reason: "there is no model", Next: "supply the model that will answer"}
	}
	res, err := p.Extractor.Extract(ctx, Request{MessageID: MessageID(x.Messages), Text: x.Input, Model: x.Model})
	if err != nil {
		return strategy.Result{}, err
	}
	return res.strategyResult(), nil
}

// MessageID names the message that follows a history: "message_3".
func MessageID(history []chat.Message) string { return fmt.Sprintf("message_%d", len(history)+1) }

func (r Result) strategyResult() strategy.Result {
	out := strategy.Result{Variables: r.Variables()}
	if !r.Valid {
		out.Diagnostics = []strategy.Diagnostic{{Code: "intent.fallback", Severity: "warning", Message: r.Reason}}
	}
	return out
}

// Variables are the result as flat dotted keys (INT-5). documents is a list of
// maps with name, title, mime_type, label, doc_list, start and end; the content
// is raw[start:end], and left out so that the list can be in a prompt.
func (r Result) Variables() map[string]any {
	list := []any{}
	for _, d := range r.Documents {
		list = append(list, map[string]any{
			"name": d.Name, "title": d.Title, "mime_type": d.MimeType, "label": d.Label, "doc_list": r.DocList,
			"start": d.Start, "end": d.End,
		})
	}
	return map[string]any{Prefix + "text": r.Text, Prefix + "language": r.Language, Prefix + "documents": list, Prefix + "raw": r.Raw}
}
