package turn

import (
	"context"
	"maps"
	"slices"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/llm"
	"inlay/parse"
)

// split moves bulk out of req's text into documents that are attached to it,
// before anything is decided over files (INT-7). It is nil where nothing is
// to be analyzed.
func (t *Turn) split(ctx context.Context, how string, req *injection.Request) (*intent.Result, error) {
	e := intent.Extractor{Logger: t.engine.Logger}
	switch how {
	case "":
		return nil, nil //nolint:nilnil // the message stays as it is
	case "builtin":
	case "model":
		analyzer, err := t.analyzer()
		if err != nil {
			return nil, err
		}
		e.Analyzer = analyzer
	default:
		return nil, wrong("intent", "off, builtin or model")
	}
	res, err := e.Extract(ctx, intent.Request{MessageID: intent.MessageID(req.Messages), Text: req.Text, Model: req.Model})
	if err != nil {
		return nil, err
	}
	t.engine.observe().Split(how, res)
	req.Text, req.Files = res.Text, append(slices.Clip(req.Files), filesOf(&res)...)
	if !res.Valid {
		req.Warnings = append(slices.Clip(req.Warnings), injection.Warning{Code: "intent_fallback", Message: res.Reason})
	}
	return &res, nil
}

// analyzer is the model's analyzer.
func (t *Turn) analyzer() (intent.Analyzer, error) {
	if t.engine.Analyzer != nil {
		return t.engine.Analyzer(t.req.Model)
	}
	g, ok := t.req.Model.(llm.Generator)
	if !ok {
		return nil, &fault.Error{Code: fault.Usage, Subject: "intent", Reason: "is model, and the model of this request cannot be asked", Next: "name a model that a server serves, or use builtin"}
	}
	return intent.Model{Generator: g}, nil
}

// filesOf are the documents of an analysis as files of the message.
func filesOf(r *intent.Result) []injection.File {
	if r == nil {
		return nil
	}
	out := make([]injection.File, len(r.Documents))
	for i, d := range r.Documents {
		out[i] = injection.File{Name: d.Name, MediaType: d.MimeType, Data: []byte(d.Content)}
	}
	return out
}

// keepSplit adds to a result the variables of its analysis, and to its message
// what a history needs to cut the documents again: the raw text and their
// places in it.
func keepSplit(r *intent.Result, res *injection.Result) {
	if r == nil {
		return
	}
	warnUnseen(r, res)
	maps.Copy(res.Variables, r.Variables())
	mark(r, &res.Message)
}

// warnUnseen says that nothing of what was moved reached the prompt.
func warnUnseen(r *intent.Result, res *injection.Result) {
	if len(r.Documents) == 0 || res.Strategy != injection.None || res.DryRun {
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

// mark notes in a message which of its attachments were cut from its raw text.
func mark(r *intent.Result, m *chat.Message) {
	if r == nil || r.Raw == r.Text {
		return
	}
	m.Raw = r.Raw
	for _, d := range r.Documents {
		id := parse.FileID([]byte(d.Content))
		for i := range m.Attachments {
			if a := &m.Attachments[i]; a.FileID == id && a.Name == d.Name && a.Path == "" {
				a.Label, a.Start, a.End = d.Label, d.Start, d.End
			}
		}
	}
}
