// Package chat has the types of a conversation: roles, messages, attached files
// and the citations of an answer.
//
// It imports no other package of inlay, so that every package can refer to a
// conversation without depending on how documents are read or found.
package chat

import "strings"

// Role says who wrote a message.
type Role string

// The four roles of a chat.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Known reports whether r is one of the four roles.
func (r Role) Known() bool { return r == System || r == User || r == Assistant || r == Tool }

// Message is one turn of a conversation.
type Message struct {
	Role        Role         `json:"role"`
	Text        string       `json:"text"`
	Attachments []Attachment `json:"attachments,omitempty"`
	ToolCalls   []ToolCall   `json:"tool_calls,omitempty"`
	ToolCallID  string       `json:"tool_call_id,omitempty"` // of a tool message: the call it answers
	Injected    *Injected    `json:"injected,omitempty"`     // of a user message that inlay rewrote
	Raw         string       `json:"raw,omitempty"`          // of a user message whose bulk became documents: the original text
}

// Attachment names a file that is attached to a message. Its bytes are stored
// elsewhere.
type Attachment struct {
	FileID    string `json:"file_id"`              // content id, see parse.FileID
	Name      string `json:"name"`                 // as the user sees it
	MediaType string `json:"media_type,omitempty"` // "application/pdf"
	Path      string `json:"path,omitempty"`       // where the command found it; empty for uploads
	Label     string `json:"label,omitempty"`      // "user_context": a document cut from the message's Raw, Raw[Start:End]
	Start     int    `json:"start,omitempty"`
	End       int    `json:"end,omitempty"`
}

// IsImage reports whether the attachment is an image, which inlay never
// parses, counts or retrieves (INJ-2).
func (a Attachment) IsImage() bool { return strings.HasPrefix(a.MediaType, "image/") }

// ToolCall is an assistant's request to run a tool.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // a JSON object, as the model wrote it
}

// Injected records what inlay injected into a message, so that later turns need
// not infer it from the text (INJ-21).
type Injected struct {
	Strategy  string     `json:"strategy"`
	Query     string     `json:"query,omitempty"`    // the user's own words, before the rewriting
	FileIDs   []string   `json:"file_ids,omitempty"` // files whose whole text is in the message
	Citations []Citation `json:"citations,omitempty"`
}

// Citation is a passage of a document shown to the model, by SPEC section 12.
// Start and End are a half-open range of UTF-8 bytes of the document's
// extracted text: text[Start:End] == Text always holds. Numbers, pages and
// lines start at 1; zero means unknown.
type Citation struct {
	ID        string  `json:"id"`     // stable for the same bytes, chunking and range
	Number    int     `json:"number"` // as shown in the prompt
	Text      string  `json:"text"`
	File      string  `json:"file"`
	FileID    string  `json:"file_id"`
	Page      int     `json:"page,omitempty"`
	Sheet     string  `json:"sheet,omitempty"`
	Slide     int     `json:"slide,omitempty"`
	Heading   string  `json:"heading,omitempty"`
	LineStart int     `json:"line_start"`
	LineEnd   int     `json:"line_end"`
	Start     int     `json:"start"`
	End       int     `json:"end"`
	Affinity  float64 `json:"affinity"`         // 0..1, RET-5
	Rank      int     `json:"rank"`             // 1 is best
	Header    string  `json:"header,omitempty"` // a table's header row where the text lacks it (RET-2)
}
