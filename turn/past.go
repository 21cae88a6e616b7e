package turn

import (
	"context"
	"slices"
	"strings"

	"inlay/chat"
	"inlay/injection"
	"inlay/intent"
)

// takePast makes the past what the model will see, and collects its documents.
func (t *Turn) takePast(ctx context.Context) error {
	key := ""
	if slices.ContainsFunc(t.req.Past, func(one Said) bool { return one.Own }) {
		key = t.begin(ctx)
	}
	for i, one := range t.req.Past {
		m, files := one.Message, one.Files
		if key != "" {
			key = next(key, one)
		}
		if one.Own && m.Role == chat.User {
			again, moved, err := t.again(ctx, key, one)
			if err != nil {
				return err
			}
			m, files = again, slices.Concat(files, moved)
		}
		t.past = append(t.past, Message{m, i + 1})
		t.earlier = append(t.earlier, files...)
	}
	t.earlier = distinct(t.earlier)
	return nil
}

// again is a message as it was made when it was new: intent and files over the
// past before it. Where that fails now, the user's words stay alone, and the
// files are decided over with the new message.
func (t *Turn) again(ctx context.Context, key string, one Said) (chat.Message, []injection.File, error) {
	if len(one.Files)+len(t.earlier) == 0 && t.intentOf() == "" {
		return one.Message, nil, nil
	}
	return t.engine.Memo.get(key, func() (chat.Message, []injection.File, error) { return t.remake(ctx, one) })
}

func (t *Turn) remake(ctx context.Context, one Said) (chat.Message, []injection.File, error) {
	options := t.req.Options
	options.DryRun, options.Debug, options.DebugContent, options.Strict = false, false, false, false
	options.Continue, options.RetrieveOverflow = true, true
	req := injection.Request{
		Messages: t.history(), Text: one.Text, Files: one.Files, Earlier: distinct(t.earlier), Model: t.req.Model, Options: options,
	}
	how := t.intentOf()
	if how == "model" {
		how = "builtin" // a model may answer differently the second time
	}
	split, err := t.split(ctx, how, &req)
	if err != nil {
		return one.Message, nil, err
	}
	if strings.TrimSpace(req.Text) == "" || len(req.Files)+len(req.Earlier) == 0 {
		return one.Message, nil, nil
	}
	res, split, err := t.inject(ctx, req, split)
	if ctx.Err() != nil {
		return one.Message, nil, ctx.Err()
	}
	if err != nil {
		name := "a file of an earlier message"
		if len(one.Files) > 0 {
			name = one.Files[0].Name
		}
		t.req.Warnings = append(t.req.Warnings, injection.Warning{
			Code: "earlier_not_restored", File: name,
			Message: "What was injected into an earlier message could not be restored (" + name + "), so its files are decided over again.",
		})
		return one.Message, nil, nil
	}
	m := res.Message
	m.Attachments = append(m.Attachments, one.Attachments...)
	return m, filesOf(split), nil
}

// history is the past as files are decided beside it: the tools that are
// offered take room too.
func (t *Turn) history() []chat.Message {
	var out []chat.Message
	if len(t.Prompt.Tools) > 0 && t.req.ToolText != "" {
		out = append(out, chat.Message{Role: chat.System, Text: t.req.ToolText})
	}
	for _, m := range t.past {
		out = append(out, m.Message)
	}
	return out
}

// distinct keeps each file once, oldest first: of one id the first, of one path
// the newest.
func distinct(files []injection.File) []injection.File {
	newest := map[string]string{}
	for _, f := range files {
		if f.Path != "" {
			newest[f.Path] = idOf(f)
		}
	}
	seen := map[string]bool{}
	var out []injection.File
	for _, f := range files {
		id := idOf(f)
		if seen[id] || f.Path != "" && newest[f.Path] != id {
			continue
		}
		seen[id] = true
		f.Mode = injection.Auto // what was wished for it then does not hold now
		out = append(out, f)
	}
	return out
}

// intentOf is how the new message is analyzed: "", "builtin" or "model".
func (t *Turn) intentOf() string {
	if s := t.req.Strategy; s != nil && (t.req.Intent == "" || t.req.Intent == "off") && slices.Contains(s.Preprocessors, intent.ID) && len(s.Options.Preprocessors[intent.ID]) == 0 {
		return "builtin" // preprocessors only return variables: the host attaches (STR-17)
	}
	if t.req.Intent == "off" || t.req.Options.Mode == injection.ModeNone {
		return ""
	}
	return t.req.Intent
}
