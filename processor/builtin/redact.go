package builtin

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"inlay/chat"
	"inlay/internal/plural"
	"inlay/internal/secrets"
	"inlay/processor"
)

// Redactor takes keys, passwords, bank account and card numbers and mail
// addresses out of texts. As a
// message modifier it sees what is in the messages at its place in the
// chain; as a response modifier it sees the answer's text.
type Redactor struct {
	Keep      []string `json:"keep"`      // of key, iban, card, mail: what is left alone
	Patterns  []string `json:"patterns"`  // further regular expressions
	Arguments bool     `json:"arguments"` // of tool calls, too; they stay JSON
}

func (p Redactor) check() (option, reason string) {
	for _, k := range p.Keep {
		if !slices.Contains(secrets.Kinds(), k) {
			return "keep", "names " + k + "; it must be one of " + strings.Join(secrets.Kinds(), ", ")
		}
	}
	for _, text := range p.Patterns {
		if _, err := regexp.Compile(text); err != nil {
			return "patterns", "has one that is not a regular expression"
		}
	}
	return "", ""
}

func (p Redactor) redact(text string) string {
	text = secrets.Redact(text, p.Keep...)
	for _, pattern := range p.Patterns {
		if re, err := regexp.Compile(pattern); err == nil {
			text = re.ReplaceAllString(text, "[redacted]")
		}
	}
	return text
}

// ModifyMessages implements the message modifier.
func (p Redactor) ModifyMessages(_ context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	out := processor.CloneMessages(v)
	n := 0
	for i := range out {
		var changed int
		out[i].Parts, changed = p.parts(out[i].Parts)
		n += changed + p.calls(out[i].ToolCalls)
	}
	p.note(t, n)
	return out, processor.Continue(), nil
}

// parts redacts the pieces of a message. What is only seen where pieces are
// side by side, {name}@example.org with a value in it, makes one piece of them,
// in which nothing is expanded any more.
func (p Redactor) parts(parts []processor.Part) (out []processor.Part, n int) {
	for len(parts) > 0 {
		end := 1
		for end < len(parts) && !parts[0].Block && !parts[end].Block {
			end++
		}
		var raw, redacted string
		run := slices.Clone(parts[:end])
		for i, q := range run {
			raw += q.Text
			run[i].Text = p.redact(q.Text)
			redacted += run[i].Text
		}
		whole := p.redact(raw)
		if whole != redacted {
			run = []processor.Part{{Text: whole, Origin: processor.FromHistory}}
		}
		if whole != raw {
			n++
		}
		out, parts = append(out, run...), parts[end:]
	}
	return out, n
}

// ModifyResponse implements the response modifier.
func (p Redactor) ModifyResponse(_ context.Context, t *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
	n := 0
	if text := p.redact(r.Text); text != r.Text {
		r.Text = text
		n++
	}
	r.ToolCalls = slices.Clone(r.ToolCalls)
	n += p.calls(r.ToolCalls)
	p.note(t, n)
	return r, processor.Continue(), nil
}

func (p Redactor) note(t *processor.Turn, n int) {
	if n > 0 {
		t.Note("redacted", plural.Of(n, "text")+" held keys, mail addresses, card or account numbers.")
	}
}

// calls redacts the arguments of tool calls in place, and leaves them JSON.
func (p Redactor) calls(calls []chat.ToolCall) (n int) {
	if !p.Arguments {
		return 0
	}
	for i, c := range calls {
		args, ok := arguments(c.Arguments)
		text := p.redact(c.Arguments) // no JSON: refused later, and not to be shown before
		if data, err := json.Marshal(p.value("", args)); ok && err == nil {
			text = string(data)
		}
		if ok && text == canonical(c.Arguments) || text == c.Arguments {
			continue
		}
		calls[i].Arguments = text
		n++
	}
	return n
}

// value redacts the texts and numbers of a JSON value; name is what it is under.
func (p Redactor) value(name string, v any) any {
	switch v := v.(type) {
	case string:
		if text := p.redact(v); text != v {
			return text
		}
		if before := name + ": "; p.redact(before+v) != before+v {
			return "[redacted:key]"
		}
	case json.Number:
		if text, ok := p.value(name, v.String()).(string); ok && text != v.String() {
			return text
		}
	case []any:
		for i := range v {
			v[i] = p.value(name, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = p.value(k, v[k])
		}
	}
	return v
}
