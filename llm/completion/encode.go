package completion

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"inlay/chat"
)

// Envelope is what a completion says beside its choices.
type Envelope struct {
	ID    string
	Model string
	Usage *Usage // nil: none is told
}

// New makes a completion, or where stream is true a chunk of one.
func New(e Envelope, stream bool, choices ...Choice) *Chunk {
	c := &Chunk{ID: e.ID, Object: WholeObject, Choices: choices, Usage: e.Usage}
	if stream {
		c.Object = ChunkObject
	}
	for i := range c.Choices {
		c.Choices[i].Delta = stream
	}
	fields := object{
		{"id", quote(e.ID)},
		{"object", quote(c.Object)},
		{"created", marshal(time.Now().Unix())},
		{"model", quote(e.Model)},
		{"choices", encodeChoices(c.Choices)},
	}
	if e.Usage != nil {
		fields.set("usage", e.Usage.encode())
	}
	c.Raw = fields.encode()
	return c
}

func (u *Usage) encode() json.RawMessage {
	return marshal(struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	}{u.Prompt, u.Completion, u.Prompt + u.Completion})
}

func encodeChoices(choices []Choice) json.RawMessage {
	raws := make([]json.RawMessage, len(choices))
	for i := range choices {
		raws[i] = choices[i].encode()
	}
	return array(raws)
}

// encode writes a whole choice or a piece of one. The text of a whole choice is
// null where it calls tools and says nothing; of a piece it is there with the
// role and where there is one.
func (c *Choice) encode() json.RawMessage {
	var said object
	where := "message"
	if c.Delta {
		where = "delta"
	}
	if c.Role != "" || !c.Delta {
		said.set("role", quote("assistant"))
	}
	switch {
	case c.Text != "" || len(said) > 0 && len(c.Calls) == 0:
		said.set("content", quote(c.Text))
	case len(said) > 0:
		said.set("content", json.RawMessage("null"))
	}
	if c.Thinking != "" {
		said.set("reasoning_content", quote(c.Thinking))
	}
	if len(c.Calls) > 0 {
		said.set("tool_calls", encodeCalls(c.Calls, c.Delta))
	}
	finish := json.RawMessage("null")
	if c.Finish != "" {
		finish = quote(c.Finish)
	}
	return object{{"index", marshal(c.Index)}, {where, said.encode()}, {"finish_reason", finish}}.encode()
}

// callPieces are whole calls. custom has the ids of those of custom tools.
func callPieces(calls []chat.ToolCall, custom []string) []CallPiece {
	out := make([]CallPiece, len(calls))
	for i, c := range calls {
		out[i] = CallPiece{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments, Custom: slices.Contains(custom, c.ID)}
	}
	return out
}

// encodeCalls writes calls; only pieces of a stream have their index.
func encodeCalls(calls []CallPiece, stream bool) json.RawMessage {
	raws := make([]json.RawMessage, len(calls))
	for i, c := range calls {
		var fields object
		if stream {
			fields.set("index", marshal(c.Index))
		}
		fields.set("id", quote(c.ID))
		kind, arguments := "function", "arguments"
		if c.Custom {
			kind, arguments = "custom", "input"
		}
		fields.set("type", quote(kind))
		fields.set(kind, object{{"name", quote(c.Name)}, {arguments, quote(c.Arguments)}}.encode())
		raws[i] = fields.encode()
	}
	return array(raws)
}

// MarshalRequest encodes the fields of a request, each byte for byte, sorted by
// name. The values must be valid JSON.
func MarshalRequest(body map[string]json.RawMessage) json.RawMessage {
	fields := make(object, 0, len(body))
	for _, name := range slices.Sorted(maps.Keys(body)) {
		fields = append(fields, member{name, body[name]})
	}
	return fields.encode()
}
