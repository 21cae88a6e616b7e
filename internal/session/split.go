package session

import (
	"context"
	"maps"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/llm"
	"inlay/parse"
)

// Split is what became of a question whose bulk was moved into documents. A nil
// Split is a question that stays as it is.
type Split struct{ intent.Result }

// SplitQuestion moves bulk out of a question, before anything is decided over
// files (INT-7).
func SplitQuestion(ctx context.Context, e intent.Extractor, question string, past []chat.Message, model llm.Measurer) (*Split, error) {
	res, err := e.Extract(ctx, intent.Request{MessageID: intent.MessageID(past), Text: question, Model: model})
	if err != nil {
		return nil, err
	}
	return &Split{res}, nil
}

// Intent is the analysis; nil where there is none.
func (s *Split) Intent() *intent.Result {
	if s == nil {
		return nil
	}
	return &s.Result
}

// Question is the current prompt.
func (s *Split) Question(raw string) string {
	if s == nil {
		return raw
	}
	return s.Text
}

// Files are the documents as files of the message.
func (s *Split) Files() []injection.File {
	if s == nil {
		return nil
	}
	out := make([]injection.File, len(s.Documents))
	for i, d := range s.Documents {
		out[i] = injection.File{Name: d.Name, MediaType: d.MimeType, Data: []byte(d.Content)}
	}
	return out
}

// into puts the current prompt and the documents into what the injector is asked.
func (s *Split) into(req *injection.Request) {
	req.Text, req.Files, req.Warnings = s.Question(req.Text), append(req.Files, s.Files()...), append(req.Warnings, s.Warnings()...)
}

// Warnings says that an analysis could not be used.
func (s *Split) Warnings() []injection.Warning {
	if s == nil || s.Valid {
		return nil
	}
	return []injection.Warning{{Code: "intent_fallback", Message: s.Reason}}
}

// Keep adds the variables, and to the message what its history needs to cut the
// documents again: the raw text and their places in it.
func (s *Split) Keep(res *injection.Result) {
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
func (s *Split) warnUnseen(res *injection.Result) {
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

func (s *Split) mark(m *chat.Message) {
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

// moved are the attachments of a message that were cut from it.
func (s *Split) moved(m chat.Message) (list []chat.Attachment) {
	for _, a := range m.Attachments {
		if s != nil && a.Label != "" {
			list = append(list, a)
		}
	}
	return list
}

// Cut is the document that was cut from a message's raw text; ok is false for
// any other attachment.
func Cut(a chat.Attachment, raw string) (data []byte, ok bool) {
	if a.Label == "" || a.Start < 0 || a.Start >= a.End || a.End > len(raw) {
		return nil, false
	}
	return []byte(raw[a.Start:a.End]), true
}

// split is what a request's field intent, or else the server's setting, asks
// for. Where nothing may be done with files, the question stays whole.
func (s *Service) split(ctx context.Context, wish string, mode injection.Mode, question string, past []chat.Message, model llm.Measurer) (*Split, error) {
	if wish == "" {
		wish = s.config.Intent
	}
	if mode == injection.ModeNone && (wish == "builtin" || wish == "model") {
		return nil, nil //nolint:nilnil // the question stays
	}
	e := intent.Extractor{Logger: s.log}
	switch wish {
	case "", "off":
		return nil, nil //nolint:nilnil // the question stays
	case "builtin":
	case "model":
		g, ok := model.(llm.Generator)
		if !ok {
			return nil, &fault.Error{Code: fault.Usage, Subject: "intent", Reason: "is model, and no upstream serves the model of this request", Next: "name a model that GET /v1/models lists, or send builtin"}
		}
		e.Analyzer = intent.Model{Generator: g}
	default:
		return nil, wrong("intent", "off, builtin or model")
	}
	split, err := SplitQuestion(ctx, e, question, past, model)
	if err == nil {
		s.config.Observe.Split(wish, split.Result)
	}
	return split, err
}
