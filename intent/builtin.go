package intent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Builtin tells bulk by structure and size, without a model. Its intent is what
// is left of the message, verbatim: the intent and the items, laid together by
// their offsets, are the message.
type Builtin struct{}

// Measures of what is bulk.
const (
	least       = 100  // bytes of the smallest piece that is moved
	significant = 1.25 // times the intent that all pieces together must have
)

// Name implements [Analyzer].
func (Builtin) Name() string { return "builtin" }

// Analyze implements [Analyzer]. It takes time linear in the message, but for
// nested marks, whose search is bounded.
func (Builtin) Analyze(ctx context.Context, m Message) (Analysis, error) {
	if err := ctx.Err(); err != nil {
		return Analysis{}, err
	}
	a := Analysis{Intent: m.Text, ContextItems: []Item{}}
	spans := bulk(m.Text)
	rest := without(m.Text, spans)
	if strings.TrimSpace(rest) == "" {
		spans, rest = nil, m.Text
	}
	if m.Large {
		a.Intent, a.ContextItems = rest, items(m.Text, spans)
	}
	a.DetectedLanguage = Language(rest)
	return a, nil
}

// bulk finds what is to be moved, in order: every piece of some size, if
// together they are significantly larger than what is left.
func bulk(raw string) []span {
	spans := newPage(raw).pieces()
	moved := 0
	for _, s := range spans {
		moved += s.end - s.start
	}
	if rest := len(strings.TrimSpace(without(raw, spans))); float64(moved) < significant*float64(rest) {
		return nil
	}
	return spans
}

// pieces are the pieces of bulk of some size, in order.
func (p *page) pieces() []span {
	spans := p.merge(p.find())
	spans = append(spans, p.loose(spans)...)
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return slices.DeleteFunc(p.join(spans), func(s span) bool { return s.end-s.start < least })
}

// find asks the detectors line by line; the first that claims lines has them.
func (p *page) find() []span {
	var out []span
	for i := 0; i < len(p.lines); {
		s, ok := span{}, false
		if !p.blank(i) {
			for _, detect := range detectors() {
				if s, ok = detect(p, i); ok {
					break
				}
			}
		}
		if !ok {
			i++
			continue
		}
		out = append(out, s)
		i = max(s.to, i+1)
	}
	return out
}

// merge joins neighbours of one kind that only blank lines, or a short line of
// no request, keep apart.
func (p *page) merge(spans []span) []span {
	var out []span
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].kind == s.kind && p.near(out[n-1], s) {
			out[n-1].to, out[n-1].end = s.to, s.end
			continue
		}
		out = append(out, s)
	}
	return out
}

// join makes one document of a text and the pieces beside it, which were pasted
// together.
func (p *page) join(spans []span) []span {
	var out []span
	for _, s := range spans {
		if n := len(out); n > 0 && (s.kind == Prose || out[n-1].kind == Prose) && strings.TrimSpace(p.raw[out[n-1].end:s.start]) == "" {
			out[n-1].to, out[n-1].end = s.to, s.end
			if s.end-s.start > out[n-1].end-out[n-1].start {
				out[n-1].kind = s.kind
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

func (p *page) near(a, b span) bool {
	between := strings.TrimSpace(p.raw[a.end:b.start])
	if between == "" {
		return a.kind != Blob
	}
	return a.kind != Mail && len(between) < 80 && !strings.Contains(between, "\n") && !asks(between) && !strings.HasSuffix(between, ":") && !sentence(between)
}

// without is the message less its spans.
func without(raw string, spans []span) string {
	var b strings.Builder
	end := 0
	for _, s := range spans {
		b.WriteString(raw[end:s.start])
		end = s.end
	}
	b.WriteString(raw[end:])
	return b.String()
}

func items(raw string, spans []span) []Item {
	out := make([]Item, len(spans))
	for i, s := range spans {
		out[i] = Item{
			Title: fmt.Sprintf("User context %d", i+1), MimeType: "text/plain",
			Content: raw[s.start:s.end], Kind: s.kind, Start: s.start, End: s.end,
		}
	}
	return out
}
