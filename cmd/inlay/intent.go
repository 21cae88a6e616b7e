package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"inlay/chat"
	"inlay/injection"
	"inlay/intent"
	"inlay/internal/plural"
	"inlay/internal/session"
	"inlay/llm"
)

// extractor is the analyzer in force.
func (s settings) extractor(getenv func(string) string) (intent.Extractor, error) {
	if s.Intent != "model" {
		return intent.Extractor{}, nil
	}
	g, err := openAnswerer(s.modelSettings, getenv)
	return intent.Extractor{Analyzer: intent.Model{Generator: g}}, err
}

// split moves bulk out of a question, before anything is decided over files
// (INT-7). With --mode none nothing could be done with the documents, so the
// question stays whole.
func (s settings) split(ctx context.Context, a *app, question string, past []chat.Message, model llm.Measurer) (*session.Split, error) {
	if s.Intent == "" || s.Intent == "off" || s.Mode == string(injection.ModeNone) {
		return nil, nil
	}
	e, err := s.extractor(a.getenv)
	if err != nil {
		return nil, err
	}
	return session.SplitQuestion(ctx, e, question, past, model)
}

// askJSON is what ask prints as JSON.
type askJSON struct {
	injection.Result
	Intent *intent.Result `json:"intent,omitempty"`
}

// movedText lists the documents, a line each.
func movedText(s *session.Split) string {
	if s == nil {
		return ""
	}
	var b strings.Builder
	for _, d := range s.Documents {
		kind := ""
		if d.Kind != "" {
			kind = string(d.Kind) + ", "
		}
		fmt.Fprintf(&b, "moved      %s, %slines %d-%d of the question, %s\n", oneLine(d.Name), kind,
			1+strings.Count(s.Raw[:d.Start], "\n"), 1+strings.Count(s.Raw[:d.End], "\n"), plural.Of(len(d.Content), "byte"))
	}
	return b.String()
}

// printSplit shows what became of the question.
func printSplit(w io.Writer, s *session.Split) error {
	if s == nil {
		return nil
	}
	if !s.Valid {
		return nil // a warning of the result says why
	}
	text := fmt.Sprintf("intent     %s\n%s", s.Reason, movedText(s))
	if len(s.Documents) > 0 {
		text += "asked      " + strings.Join(strings.Fields(s.Text), " ") + "\n"
	}
	if s.Language != "" {
		text += "language   " + s.Language + "\n"
	}
	_, err := io.WriteString(w, printable(text))
	return err
}
