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
	last    int
	numbers map[marked]int
	means   map[int]marked // the newest, where a number was given twice
}

// marked is a passage of a conversation, or a whole file, which has its id alone.
type marked struct {
	file, passage string
	start, end    int
}

func passageOf(c *chat.Citation) marked { return marked{c.FileID, c.ID, c.Start, c.End} }

// given reads the numbers from the history.
func (t *turn) given() *marking {
	if t.marking != nil {
		return t.marking
	}
	n := &marking{numbers: map[marked]int{}, means: map[int]marked{}}
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
			n.give(passageOf(c), c.Number)
		}
		for i, id := range m.Injected.FileIDs {
			n.give(marked{file: id}, m.Injected.FileNumber(i))
		}
	}
	return n
}

// give notes a number. What had it before, under a prompt set that begins at 1 each
// time, gets another one when it is shown again.
func (n *marking) give(what marked, number int) {
	if was, ok := n.means[number]; ok && was != what {
		delete(n.numbers, was)
	}
	if old, ok := n.numbers[what]; ok && old != number {
		delete(n.means, old)
	}
	n.numbers[what], n.means[number] = number, what
	n.last = max(n.last, number)
}

// numbered gives passages their marks.
func (t *turn) numbered(list []chat.Citation) []chat.Citation {
	n := t.given()
	if n.last == 0 {
		return list // as they were found
	}
	out, last := slices.Clone(list), n.last
	for i := range out {
		if known, ok := n.numbers[passageOf(&out[i])]; ok {
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
		if known, ok := n.numbers[marked{file: a.id()}]; ok {
			out[i] = known
			continue
		}
		last++
		out[i] = last
	}
	return out
}
