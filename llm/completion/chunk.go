package completion

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Chunk is one JSON value of an answer: the whole completion, or a chunk of its
// stream. It is decoded once, by [Decode] or never, where it was made by [New].
type Chunk struct {
	Raw     json.RawMessage // as it came
	ID      string
	Object  string // WholeObject or ChunkObject, as a rule
	Choices []Choice
	Usage   *Usage          // what the server counted; of a stream it comes last
	Err     json.RawMessage // the field error, by which some servers end a stream; nil: none

	fields      []field
	annotations map[int][]any // by place in Choices
}

// The values of the field object.
const (
	WholeObject = "chat.completion"
	ChunkObject = "chat.completion.chunk"
)

// Choice is one choice of an answer, or the next piece of one.
type Choice struct {
	Index    int
	Delta    bool   // it is a piece of a stream
	Role     string // of a stream on its first piece
	Text     string
	Thinking string // of the model's reasoning, where the server tells it apart
	Calls    []CallPiece
	Finish   string // why the model stopped: "stop", "length", "tool_calls"; empty: it goes on
}

// CallPiece is a call of a tool, or in a stream a piece of one. The pieces of one
// call have one index; their texts follow each other.
type CallPiece struct {
	Index     int
	ID        string
	Name      string
	Arguments string
	Custom    bool // of a tool that is not a function: Arguments are its input, any text
}

// Usage is what a server counted.
type Usage struct {
	Prompt     int // tokens of the prompt, template included
	Completion int // tokens of the answer
}

type field struct {
	name  string
	value any
}

var (
	errNotJSON   = errors.New("an event of the answer is not JSON")
	errNotObject = errors.New("an event of the answer is not a JSON object")
)

// Decode reads one value of an answer. The chunk refers to data, which must not
// change as long as Raw is used; its texts are copies. Errors say what is wrong
// without repeating any of it. Fields that the format does not have are ignored.
func Decode(data []byte) (*Chunk, error) {
	if !json.Valid(data) {
		return nil, errNotJSON
	}
	c := &Chunk{Raw: data}
	var failed error
	ok := split(data, '{', func(name, value []byte) {
		if err := c.decodeField(name, value); err != nil {
			failed = err
		}
	})
	if !ok {
		return nil, errNotObject
	}
	if failed != nil {
		return nil, failed
	}
	return c, nil
}

func (c *Chunk) decodeField(name, value []byte) error {
	ok := true
	switch string(name) {
	case "id":
		c.ID, _ = text(value)
	case "object":
		c.Object = objectName(value)
	case "choices":
		return c.decodeChoices(value)
	case "usage":
		c.Usage, ok = decodeUsage(value)
	case "error":
		if !isNull(value) {
			c.Err = value
		}
	}
	if !ok {
		return fmt.Errorf("%s of an answer is invalid", name)
	}
	return nil
}

// objectName reads one of two words without making another copy of it.
func objectName(raw []byte) string {
	switch string(raw) {
	case `"` + ChunkObject + `"`:
		return ChunkObject
	case `"` + WholeObject + `"`:
		return WholeObject
	}
	s, _ := text(raw)
	return s
}

func decodeUsage(raw []byte) (*Usage, bool) {
	if isNull(raw) {
		return nil, true
	}
	u, good := &Usage{}, true
	ok := split(raw, '{', func(name, value []byte) {
		var fine bool
		switch string(name) {
		case "prompt_tokens":
			u.Prompt, fine = integer(value)
		case "completion_tokens":
			u.Completion, fine = integer(value)
		default:
			fine = true
		}
		good = good && fine
	})
	return u, ok && good
}

func (c *Chunk) decodeChoices(raw []byte) error {
	if isNull(raw) {
		return nil
	}
	c.Choices = nil
	var failed error
	ok := split(raw, '[', func(_, value []byte) {
		var one Choice
		if err := one.decode(value); err != nil && failed == nil {
			failed = fmt.Errorf("choices[%d] of an answer: %w", len(c.Choices), err)
		}
		c.Choices = append(c.Choices, one)
	})
	if !ok {
		return errors.New("choices of an answer is not a list")
	}
	return failed
}

// errChoice says that a field of a choice has another type than the format's.
func errChoice(field string) error { return fmt.Errorf("%s is invalid", field) }

func (c *Choice) decode(raw []byte) (failed error) {
	ok := split(raw, '{', func(name, value []byte) {
		fine := true
		switch string(name) {
		case "index":
			c.Index, fine = integer(value)
		case "finish_reason":
			c.Finish, fine = finishReason(value)
		case "message", "delta":
			if fine = isNull(value) || c.decodeSaid(value); fine {
				c.Delta = c.Delta || string(name) == "delta"
			}
		}
		if !fine && failed == nil {
			failed = errChoice(string(name))
		}
	})
	if !ok {
		return errors.New("it is not an object")
	}
	return failed
}

// finishReason reads one of a few words without making another copy of it.
func finishReason(raw []byte) (string, bool) {
	for _, known := range []string{"stop", "length", "tool_calls"} {
		if len(raw) == len(known)+2 && string(raw[1:len(raw)-1]) == known {
			return known, true
		}
	}
	return text(raw)
}

// decodeSaid reads a message or a delta.
func (c *Choice) decodeSaid(raw []byte) bool {
	good := true
	ok := split(raw, '{', func(name, value []byte) {
		var said string
		fine := true
		switch string(name) {
		case "role":
			c.Role, fine = role(value)
		case "content":
			said, fine = content(value)
			c.Text += said
		case "reasoning", "reasoning_content":
			said, _ = text(value)
			c.Thinking += said
		case "tool_calls":
			fine = isNull(value) || split(value, '[', func(_, _ []byte) {})
			c.Calls = parseCalls(value)
		}
		good = good && fine
	})
	return ok && good
}

func role(raw []byte) (string, bool) {
	if string(raw) == `"assistant"` {
		return "assistant", true
	}
	return text(raw)
}

// content reads a text, or the texts of a list of parts.
func content(raw []byte) (string, bool) {
	if said, ok := text(raw); ok {
		return said, true
	}
	var b strings.Builder
	ok := split(raw, '[', func(_, part []byte) {
		split(part, '{', func(name, value []byte) {
			if string(name) == "text" {
				said, _ := text(value)
				b.WriteString(said)
			}
		})
	})
	return b.String(), ok
}

// parseCalls reads calls as far as they can be read.
func parseCalls(raw []byte) (calls []CallPiece) {
	split(raw, '[', func(_, value []byte) {
		call := CallPiece{Index: len(calls)}
		split(value, '{', func(name, value []byte) {
			switch string(name) {
			case "index":
				if n, ok := integer(value); ok && !isNull(value) {
					call.Index = n
				}
			case "id":
				call.ID, _ = text(value)
			case "function", "custom":
				call.Custom = string(name) == "custom"
				call.decode(value)
			}
		})
		calls = append(calls, call)
	})
	return calls
}

func (c *CallPiece) decode(raw []byte) {
	split(raw, '{', func(name, value []byte) {
		switch string(name) {
		case "name":
			c.Name, _ = text(value)
		case "arguments", "input":
			c.Arguments, _ = text(value)
		}
	})
}

// Set adds a field of inlay's own to the completion, or replaces one. It is
// encoded by Bytes.
func (c *Chunk) Set(name string, v any) { c.fields = append(c.fields, field{name, v}) }

// Annotate adds to the annotations of the choice at a place in Choices.
func (c *Chunk) Annotate(choice int, list []any) {
	if len(list) == 0 {
		return
	}
	if c.annotations == nil {
		c.annotations = map[int][]any{}
	}
	c.annotations[choice] = append(c.annotations[choice], list...)
}

// Bytes is the chunk as it goes to the client: Raw, unless something was added.
func (c *Chunk) Bytes() ([]byte, error) {
	if len(c.fields) == 0 && len(c.annotations) == 0 {
		return c.Raw, nil
	}
	fields, _, _ := parseObject(c.Raw)
	if len(c.annotations) > 0 {
		choices, err := c.annotated(fields.get("choices"))
		if err != nil {
			return nil, err
		}
		fields.set("choices", choices)
	}
	for _, f := range c.fields {
		data, err := encode(f.value)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", f.name, err)
		}
		fields.set(f.name, data)
	}
	return fields.encode(), nil
}

// annotated writes the annotations into the choices.
func (c *Chunk) annotated(raw []byte) (json.RawMessage, error) {
	var out []json.RawMessage
	var failed error
	split(raw, '[', func(_, value []byte) {
		if list := c.annotations[len(out)]; len(list) > 0 {
			var err error
			if value, err = annotate(value, c.speaksIn(len(out)), list); err != nil {
				failed = err
			}
		}
		out = append(out, value)
	})
	return array(out), failed
}

// speaksIn is the field in which a choice says something.
func (c *Chunk) speaksIn(choice int) string {
	if c.Choices[choice].Delta || c.Object == ChunkObject {
		return "delta"
	}
	return "message"
}

func annotate(choice []byte, where string, list []any) (json.RawMessage, error) {
	fields, _, _ := parseObject(choice)
	said, _, _ := parseObject(fields.get(where))
	var all []json.RawMessage
	split(said.get("annotations"), '[', func(_, value []byte) { all = append(all, value) })
	for _, one := range list {
		data, err := encode(one)
		if err != nil {
			return nil, fmt.Errorf("encode an annotation: %w", err)
		}
		all = append(all, data)
	}
	said.set("annotations", array(all))
	fields.set(where, said.encode())
	return fields.encode(), nil
}
