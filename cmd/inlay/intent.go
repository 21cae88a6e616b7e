package main

import (
	"fmt"
	"io"
	"strings"

	"inlay/injection"
	"inlay/intent"
	"inlay/internal/plural"
	"inlay/internal/wire"
	"inlay/llm"
)

// analyzer is who splits a large question where --intent is model: the model
// that --model names.
func (s settings) analyzer(getenv func(string) string) func(llm.Measurer) (intent.Analyzer, error) {
	return func(llm.Measurer) (intent.Analyzer, error) {
		g, err := wire.OpenAnswerer(s.ModelSettings, getenv)
		return intent.Model{Generator: g}, err
	}
}

// askJSON is what ask prints as JSON.
type askJSON struct {
	injection.Result
	Intent *intent.Result `json:"intent,omitempty"`
	Answer *answered      `json:"answer,omitempty"`
}

// movedText lists the documents, a line each.
func movedText(s *intent.Result) string {
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
func printSplit(w io.Writer, s *intent.Result) error {
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
