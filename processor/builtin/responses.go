package builtin

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"inlay/internal/lazy"

	"inlay/chat"
	"inlay/internal/plural"
	"inlay/processor"
)

// Normalization gives an answer one form: valid UTF-8, line breaks of one
// kind, no control characters, no characters that turn the direction of text
// or are invisibly in it, no space at its ends.
type Normalization struct{}

// Modify implements the processor.
func (Normalization) Modify(_ context.Context, _ *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
	r.Text = normalize(r.Text)
	return r, processor.Continue(), nil
}

// ansi is a terminal's control sequence.
var ansi = lazy.Regexp(`\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`)

func normalize(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(s, "\ufffd"))
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xad, r == 0x180e, r == 0x200b, r >= 0x2060 &&
			r <= 0x2064, r >= 0x206a && r <= 0x206f, r == 0xfeff, r >= 0xe0000 && r <= 0xe007f:
			return -1
		}
		return r
	}, ansi().ReplaceAllString(s, ""))
	return strings.TrimSpace(s)
}

// SafetyCheck stops answers that must not be acted on: those that match a
// pattern, and those that repeat a long stretch of the system prompt. Images
// from the network are made harmless: fetching one tells its address, with
// whatever a document made the model write into it, to its host.
type SafetyCheck struct {
	Deny       []string `json:"deny"`                  // regular expressions; a match halts
	Leak       int      `json:"leak_words" least:"-1"` // this many words of the system prompt in a row halt; default 40, -1: never
	ImageHosts []string `json:"image_hosts"`           // hosts whose images may stay
}

func (p SafetyCheck) check() (option, reason string) {
	for _, text := range p.Deny {
		if _, err := regexp.Compile(text); err != nil {
			return "deny", "has one that is not a regular expression"
		}
	}
	return "", ""
}

// Modify implements the processor.
func (p SafetyCheck) Modify(_ context.Context, t *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
	for i, text := range p.Deny {
		re, err := regexp.Compile(text)
		if err != nil {
			return r, processor.Continue(), err
		}
		if re.MatchString(r.Text) {
			return r, processor.Halt(fmt.Sprintf("the answer matches pattern %d of those that are denied", i+1)), nil
		}
	}
	if most := cmp.Or(p.Leak, 40); most > 0 && r.Request != nil && leaks(r.Text, r.Request.Messages, most) {
		return r, processor.Halt("the answer repeats the system prompt"), nil
	}
	text, removed := withoutImages(r.Text, p.ImageHosts)
	if removed > 0 {
		t.Note("image_removed", plural.Of(removed, "image")+" from the network "+plural.Pick(removed, "was", "were")+" taken out of the answer.")
		r.Text = text
	}
	return r, processor.Continue(), nil
}

// leaks reports whether text holds a run of words of what the author wrote.
func leaks(text string, messages []processor.Message, most int) bool {
	said := " " + strings.Join(strings.Fields(text), " ") + " "
	for _, m := range messages {
		for _, p := range m.Parts {
			if m.Role != chat.System || p.Origin != processor.FromAuthor {
				continue
			}
			words := strings.Fields(p.Text)
			for i := 0; i+most <= len(words); i++ {
				if strings.Contains(said, " "+strings.Join(words[i:i+most], " ")+" ") {
					return true
				}
			}
		}
	}
	return false
}

// CitationCheck makes sure that a cited [n] exists. It looks only where the
// conversation has citations, and not into code.
type CitationCheck struct {
	Action string `json:"action"` // mark (default): "[7: no such source]"; remove; halt
}

func (p CitationCheck) check() (option, reason string) {
	if !slices.Contains([]string{"", "mark", "remove", "halt"}, p.Action) {
		return "action", "is " + strconv.Quote(p.Action) + "; it must be mark, remove or halt"
	}
	return "", ""
}

var (
	citation = lazy.Regexp(`\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]`)
	code     = lazy.Regexp("(?s)```.*?(?:```|$)|`[^`\n]*`")
)

// Modify implements the processor.
func (p CitationCheck) Modify(_ context.Context, t *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
	known := cited(r.Request)
	if len(known) == 0 || r.Text == "" {
		return r, processor.Continue(), nil
	}
	var b strings.Builder
	wrong, from := 0, 0
	for _, m := range append(code().FindAllStringIndex(r.Text, -1), []int{len(r.Text), len(r.Text)}) {
		text, n := p.mark(r.Text[from:m[0]], known)
		wrong += n
		b.WriteString(text + r.Text[m[0]:m[1]])
		from = m[1]
	}
	if wrong == 0 {
		return r, processor.Continue(), nil
	}
	reason := plural.Of(wrong, "citation") + plural.Pick(wrong, " names a source that does not exist", " name sources that do not exist")
	if p.Action == "halt" {
		return r, processor.Halt(reason), nil
	}
	t.Note("citation_unknown", reason+".")
	r.Text = b.String()
	return r, processor.Continue(), nil
}

// mark goes through the citations of a text outside of code.
func (p CitationCheck) mark(text string, known map[int]bool) (string, int) {
	var b strings.Builder
	wrong, from, last := 0, 0, 0 // last: end of the citation before
	for _, m := range citation().FindAllStringSubmatchIndex(text, -1) {
		if m[0] > last && wordBefore(text[:m[0]]) || strings.HasPrefix(text[m[1]:], "(") {
			continue // a[1] is an index, [1](address) a link; in [1][2] both are citations
		}
		last = m[1]
		var good, bad []string
		for n := range strings.SplitSeq(text[m[2]:m[3]], ",") {
			n = strings.TrimSpace(n)
			if i, err := strconv.Atoi(n); err == nil && known[i] {
				good = append(good, n)
			} else {
				bad = append(bad, n)
			}
		}
		if len(bad) == 0 {
			continue
		}
		wrong += len(bad)
		b.WriteString(text[from:m[0]])
		if len(good) > 0 {
			b.WriteString("[" + strings.Join(good, ", ") + "]")
		}
		if p.Action != "remove" {
			b.WriteString("[" + strings.Join(bad, ", ") + ": no such source]")
		}
		from = m[1]
	}
	b.WriteString(text[from:])
	return b.String(), wrong
}

func wordBefore(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(last) || unicode.IsDigit(last) || last == '_' || last == ']'
}

// cited are the numbers of the citations, and of whole files, that are in
// the messages.
func cited(r *processor.Request) map[int]bool {
	known := map[int]bool{}
	if r == nil {
		return known
	}
	for _, m := range r.Messages {
		if m.Injected == nil {
			continue
		}
		for _, c := range m.Injected.Citations {
			known[c.Number] = true
		}
		for i := range m.Injected.FileIDs {
			known[m.Injected.FileNumber(i)] = true
		}
	}
	return known
}
