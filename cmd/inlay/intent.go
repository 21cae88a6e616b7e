package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"

	"inlay/chat"
	"inlay/injection"
	"inlay/intent"
	"inlay/llm"
	"inlay/parse"
)

// split is what --intent made of a question; nil where it is off.
type split struct{ intent.Result }

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
func (s settings) split(ctx context.Context, a *app, question string, past []chat.Message, model llm.Measurer) (*split, error) {
	if s.Intent == "" || s.Intent == "off" || s.Mode == string(injection.ModeNone) {
		return nil, nil
	}
	e, err := s.extractor(a.getenv)
	if err != nil {
		return nil, err
	}
	res, err := e.Extract(ctx, intent.Request{MessageID: intent.MessageID(past), Text: question, Model: model})
	if err != nil {
		return nil, err
	}
	return &split{res}, nil
}

// question is the current prompt.
func (s *split) question(raw string) string {
	if s == nil {
		return raw
	}
	return s.Text
}

// files are the documents as files of the message.
func (s *split) files() []injection.File {
	if s == nil {
		return nil
	}
	out := make([]injection.File, len(s.Documents))
	for i, d := range s.Documents {
		out[i] = injection.File{Name: d.Name, MediaType: d.MimeType, Data: []byte(d.Content)}
	}
	return out
}

// warnings says that an analysis could not be used.
func (s *split) warnings() []injection.Warning {
	if s == nil || s.Valid {
		return nil
	}
	return []injection.Warning{{Code: "intent_fallback", Message: s.Reason}}
}

// keep adds the variables, and to the message what its history needs to cut the
// documents again: the raw text and their places in it.
func (s *split) keep(res *injection.Result) {
	if s == nil {
		return
	}
	s.warnUnseen(res)
	maps.Copy(res.Variables, s.Variables())
	if s.Raw != s.Text {
		s.mark(&res.Message)
	}
}

// warnUnseen says that nothing of what was moved reached the prompt.
func (s *split) warnUnseen(res *injection.Result) {
	if len(s.Documents) == 0 || res.Strategy != injection.None || res.DryRun {
		return
	}
	message := "what was moved out of the question is not in the prompt, as no passage of it passed the threshold " +
		"(lower --threshold, or keep it in the question with --intent off)"
	res.Warnings = append(res.Warnings, injection.Warning{Code: "intent_unseen", Message: message})
	key := injection.Prefix + "warnings"
	if list, ok := res.Variables[key].([]any); ok {
		res.Variables[key] = append(list, message)
	}
}

func (s *split) mark(m *chat.Message) {
	m.Raw = s.Raw
	for _, d := range s.Documents {
		id := parse.FileID([]byte(d.Content))
		for i := range m.Attachments {
			if a := &m.Attachments[i]; a.FileID == id && a.Name == d.Name && a.Path == "" {
				a.Label, a.Start, a.End = d.Label, d.Start, d.End
			}
		}
	}
}

// result is for JSON; nil where there is none.
func (s *split) result() *intent.Result {
	if s == nil {
		return nil
	}
	return &s.Result
}

// askJSON is what ask prints as JSON.
type askJSON struct {
	injection.Result
	Intent *intent.Result `json:"intent,omitempty"`
}

// moved lists the documents, a line each.
func (s *split) moved() string {
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
			1+strings.Count(s.Raw[:d.Start], "\n"), 1+strings.Count(s.Raw[:d.End], "\n"), plural(len(d.Content), "byte"))
	}
	return b.String()
}

// print shows what became of the question.
func (s *split) print(w io.Writer) error {
	if s == nil {
		return nil
	}
	text := fmt.Sprintf("intent     %s\n%s", s.Reason, s.moved())
	if len(s.Documents) > 0 {
		text += "asked      " + strings.Join(strings.Fields(s.Text), " ") + "\n"
	}
	if s.Language != "" {
		text += "language   " + s.Language + "\n"
	}
	_, err := io.WriteString(w, printable(text))
	return err
}
