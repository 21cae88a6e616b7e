package completion

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"inlay/chat"
)

// Answer is a choice put together from its pieces.
type Answer struct {
	Index  int
	Text   string
	Calls  []chat.ToolCall
	Finish string // why the model stopped; empty: nobody said

	custom []string // ids of the calls of custom tools
}

// Choice is the answer as a choice of a completion, or where stream is true as
// one piece of it.
func (a Answer) Choice(stream bool) Choice {
	return Choice{Index: a.Index, Delta: stream, Role: "assistant", Text: a.Text, Calls: callPieces(a.Calls, a.custom), Finish: a.Finish}
}

// Chunk is the answer as a completion, or where stream is true as one chunk.
// What else that says is as in envelope, which stays as it is; nil: nothing.
func (a Answer) Chunk(stream bool, envelope *Chunk) *Chunk {
	return rebuilt(stream, envelope, []Answer{a})
}

func rebuilt(stream bool, envelope *Chunk, answers []Answer) *Chunk {
	choices := make([]Choice, len(answers))
	for i, a := range answers {
		choices[i] = a.Choice(stream)
	}
	if envelope == nil {
		return New(Envelope{}, stream, choices...)
	}
	fields, _, _ := parseObject(envelope.Raw)
	fields.set("choices", encodeChoices(choices))
	return &Chunk{
		Raw: fields.encode(), ID: envelope.ID, Object: envelope.Object, Choices: choices, Usage: envelope.Usage,
		fields: slices.Clone(envelope.fields),
	}
}

// Answers puts the choices of an answer together from its chunks. The zero value
// is ready. It keeps the texts, the first chunk and those without choices.
type Answers struct {
	choices map[int]*building
	first   *Chunk
	usage   *Chunk   // the last that has one beside choices
	rest    []*Chunk // the usage of a stream, as a rule
}

type building struct {
	text   strings.Builder
	calls  Calls
	finish string
}

// maxChoices is the most choices of one answer: OpenAI's API makes no more.
const maxChoices = 128

var errChoices = fmt.Errorf("an answer has more than %d choices", maxChoices)

// Add adds the next chunk.
func (a *Answers) Add(c *Chunk) error {
	if a.choices == nil {
		a.choices = map[int]*building{}
	}
	switch {
	case a.first == nil:
		a.first = c
	case len(c.Choices) == 0:
		a.rest = append(a.rest, c)
	}
	if c.Usage != nil && len(c.Choices) > 0 {
		a.usage = c
	}
	for i := range c.Choices {
		one := &c.Choices[i]
		b := a.choices[one.Index]
		if b == nil {
			if len(a.choices) == maxChoices {
				return errChoices
			}
			b = &building{}
			a.choices[one.Index] = b
		}
		if err := b.add(one); err != nil {
			return err
		}
	}
	return nil
}

func (b *building) add(c *Choice) error {
	b.text.WriteString(c.Text)
	if c.Finish != "" {
		b.finish = c.Finish
	}
	return b.calls.Add(c.Calls)
}

// All are the choices by index.
func (a *Answers) All() []Answer {
	out := make([]Answer, 0, len(a.choices))
	for _, index := range slices.Sorted(maps.Keys(a.choices)) {
		b := a.choices[index]
		out = append(out, Answer{Index: index, Text: b.text.String(), Calls: b.calls.All(), Finish: b.finish, custom: b.calls.custom()})
	}
	return out
}

// Rebuild is the answer with these choices: one completion, or where stream is
// true a chunk with all of them and then those that had none. What nobody looked
// at, such as the model's thoughts and the probabilities of its tokens, is left
// out. Before the first chunk it is nothing.
func (a *Answers) Rebuild(stream bool, answers []Answer) []*Chunk {
	if a.first == nil {
		return nil
	}
	head := rebuilt(stream, a.first, answers)
	if a.usage != nil && a.usage != a.first {
		fields, _, _ := parseObject(head.Raw)
		from, _, _ := parseObject(a.usage.Raw)
		fields.set("usage", from.get("usage"))
		head.Raw, head.Usage = fields.encode(), a.usage.Usage
	}
	return append([]*Chunk{head}, a.rest...)
}
