package completion

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"inlay/chat"
	"inlay/fault"
)

// Message is a message of a request. Its exported fields are for reading: what
// is changed there alone is not written. Change it by Rewrite and SetCalls.
type Message struct { //nolint:recvcheck // encoding/json is given messages by value
	Role   string          // as written: system, developer, user, assistant, tool or function
	Parts  []Part          // of the content; a content that is a text is one part
	Calls  []chat.ToolCall // of an assistant, as far as they can be read
	CallID string          // of a tool's result: the call it answers

	raw    json.RawMessage // as the client wrote it; nil once it was changed
	fields object
	custom []string // ids of the calls of custom tools
}

// ParseMessages decodes the field messages of a request. The messages refer to
// data, which must not change afterwards.
func ParseMessages(data json.RawMessage) ([]Message, error) {
	var out []Message
	var failed error
	ok := json.Valid(data) && split(data, '[', func(_, raw []byte) {
		if failed != nil {
			return
		}
		var m Message
		m, failed = parseMessage(raw, fmt.Sprintf("messages[%d]", len(out)))
		out = append(out, m)
	})
	switch {
	case failed != nil:
		return nil, failed
	case !ok || len(out) == 0:
		return nil, invalid("messages", "a list of at least one message")
	}
	return out, nil
}

// invalid is the error of a field.
func invalid(field, want string) error {
	return &fault.Error{Code: fault.Usage, Subject: field, Reason: "is invalid", Next: "want " + want}
}

func roles() []string {
	return []string{"system", "developer", "user", "assistant", "tool", "function"}
}

func parseMessage(raw json.RawMessage, at string) (m Message, err error) {
	fields, repeated, ok := parseObject(raw)
	m.fields = fields
	if !repeated { // else it is written again with each field once
		m.raw = raw
	}
	if m.Role, _ = text(fields.get("role")); !ok || !slices.Contains(roles(), m.Role) {
		return m, invalid(at+".role", "system, developer, user, assistant or tool")
	}
	m.CallID, _ = text(fields.get("tool_call_id"))
	for _, c := range parseCalls(fields.get("tool_calls")) {
		m.Calls = append(m.Calls, chat.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		if c.Custom {
			m.custom = append(m.custom, c.ID)
		}
	}
	m.Parts, err = parseContent(fields.get("content"), at+".content")
	return m, err
}

func parseContent(raw json.RawMessage, at string) (parts []Part, err error) {
	if isNull(raw) {
		return nil, nil
	}
	if said, ok := text(raw); ok {
		return []Part{{Kind: "text", Text: said}}, nil
	}
	ok := split(raw, '[', func(_, raw []byte) {
		if err != nil {
			return
		}
		var p Part
		p, err = parsePart(raw, fmt.Sprintf("%s[%d]", at, len(parts)))
		parts = append(parts, p)
	})
	if !ok {
		err = invalid(at, "a text or a list of parts")
	}
	return parts, err
}

// FromChat is a message of inlay's own in this format. Attachments stay out:
// their text is in the message's text already.
func FromChat(is chat.Message) Message {
	m := Message{Role: string(is.Role), Parts: []Part{TextPart(is.Text)}}
	m.writeParts()
	m.SetCalls(is.ToolCalls, is.ToolCallID)
	return m
}

// FromChats is [FromChat] for a conversation.
func FromChats(list []chat.Message) []Message {
	out := make([]Message, len(list))
	for i, m := range list {
		out[i] = FromChat(m)
	}
	return out
}

// Text is what the message says, its text parts joined by line breaks.
func (m *Message) Text() string {
	var texts []string
	for _, p := range m.Parts {
		if p.Kind == "text" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Chat is the message as inlay counts it: text, calls, and one of inlay's roles.
func (m *Message) Chat() chat.Message {
	role := chat.Role(m.Role)
	switch m.Role {
	case "developer":
		role = chat.System
	case "function":
		role = chat.Tool
	}
	return chat.Message{Role: role, Text: m.Text(), ToolCalls: m.Calls, ToolCallID: m.CallID}
}

// Files are the files attached to the message.
func (m *Message) Files() []File {
	var files []File
	for _, p := range m.Parts {
		if p.File != nil {
			files = append(files, *p.File)
		}
	}
	return files
}

// HasFiles reports whether a part is a file, which no model gets to see.
func (m *Message) HasFiles() bool {
	return slices.ContainsFunc(m.Parts, func(p Part) bool { return p.File != nil })
}

// Rewrite puts text in the place of the message's text, removes its files and
// adds images at the end. Every other part keeps its value and its place.
func (m *Message) Rewrite(text string, images ...Part) {
	var parts []Part
	done := false
	for _, p := range m.Parts {
		switch {
		case p.Kind == "text" && !done:
			done = true
			parts = append(parts, TextPart(text))
		case p.Kind != "text" && p.File == nil:
			parts = append(parts, p)
		}
	}
	if !done && (text != "" || len(parts)+len(images) == 0) {
		parts = slices.Insert(parts, 0, TextPart(text))
	}
	m.Parts = append(parts, images...)
	m.writeParts()
}

// writeParts puts the parts into the content: a text alone as a text.
func (m *Message) writeParts() {
	m.change("role", quote(m.Role))
	if len(m.Parts) == 1 && m.Parts[0].Kind == "text" {
		m.change("content", quote(m.Parts[0].Text))
		return
	}
	raws := make([]json.RawMessage, len(m.Parts))
	for i, p := range m.Parts {
		raws[i] = p.encode()
	}
	m.change("content", array(raws))
}

// SetCalls replaces the calls of an assistant's message, and for a tool's result
// the id of the call it answers; an empty id leaves that as it is.
func (m *Message) SetCalls(calls []chat.ToolCall, callID string) {
	m.change("role", quote(m.Role))
	if callID != "" {
		m.CallID = callID
		m.change("tool_call_id", quote(callID))
	}
	m.Calls = calls
	if len(calls) == 0 {
		m.fields.remove("tool_calls")
		return
	}
	m.change("tool_calls", encodeCalls(callPieces(calls, m.custom), false))
}

// change sets a field.
func (m *Message) change(name string, value json.RawMessage) {
	m.raw = nil
	m.fields.set(name, value)
}

// MarshalJSON implements [json.Marshaler]. It is what was decoded, byte for byte,
// unless the message was changed; [json.Marshal] removes its spaces nevertheless,
// and [MarshalMessages] does not.
func (m Message) MarshalJSON() ([]byte, error) {
	if m.raw != nil {
		return m.raw, nil
	}
	if m.fields == nil { // made from its exported fields
		made := Message{Role: m.Role, Parts: m.Parts}
		made.writeParts()
		made.SetCalls(m.Calls, m.CallID)
		m.fields = made.fields
	}
	return m.fields.encode(), nil
}

// MarshalMessages encodes the field messages of a request.
func MarshalMessages(messages []Message) (json.RawMessage, error) {
	raws := make([]json.RawMessage, len(messages))
	for i, m := range messages {
		raw, err := m.MarshalJSON()
		if err != nil {
			return nil, err
		}
		raws[i] = raw
	}
	return array(raws), nil
}

// Clone is a message that can be changed without changing m.
func (m *Message) Clone() Message {
	c := *m
	c.Parts, c.Calls, c.fields = slices.Clone(m.Parts), slices.Clone(m.Calls), slices.Clone(m.fields)
	for i, p := range c.Parts {
		if p.File != nil {
			f := *p.File
			c.Parts[i].File = &f
		}
	}
	return c
}

// Chain continues the hash of a conversation by this message: by what is said,
// not by how its JSON is written.
func (m *Message) Chain(before []byte) []byte {
	sum := sha256.New()
	write := func(s string) { sum.Write(fmt.Appendf(nil, "%d:%s", len(s), s)) }
	sum.Write(before)
	write(m.Role)
	write(m.CallID)
	for _, c := range m.Calls {
		write(c.ID + c.Name + c.Arguments)
	}
	for _, p := range m.Parts {
		write(p.Kind)
		switch {
		case p.File != nil && p.File.ID != "":
			write(p.File.ID)
		case p.File != nil:
			write(p.File.Name)
			data := sha256.Sum256(p.File.Data)
			write(string(data[:]))
		case p.Kind == "text":
			write(p.Text)
		default:
			var b bytes.Buffer
			_ = json.Compact(&b, p.raw)
			write(b.String())
		}
	}
	return sum.Sum(nil)
}
