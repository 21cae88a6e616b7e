package builtin

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"inlay/internal/plural"
	"inlay/llm"
	"inlay/processor"
)

// History keeps the newest turns that fit a number of tokens, where one is set:
// what it leaves out is gone, while what compression finds too long it
// summarises. The turn under way always stays; a later processor answers for its
// size.
type History struct {
	MaxTokens int     `json:"max_tokens" zero:"by share"` // 0: by Share, if that is set
	Share     float64 `json:"share" zero:"any"`           // of the room that the window has for messages; 0: any
	MaxTurns  int     `json:"max_turns" zero:"any"`       // 0: any number
}

// Modify implements the processor.
func (p History) Modify(ctx context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	v, mended := paired(v)
	if mended > 0 {
		t.Note("pairs_mended", plural.Of(mended, "time")+" a tool result had no call, or a call no result.")
	}
	limit := cmp.Or(p.MaxTokens, math.MaxInt)
	if p.MaxTokens == 0 && p.Share > 0 {
		room, ok, err := t.Room(ctx)
		if err != nil {
			return v, processor.Continue(), err
		}
		if ok {
			limit = int(float64(room) * p.Share)
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
	known     *Recall
}

func (p Compression) check() (option, reason string) {
	if to, above := cmp.Or(p.To, .4), cmp.Or(p.Above, .7); to >= above {
		return "to", fmt.Sprintf("is %v, not less than above, %v: every turn would be compressed again", to, above)
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
	text, err := p.summary(ctx, t, earlier, old, most, room/2)
	if err != nil {
		return v, processor.Continue(), err
	}
	t.Note("turns_compressed", plural.Of(cut, "earlier turn")+plural.Pick(cut, " is", " are")+" now a summary.")
	return slices.Concat(opening, []processor.Message{summaryMessage(text)}, v[list[cut].start:]), processor.Continue(), nil
}

// summary is what stands for old turns, in no more than most tokens. A model is given
// them in pieces of about piece tokens, which its window holds.
func (p Compression) summary(ctx context.Context, t *processor.Turn, earlier string, old []processor.Message, most, piece int) (string, error) {
	if !p.Model || p.Generator == nil {
		return digest(t, p.known, earlier, old, most), nil
	}
	text := earlier
	for part := range pieces(t, old, piece) {
		next, err := modelSummary(ctx, p.Generator, text, part, most)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil || t.Count(next) > most {
			t.Note("summary_of_ours", "The model's summary failed or was too long; one of ours is in its place.")
			return digest(t, p.known, earlier, old, most), nil
		}
		text = next
	}
	return text, nil
}

// pieces cuts messages between turns into stretches of about size tokens.
func pieces(t *processor.Turn, v []processor.Message, size int) iter.Seq[[]processor.Message] {
	return func(yield func([]processor.Message) bool) {
		_, list := turns(v)
		from, n := 0, 0
		for _, s := range list {
			turn := t.Size(v[s.start:s.end]...)
			if n > 0 && n+turn > size {
				if !yield(v[from:s.start]) {
					return
				}
				from, n = s.start, 0
			}
			n += turn
		}
		if from < len(v) {
			yield(v[from:])
		}
	}
}
