package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"inlay/chat"
	"inlay/processor"
)

// LoopDetection notices when the steps of a turn repeat themselves: the same
// calls with the same results, alone or in a round of two or three. It tells
// the model, and stops the turn when that does not help.
type LoopDetection struct {
	Warn int `json:"warn"` // repetitions before the model is told; default 3
	Stop int `json:"stop"` // repetitions before the turn halts; default 5
}

func (p LoopDetection) check() (option, reason string) {
	if warn, stop := cmp.Or(p.Warn, 3), cmp.Or(p.Stop, 5); warn >= stop {
		return "warn", fmt.Sprintf("is %d, not less than stop, %d: the model would never be told", warn, stop)
	}
	return "", ""
}

// longestRound is how many steps a round that repeats may have.
const longestRound = 3

// Modify implements the processor.
func (p LoopDetection) Modify(_ context.Context, _ *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	n := repetitions(steps(v))
	switch warn, stop := cmp.Or(p.Warn, 3), cmp.Or(p.Stop, 5); {
	case n >= stop:
		return v, processor.Halt(fmt.Sprintf("the model has repeated the same calls with the same results %d times", n)), nil
	case n >= warn:
		note := processor.Say(chat.System, processor.FromAuthor, fmt.Sprintf("You have made the same calls with the same results %d times. Do not repeat them: answer with what you know, or do something else.", n))
		note.Transient = true
		return append(processor.CloneMessages(v), note), processor.Verdict{Reason: "the model was told that it repeats itself"}, nil
	}
	return v, processor.Continue(), nil
}

// steps writes the steps of the turn under way down, each with its results.
func steps(v []processor.Message) []string {
	_, list := turns(v)
	if len(list) == 0 {
		return nil
	}
	now := list[len(list)-1]
	var out []string
	for _, u := range units(v, span{now.start + 1, now.end}) {
		if v[u.start].Role != chat.Assistant {
			continue
		}
		var b strings.Builder
		for _, c := range v[u.start].ToolCalls {
			fmt.Fprintf(&b, "%q %q\n", c.Name, canonical(c.Arguments))
		}
		if b.Len() == 0 {
			b.WriteString(v[u.start].Text())
		}
		for _, r := range v[u.start+1 : u.end] {
			fmt.Fprintf(&b, "-> %q\n", r.Text())
		}
		out = append(out, b.String())
	}
	return out
}

// canonical writes arguments so that spaces and the order of names make no
// other call of the same one.
func canonical(text string) string {
	args, ok := arguments(text)
	data, err := json.Marshal(args)
	if !ok || err != nil {
		return text
	}
	return string(data)
}

// repetitions is how often the last round of steps is at the end.
func repetitions(s []string) int {
	most := 1
	for period := 1; period <= longestRound; period++ {
		n := 0
		for n+period < len(s) && s[len(s)-1-n] == s[len(s)-1-n-period] {
			n++
		}
		most = max(most, 1+n/period)
	}
	return most
}
