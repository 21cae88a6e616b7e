package injection

import (
	"slices"

	"inlay/chat"
)

// marking is which marks passages and files have in the conversation so far.
// They go on from turn to turn, and what is shown again keeps its own: a mark in
// an answer means one thing, however many files the conversation has. A prompt
// set that shows no marks to answer with, such as classic, begins at 1 each time.
type marking struct {
	last     int
	passages map[passage]int
	files    map[string]int // by id
}

// given reads the numbers from the history.
func (t *turn) given() *marking {
	if t.marking != nil {
		return t.marking
	}
	n := &marking{passages: map[passage]int{}, files: map[string]int{}}
	t.marking = n
	if !t.prompts.ShowsMarks() {
		return n
	}
	for _, m := range t.req.Messages {
		if m.Injected == nil {
			continue
		}
		for i := range m.Injected.Citations {
			c := &m.Injected.Citations[i]
			n.passages[passageOf(c)] = c.Number
		}
		for i, id := range m.Injected.FileIDs {
			n.files[id] = m.Injected.FileNumber(i)
		}
		n.last = max(n.last, m.Injected.LastNumber())
	}
	return n
}

// passage is what makes two citations of a conversation the same.
type passage struct {
	file, id   string
	start, end int
}

func passageOf(c *chat.Citation) passage { return passage{c.FileID, c.ID, c.Start, c.End} }

// numbered gives passages their marks.
func (t *turn) numbered(list []chat.Citation) []chat.Citation {
	n := t.given()
	if n.last == 0 {
		return list // as they were found
	}
	out, last := slices.Clone(list), n.last
	for i := range out {
		if known, ok := n.passages[passageOf(&out[i])]; ok {
			out[i].Number = known
			continue
		}
		last++
		out[i].Number = last
	}
	return out
}

// fileNumbers are the marks of the whole files of a prompt: those that are new
// come after its passages.
func (t *turn) fileNumbers(b built) []int {
	n := t.given()
	last := n.last
	for _, c := range b.citations {
		last = max(last, c.Number)
	}
	out := make([]int, len(b.whole))
	for i, a := range b.whole {
		if known, ok := n.files[a.id()]; ok {
			out[i] = known
			continue
		}
		last++
		out[i] = last
	}
	return out
}
