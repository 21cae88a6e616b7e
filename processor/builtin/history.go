package builtin

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"inlay/internal/plural"
	"inlay/llm"
	"inlay/processor"
)

// History keeps the newest turns that fit a number of tokens. The turn under
// way always stays; a later processor answers for its size.
type History struct {
	MaxTokens int     `json:"max_tokens" zero:"by share"` // 0: by Share
	Share     float64 `json:"share"`                      // of the room that the window has for messages; default .85
	MaxTurns  int     `json:"max_turns" zero:"any"`       // 0: any number
}

// Modify implements the processor.
func (p History) Modify(ctx context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	v, mended := paired(v)
	if mended > 0 {
		t.Note("pairs_mended", plural.Of(mended, "time")+" a tool result had no call, or a call no result.")
	}
	limit := p.MaxTokens
	if limit == 0 {
		room, ok, err := t.Room(ctx)
		if err != nil {
			return v, processor.Continue(), err
		}
		if !ok {
			limit = int(^uint(0) >> 1)
		} else {
			limit = int(float64(room) * cmp.Or(p.Share, .85))
		}
	}
	head, list := turns(v)
	left := limit - t.Size(v[head.start:head.end]...)
	first := len(list)
	for i, s := range slices.Backward(list) {
		n := t.Size(v[s.start:s.end]...)
		if i < len(list)-1 && (n > left || p.MaxTurns > 0 && len(list)-i > p.MaxTurns) {
			break
		}
		left -= n
		first = i
	}
	if first == 0 || len(list) == 0 {
		return v, processor.Continue(), nil
	}
	t.Note("turns_left_out", plural.Of(first, "earlier turn")+plural.Pick(first, " is", " are")+" outside of the history window.")
	return slices.Concat(v[head.start:head.end], v[list[first].start:]), processor.Continue(), nil
}

// Compression replaces older turns by a summary when the conversation grows
// over a share of the room, and so far that it has to do it rarely.
type Compression struct {
	Above   float64 `json:"above"`          // share of the room; default .7
	To      float64 `json:"to"`             // what is left, default .4
	Summary int     `json:"summary_tokens"` // most tokens of the summary; default an eighth of the room, at most 1500
	Model   bool    `json:"model"`          // the model writes the summary; else it is put together from the turns' first sentences

	Generator llm.Generator `json:"-"`
}

func (p Compression) check() (option, reason string) {
	if to, above := cmp.Or(p.To, .4), cmp.Or(p.Above, .7); to >= above {
		return "to", fmt.Sprintf("is %v, not less than above, %v: every turn would be compressed anew", to, above)
	}
	return "", ""
}

// Modify implements the processor.
func (p Compression) Modify(ctx context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	room, ok, err := t.Room(ctx)
	if err != nil || !ok {
		return v, processor.Continue(), err
	}
	size := t.Size(v...)
	if float64(size) <= float64(room)*cmp.Or(p.Above, .7) {
		return v, processor.Continue(), nil
	}
	head, list := turns(v)
	most := cmp.Or(p.Summary, min(1500, room/8))
	target := int(float64(room)*cmp.Or(p.To, .4)) - most
	cut := 0
	for cut < len(list)-1 && size > target {
		size -= t.Size(v[list[cut].start:list[cut].end]...)
		cut++
	}
	if cut == 0 {
		return v, processor.Continue(), nil
	}
	opening, earlier := splitSummary(v[head.start:head.end])
	old := v[list[0].start:list[cut].start]
	text, err := p.summary(ctx, t, earlier, old, most)
	if err != nil {
		return v, processor.Continue(), err
	}
	t.Note("turns_compressed", plural.Of(cut, "earlier turn")+plural.Pick(cut, " is", " are")+" now a summary.")
	return slices.Concat(opening, []processor.Message{summaryMessage(text)}, v[list[cut].start:]), processor.Continue(), nil
}

func (p Compression) summary(ctx context.Context, t *processor.Turn, earlier string, old []processor.Message, most int) (string, error) {
	if p.Model && p.Generator != nil {
		text, err := modelSummary(ctx, p.Generator, earlier, old, most)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err == nil && t.Count(text) <= most {
			return text, nil
		}
		t.Note("summary_of_ours", "The model's summary failed or was too long; one of first sentences stands in its place.")
	}
	return digest(t, earlier, old, most), nil
}
