package injection

import (
	"context"
	"strings"

	"inlay/chat"
	"inlay/llm"
	"inlay/tokens"
)

// countWith counts messages, by c where the model lets another counter than its
// own do that.
func (t *turn) countWith(ctx context.Context, messages []chat.Message, c partly) (tokens.Count, error) {
	if m, ok := t.req.Model.(llm.TextMeasurer); ok && len(c.whole) > 0 {
		return m.CountTexts(ctx, c, messages)
	}
	return t.req.Model.CountMessages(ctx, messages)
}

// partly is a counter that knows of one text, a prompt, which files are whole
// in it: what they count is not counted again.
type partly struct {
	tokens.Counter
	prompt string
	whole  []*attached
}

// Count implements [tokens.Counter].
func (p partly) Count(text string) tokens.Count {
	if text != p.prompt {
		return p.Counter.Count(text)
	}
	var parts []tokens.Part
	for _, a := range p.whole {
		before, after, ok := strings.Cut(text, a.doc.Text)
		if !ok {
			continue // a template that shows it in another way
		}
		parts = append(parts, tokens.Part{Text: before}, tokens.Part{Text: a.doc.Text, Known: a.doc.Counts})
		text = after
	}
	return tokens.CountParts(p.Counter, append(parts, tokens.Part{Text: text}))
}
