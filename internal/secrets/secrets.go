// Package secrets finds keys, account numbers, card numbers and mail addresses
// in texts and takes them out. It goes by what is certain: the prefixes that
// issuers give their keys, check digits, the name that a value is under.
// A value that only looks random is left alone: hashes do, too.
package secrets

import (
	"regexp"
	"slices"
	"strings"

	"inlay/internal/lazy"
)

// Kinds are the kinds of secret: keys with passwords, bank accounts, payment
// cards, mail addresses. One that is taken out leaves "[redacted:KIND]".
func Kinds() []string { return []string{"key", "iban", "card", "mail"} }

// Redact takes secrets out of text, but for the kinds in keep. Its output comes
// out of it as it went in.
func Redact(text string, keep ...string) string {
	found := hinter().of(text)
	lines := false
	for i, r := range rules() {
		switch {
		case slices.Contains(keep, r.kind):
			found &^= 1 << i
		case found.has(i) && r.whole:
			text = r.redact(text)
		case found.has(i):
			lines = true
		}
	}
	if !lines {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		here := found & hinter().of(line)
		for i, r := range rules() {
			if here.has(i) && !r.whole {
				line = r.redact(line)
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// rule finds one form of secret.
type rule struct {
	kind    string
	hints   []string               // one of them is in every match, in lower case, of two bytes or more; none: see maybe
	maybe   func(text string) bool // a quick look that may say yes too often
	whole   bool                   // a match may have several lines
	pattern func() *regexp.Regexp
	// find returns what of a match is secret, as offsets in text; start -1:
	// nothing. nil: the last group that took part, else the whole match.
	find func(text string, match []int) (start, end int)
}

func (r rule) redact(text string) string {
	var b strings.Builder
	from := 0
	for at := 0; at < len(text); {
		m := r.match(text, at)
		if m == nil {
			break
		}
		start, end := r.secret(text, m)
		if start < 0 || strings.HasPrefix(text[start:], mark) {
			at = max(m[0]+1, skipped(m))
			continue
		}
		b.WriteString(text[from:start] + mark + r.kind + "]")
		from, at = end, end
	}
	if from == 0 {
		return text
	}
	return b.String() + text[from:]
}

// match is the first match from an offset on.
func (r rule) match(text string, at int) []int {
	m := r.pattern().FindStringSubmatchIndex(text[at:])
	for i := range m {
		if m[i] >= 0 {
			m[i] += at
		}
	}
	return m
}

// mark begins what stands for a secret.
const mark = "[redacted:"

// skipped is where the search goes on behind a match that is not a secret: its
// first group is what may be before another one.
func skipped(m []int) int {
	if len(m) > 3 && m[3] > 0 {
		return m[3]
	}
	return m[1]
}

func (r rule) secret(text string, m []int) (start, end int) {
	if r.find != nil {
		return r.find(text, m)
	}
	for i := len(m) - 2; i > 0; i -= 2 {
		if m[i] >= 0 {
			return m[i], m[i+1]
		}
	}
	return m[0], m[1]
}

var mailPattern = lazy.Regexp(`[\p{L}\p{N}](?:[\p{L}\p{N}._%+'-]*[\p{L}\p{N}_+-])?@((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+(\p{L}{2,}))`)

// mail leaves alone what only looks like an address: icon@2x.png, user@host:path
// of git and scp, package@1.2.
func mail(text string, m []int) (start, end int) {
	ending, host := strings.ToLower(text[m[4]:m[5]]), text[m[2]:m[3]]
	switch {
	case slices.Contains([]string{"png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "pdf", "js", "ts", "css"}, ending):
		return -1, 0
	case version().MatchString(host):
		return -1, 0
	case strings.HasPrefix(text[m[0]:], "git@") && strings.HasPrefix(text[m[1]:], ":"):
		return -1, 0
	}
	return m[0], m[1]
}

var version = lazy.Regexp(`^\d+\.\d`)
