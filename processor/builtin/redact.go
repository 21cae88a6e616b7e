package builtin

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"inlay/internal/plural"
	"inlay/processor"
)

// Redactor takes keys, mail addresses and card numbers out of texts. As a
// message modifier it sees what stands in the messages at its place in the
// chain; as a response modifier it sees the answer's text.
type Redactor struct {
	Keep      []string `json:"keep"`      // of key, mail, card: what is left alone
	Patterns  []string `json:"patterns"`  // further regular expressions
	Arguments bool     `json:"arguments"` // of tool calls, too
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
	keyPattern = regexp.MustCompile(`\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9]{16,}\b` +
		`|\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bgithub_pat_[A-Za-z0-9_]{30,}\b|\bglpat-[A-Za-z0-9_-]{20,}` +
		`|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{35}|\bxox[abeoprs]-[A-Za-z0-9-]{10,}` +
		`|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s:,-]*?-----END [A-Z ]*PRIVATE KEY-----`)
	namedKeyPattern = regexp.MustCompile(`(?i)\b((?:api[-_ ]?key|access[-_ ]?key|secret(?:[-_ ]?key)?|auth[-_ ]?token|token|passw(?:or)?d|authorization)["']?\s*(?:[:=]|=>)\s*(?:bearer\s+)?["']?)([A-Za-z0-9_\-./+=~]{8,})`)
	mailPattern     = regexp.MustCompile(`\b[A-Za-z0-9._%+-]+@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\.[A-Za-z]{2,}\b`)
	cardPattern     = regexp.MustCompile(`\b[0-9](?:[ -]?[0-9]){12,18}\b`)
)

func (p Redactor) redact(text string) string {
	if !slices.Contains(p.Keep, "key") {
		text = keyPattern.ReplaceAllString(text, "[redacted:key]")
		text = namedKeyPattern.ReplaceAllStringFunc(text, func(s string) string {
			m := namedKeyPattern.FindStringSubmatch(s)
			return m[1] + "[redacted:key]"
		})
	}
	if !slices.Contains(p.Keep, "mail") {
		text = mailPattern.ReplaceAllString(text, "[redacted:mail]")
	}
	if !slices.Contains(p.Keep, "card") {
		text = cardPattern.ReplaceAllStringFunc(text, func(s string) string {
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
		for j, part := range out[i].Parts {
			if text := p.redact(part.Text); text != part.Text {
				out[i].Parts[j].Text = text
				n++
			}
		}
	}
	p.note(t, n)
	return out, processor.Continue(), nil
}

// ModifyResponse implements the response modifier.
func (p Redactor) ModifyResponse(_ context.Context, t *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
	n := 0
	if text := p.redact(r.Text); text != r.Text {
		r.Text = text
		n++
	}
	if p.Arguments {
		r.ToolCalls = slices.Clone(r.ToolCalls)
		for i, c := range r.ToolCalls {
			if text := p.redact(c.Arguments); text != c.Arguments {
				r.ToolCalls[i].Arguments = text
				n++
			}
		}
	}
	p.note(t, n)
	return r, processor.Continue(), nil
}

func (p Redactor) note(t *processor.Turn, n int) {
	if n > 0 {
		t.Note("redacted", plural.Of(n, "text")+" held keys, mail addresses or card numbers.")
	}
}
