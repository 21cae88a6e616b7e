package builtin

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"inlay/internal/lazy"

	"inlay/chat"
	"inlay/internal/plural"
	"inlay/processor"
)

// Redactor takes keys, mail addresses and card numbers out of texts. As a
// message modifier it sees what stands in the messages at its place in the
// chain; as a response modifier it sees the answer's text.
type Redactor struct {
	Keep      []string `json:"keep"`      // of key, mail, card: what is left alone
	Patterns  []string `json:"patterns"`  // further regular expressions
	Arguments bool     `json:"arguments"` // of tool calls, too; they stay JSON
}

func (p Redactor) check() (option, reason string) {
	for _, k := range p.Keep {
		if !slices.Contains([]string{"key", "mail", "card"}, k) {
			return "keep", "names " + k + ", which is none of key, mail and card"
		}
	}
	for _, text := range p.Patterns {
		if _, err := regexp.Compile(text); err != nil {
			return "patterns", "has one that is no regular expression"
		}
	}
	return "", ""
}

// What is looked for. Keys are known by the prefixes that their issuers give
// them, or by what stands before them.
var (
	keyPattern = lazy.Regexp(`\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9]{16,}\b` +
		`|\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bgithub_pat_[A-Za-z0-9_]{30,}\b|\bglpat-[A-Za-z0-9_-]{20,}` +
		`|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{35}|\bxox[abeoprs]-[A-Za-z0-9-]{10,}` +
		`|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s:,-]*?-----END [A-Z ]*PRIVATE KEY-----`)
	namedKeyPattern = lazy.Regexp(`(?i)\b((?:api[-_ ]?key|access[-_ ]?key|secret(?:[-_ ]?key)?|auth[-_ ]?token|token|passw(?:or)?d|authorization)["']?\s*(?:[:=]|=>)\s*(?:bearer\s+)?["']?)([A-Za-z0-9_\-./+=~]{8,})`)
	mailPattern     = lazy.Regexp(`\b[A-Za-z0-9._%+-]+@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\.[A-Za-z]{2,}\b`)
	cardPattern     = lazy.Regexp(`\b[0-9](?:[ -]?[0-9]){12,18}\b`)
)

func (p Redactor) redact(text string) string {
	if !slices.Contains(p.Keep, "key") {
		text = keyPattern().ReplaceAllString(text, "[redacted:key]")
		text = namedKeyPattern().ReplaceAllStringFunc(text, func(s string) string {
			m := namedKeyPattern().FindStringSubmatch(s)
			return m[1] + "[redacted:key]"
		})
	}
	if !slices.Contains(p.Keep, "mail") {
		text = mailPattern().ReplaceAllString(text, "[redacted:mail]")
	}
	if !slices.Contains(p.Keep, "card") {
		text = cardPattern().ReplaceAllStringFunc(text, func(s string) string {
			if isCard(s) {
				return "[redacted:card]"
			}
			return s
		})
	}
	for _, pattern := range p.Patterns {
		if re, err := regexp.Compile(pattern); err == nil {
			text = re.ReplaceAllString(text, "[redacted]")
		}
	}
	return text
}

// isCard reports whether the digits of s are a card number: 13 to 19 of them,
// beginning as the networks' do, with the check digit of ISO/IEC 7812 (Luhn).
func isCard(s string) bool {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(s)
	if len(digits) < 13 || len(digits) > 19 || !strings.ContainsAny(digits[:1], "23456") || strings.Count(digits, digits[:1]) == len(digits) {
		return false
	}
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
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

// parts redacts the pieces of a message. What is only seen where pieces stand
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
		t.Note("redacted", plural.Of(n, "text")+" held keys, mail addresses or card numbers.")
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

// value redacts the texts and numbers of a JSON value; name is what it stands under.
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
