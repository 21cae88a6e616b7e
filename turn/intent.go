package turn

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/llm"
	"inlay/parse"
	"inlay/retrieve"
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
	if len(res.Documents) > 0 && (req.Options.Limit == 0 || req.Options.Limit == retrieve.DefaultLimit) {
		req.Options.Limit = movedLimit
	}
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
	maps.Copy(res.Variables, r.Variables())
	mark(r, &res.Message)
}

// movedLimit is how many passages of moved documents are injected at most,
// where nobody says how many: the user pasted them to be read.
const movedLimit = 20

// prefer decides between the moved documents and the raw message, over what
// injecting the documents came to.
func (t *Turn) prefer(ctx context.Context, req injection.Request, split intent.Result, res injection.Result, failed error) (injection.Result, *intent.Result, error) {
	fit, err := t.fit(ctx, req, split, res)
	if err != nil {
		return res, &split, err
	}
	choice := split.Prefer(fit)
	switch {
	case choice.Raw:
		raw := split.AsRaw(choice)
		req.Text, req.Files = split.Raw, req.Files[:len(req.Files)-len(split.Documents)]
		again, err := t.engine.Injector.Inject(ctx, req)
		if err == nil || failed != nil {
			keepSplit(&raw, &again)
			return again, &raw, err
		}
	case choice.Cover && failed == nil:
		req.Options.Cover = true
		if res, failed = t.engine.Injector.Inject(ctx, req); failed == nil {
			split.Decision, split.Reason = choice.Decision, choice.Reason
		}
	}
	if failed == nil {
		warnLeftOut(split, &res)
		keepSplit(&split, &res)
	}
	return res, &split, failed
}

// fit is what the choice between raw and moved needs to know.
func (t *Turn) fit(ctx context.Context, req injection.Request, split intent.Result, res injection.Result) (f intent.Fit, err error) {
	counter, err := req.Model.Counter(ctx)
	if err != nil {
		return f, err
	}
	length, err := req.Model.Length(ctx)
	if err != nil {
		return f, err
	}
	f.Raw = counter.Count(split.Raw).Budgeted()
	f.Room = length.N - req.Options.ReserveOutput - res.Decision.Window.InContext.Budgeted()
	moved := idsOf(split)
	whole := 0
	for _, r := range res.Files {
		switch {
		case moved[r.FileID] && r.Strategy == injection.InjectFull:
			whole++
		case !moved[r.FileID] && r.Strategy == injection.InjectFull && r.Tokens != nil && !r.InContext:
			f.Room -= r.Tokens.Budgeted()
		}
	}
	f.Whole = whole == len(moved)
	for _, c := range res.Citations {
		if moved[c.FileID] {
			f.Found++
		}
	}
	return f, nil
}

// idsOf are the ids of the moved documents.
func idsOf(split intent.Result) map[string]bool {
	ids := map[string]bool{}
	for _, d := range split.Documents {
		ids[parse.FileID([]byte(d.Content))] = true
	}
	return ids
}

// warnLeftOut names what of the moved documents is not in the prompt, with its
// share.
func warnLeftOut(split intent.Result, res *injection.Result) {
	whole, at, shown := map[string]bool{}, map[string]int{}, map[int][]intent.Range{}
	for _, r := range res.Files {
		whole[r.FileID] = r.Strategy == injection.InjectFull
	}
	for i, d := range split.Documents {
		id := parse.FileID([]byte(d.Content))
		at[id] = i
		if whole[id] {
			shown[i] = []intent.Range{{Start: 0, End: d.End - d.Start}}
		}
	}
	for _, c := range res.Citations {
		if i, ok := at[c.FileID]; ok && !whole[c.FileID] {
			shown[i] = append(shown[i], intent.Range{Start: c.Start, End: c.End})
		}
	}
	key := injection.Prefix + "warnings"
	for _, left := range split.Seen(shown) {
		message := fmt.Sprintf("%.0f %% of %s, which was moved out of the question, is not in the prompt", 100*left.Share, left.Name)
		res.Warnings = append(res.Warnings, injection.Warning{Code: "intent_left_out", File: left.Name, Message: message})
		if list, ok := res.Variables[key].([]any); ok {
			res.Variables[key] = append(list, message)
		}
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
