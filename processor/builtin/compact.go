package builtin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"inlay/chat"
	"inlay/internal/plural"
	"inlay/processor"
)

// Compactor makes sure that the messages fit the room, whatever it takes: it
// shortens long results of tools, drops earlier turns, then earlier steps of
// the turn under way, always calls with their results. What the user asks and
// the system message stay; when they alone are too long the turn halts.
type Compactor struct {
	Result int `json:"result_tokens"` // what is kept of an earlier tool result; default 200
}

// checkAbove is the share of the room above which the model's own count is
// asked for; below it the sum of the messages' counts is safe.
const checkAbove = .8

// opening is what a template may put around a whole prompt.
const opening = 48

// Modify implements the processor.
func (p Compactor) Modify(ctx context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	room, ok, err := t.Room(ctx)
	if err != nil || !ok {
		return v, processor.Continue(), err
	}
	target := room - opening
	for range 8 {
		out, size := p.compact(t, v, target)
		if size > target {
			return v, processor.HaltForWindow(fmt.Sprintf("the question and what must stand before it take about %d tokens, and the window has room for %d", size+room-target, room)), nil
		}
		over, err := p.over(ctx, t, out, size, room)
		if err != nil || over <= 0 {
			return out, processor.Continue(), err
		}
		target = min(target, size) - over // the sum was too small a measure here: aim lower than what it said
	}
	return v, processor.HaltForWindow(fmt.Sprintf("the messages cannot be made to fit the %d tokens there are", room)), nil
}

// over is by how many tokens the messages are too long in the model's own count.
func (p Compactor) over(ctx context.Context, t *processor.Turn, v []processor.Message, size, room int) (int, error) {
	if float64(size) <= checkAbove*float64(room) {
		return 0, nil
	}
	n, err := t.Model.CountMessages(ctx, processor.Chats(v))
	return n.Budgeted() - room, err
}

// compact does what it takes to come under target, and no more.
func (p Compactor) compact(t *processor.Turn, v []processor.Message, target int) ([]processor.Message, int) {
	size := t.Size(v...)
	if size <= target {
		return v, size
	}
	v = processor.CloneMessages(v)
	last := len(v)
	if _, list := turns(v); len(list) > 0 {
		if u := units(v, list[len(list)-1]); len(u) > 0 {
			last = u[len(u)-1].start
		}
	}
	size = p.shorten(t, v[:last], size, target)
	before := len(v)
	if v, size = dropTurns(t, v, size, target); len(v) < before {
		t.Note("turns_dropped", "Earlier turns did not fit.")
	}
	v, size = dropSteps(t, v, size, target)
	if size > target {
		size = p.shorten(t, v, size, target)
	}
	return v, size
}

// shorten cuts results of tools to their beginning and end, oldest first.
func (p Compactor) shorten(t *processor.Turn, v []processor.Message, size, target int) int {
	keep := cmp.Or(p.Result, 200)
	for i, m := range v {
		if size <= target {
			break
		}
		if m.Role != chat.Tool || t.Size(m) <= keep+64 {
			continue
		}
		before := t.Size(m)
		v[i].Parts = []processor.Part{{Text: headAndTail(t, m.Text(), keep), Origin: processor.FromTool, Name: m.Parts[0].Name}}
		size += t.Size(v[i]) - before
		t.Note("result_shortened", fmt.Sprintf("The result of a tool is shortened from about %d to %d tokens.", before, t.Size(v[i])))
	}
	return size
}

// headAndTail keeps about keep tokens of a text: two thirds from its beginning,
// the rest from its end, and says what is missing.
func headAndTail(t *processor.Turn, text string, keep int) string {
	n := t.Count(text)
	if n <= keep || n == 0 {
		return text
	}
	for share := float64(keep) / float64(n); ; share *= .8 {
		head := int(float64(len(text)) * share * 2 / 3)
		tail := int(float64(len(text)) * share / 3)
		a, b := strings.ToValidUTF8(text[:head], ""), strings.ToValidUTF8(text[len(text)-tail:], "")
		out := fmt.Sprintf("%s\n[... about %d of %d tokens are left out ...]\n%s", a, n-keep, n, b)
		if t.Count(out) <= keep+32 || head+tail < 16 {
			return out
		}
	}
}

// dropTurns drops the earliest turns, never the one under way, and an earlier
// summary last.
func dropTurns(t *processor.Turn, v []processor.Message, size, target int) ([]processor.Message, int) {
	head, list := turns(v)
	cut := 0
	for cut < len(list)-1 && size > target {
		size -= t.Size(v[list[cut].start:list[cut].end]...)
		cut++
	}
	if cut > 0 {
		v = slices.Concat(v[head.start:head.end], v[list[cut].start:])
	}
	if size > target {
		rest, summary := splitSummary(v[head.start:head.end])
		if summary != "" {
			v = slices.Concat(rest, v[head.end:])
			size = t.Size(v...)
		}
	}
	return v, size
}

// dropSteps drops the earliest steps of the turn under way, but for the newest.
func dropSteps(t *processor.Turn, v []processor.Message, size, target int) ([]processor.Message, int) {
	_, list := turns(v)
	if len(list) == 0 || size <= target {
		return v, size
	}
	now := list[len(list)-1]
	steps := units(v, span{now.start + 1, now.end})
	cut := 0
	for cut < len(steps)-1 && size > target {
		size -= t.Size(v[steps[cut].start:steps[cut].end]...)
		cut++
	}
	if cut == 0 {
		return v, size
	}
	t.Note("steps_dropped", plural.Of(cut, "earlier step")+" of this turn did not fit.")
	return slices.Concat(v[:now.start+1], v[steps[cut].start:]), size
}
