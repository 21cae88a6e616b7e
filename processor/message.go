package processor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"inlay/chat"
)

// Origin says who wrote a piece of text, and so what may be done with it.
type Origin string

// The origins. References, placeholders and commands are looked for only in
// what the user of this turn or the author of a prompt wrote (PRO-6).
const (
	FromUser        Origin = "user"        // of this turn
	FromAuthor      Origin = "author"      // who wrote the system prompt and other fixed wording
	FromModel       Origin = "model"       // said by the model
	FromHistory     Origin = "history"     // of earlier turns
	FromFile        Origin = "file"        // a document
	FromMemory      Origin = "memory"      // a remembered note
	FromArgument    Origin = "argument"    // the value of a placeholder
	FromCommand     Origin = "command"     // what a command printed
	FromTool        Origin = "tool"        // what a tool returned
	FromEnvironment Origin = "environment" // the surroundings: paths, names, time, selections
)

// Expandable reports whether references in the text mean anything.
func (o Origin) Expandable() bool { return o == FromUser || o == FromAuthor }

// Part is a piece of a message.
type Part struct {
	Text   string `json:"text"`
	Origin Origin `json:"origin"`
	Name   string `json:"name,omitempty"`  // of what was inserted: the file, the note, the placeholder
	Block  bool   `json:"block,omitempty"` // is between fences of its own when the message is written
}

// Message is a message in pieces that know where they come from.
type Message struct {
	Role        chat.Role         `json:"role"`
	Parts       []Part            `json:"parts,omitempty"`
	Attachments []chat.Attachment `json:"attachments,omitempty"`
	ToolCalls   []chat.ToolCall   `json:"tool_calls,omitempty"`
	ToolCallID  string            `json:"tool_call_id,omitempty"`
	Injected    *chat.Injected    `json:"injected,omitempty"`
	Transient   bool              `json:"transient,omitempty"` // made again for each call; not part of the conversation
	Ref         int               `json:"-"`                   // the host's own number of a message that it handed in; 0 for what processors make
}

// Text is the message as the model reads it: its parts one after the other,
// those that are blocks each between two fence lines that occur nowhere in the
// message, so that inserted text cannot end its own quotation.
func (m Message) Text() string {
	if len(m.Parts) == 1 && !m.Parts[0].Block {
		return m.Parts[0].Text
	}
	mark := ""
	if slices.ContainsFunc(m.Parts, func(p Part) bool { return p.Block }) {
		mark = m.fence()
	}
	var b strings.Builder
	for _, p := range m.Parts {
		if p.Block {
			writeBlock(&b, mark, p)
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func writeBlock(b *strings.Builder, mark string, p Part) {
	if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "%s begin %s %q\n%s", mark, p.Origin, p.Name, p.Text)
	if !strings.HasSuffix(p.Text, "\n") {
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "%s end\n", mark)
}

// fence derives a marker from the message and makes sure that it does not
// occur in it: the same message is written the same.
func (m Message) fence() string {
	for salt := 0; ; salt++ {
		h := sha256.New()
		h.Write(fmt.Appendf(nil, "%d\n", salt))
		for _, p := range m.Parts {
			h.Write(fmt.Appendf(nil, "%d:%s%d:%s", len(p.Name), p.Name, len(p.Text), p.Text))
		}
		mark := "=====" + hex.EncodeToString(h.Sum(nil)[:6])
		if !slices.ContainsFunc(m.Parts, func(p Part) bool { return strings.Contains(p.Text, mark) || strings.Contains(p.Name, mark) }) {
			return mark
		}
	}
}

// Chat is the message as a history and a model know it.
func (m Message) Chat() chat.Message {
	return chat.Message{
		Role: m.Role, Text: m.Text(), Attachments: m.Attachments, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, Injected: m.Injected,
	}
}

// FromChat is a message of an earlier turn. Nothing in it is expanded again.
func FromChat(m chat.Message) Message {
	o := FromHistory
	switch m.Role {
	case chat.Assistant:
		o = FromModel
	case chat.Tool:
		o = FromTool
	default:
	}
	return Message{
		Role: m.Role, Parts: []Part{{Text: m.Text, Origin: o}}, Attachments: m.Attachments,
		ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, Injected: m.Injected,
	}
}

// Say is a message of one part.
func Say(role chat.Role, o Origin, text string) Message {
	return Message{Role: role, Parts: []Part{{Text: text, Origin: o}}}
}

// Chats are messages as a model takes them.
func Chats(messages []Message) []chat.Message {
	out := make([]chat.Message, len(messages))
	for i, m := range messages {
		out[i] = m.Chat()
	}
	return out
}

// Clone copies everything of m that can be written.
func (m Message) Clone() Message {
	m.Parts, m.Attachments, m.ToolCalls = slices.Clone(m.Parts), slices.Clone(m.Attachments), slices.Clone(m.ToolCalls)
	if m.Injected != nil {
		in := *m.Injected
		in.FileIDs, in.FileNumbers, in.Citations = slices.Clone(in.FileIDs), slices.Clone(in.FileNumbers), slices.Clone(in.Citations)
		m.Injected = &in
	}
	return m
}

// CloneMessages copies messages with everything that can be written.
func CloneMessages(messages []Message) []Message {
	if messages == nil {
		return nil
	}
	out := make([]Message, len(messages))
	for i, m := range messages {
		out[i] = m.Clone()
	}
	return out
}

// LastUser is the index of the newest message of the user; -1 if there is none.
func LastUser(messages []Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == chat.User {
			return i
		}
	}
	return -1
}

// System returns messages whose first is the turn's own system message, made
// if it is not there, with a part appended to it. Everything that tells the
// model about its surroundings is there, so that templates that know one
// system message can be used.
func System(messages []Message, p Part) []Message {
	if len(messages) == 0 || !messages[0].Transient || messages[0].Role != chat.System {
		return slices.Insert(slices.Clone(messages), 0, Message{Role: chat.System, Transient: true, Parts: []Part{p}})
	}
	out := slices.Clone(messages)
	out[0] = out[0].Clone()
	if n := len(out[0].Parts); !p.Block && n > 0 && !out[0].Parts[n-1].Block {
		p.Text = "\n\n" + p.Text
	}
	out[0].Parts = append(out[0].Parts, p)
	return out
}

// Settle is what of a prompt belongs to the conversation: all but what was
// made for this call, with what the user wrote closed for further expansion.
func Settle(prompt []Message) []Message {
	var out []Message
	for _, m := range prompt {
		if m.Transient {
			continue
		}
		m = m.Clone()
		for i, p := range m.Parts {
			if p.Origin.Expandable() {
				m.Parts[i].Origin = FromHistory
			}
		}
		out = append(out, m)
	}
	return out
}
