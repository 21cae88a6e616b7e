// Package chat holds the vocabulary of a conversation: roles, messages, the files
// attached to them and the citations that come with an answer.
//
// It imports nothing of inlay, so that every other package can refer to a
// conversation without depending on how documents are read or found.
package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

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
	Raw         string       `json:"raw,omitempty"`          // of a user message whose bulk became documents: what the user wrote

	// Execution is the inlay.execution/v1 of a user message that a strategy
	// made: enough to replay it to the byte (STR-4).
	Execution json.RawMessage `json:"execution,omitempty"`
}

// UserText is what the user wrote, before anything was injected or moved.
func (m Message) UserText() string {
	switch {
	case m.Raw != "":
		return m.Raw
	case m.Injected != nil && m.Injected.Query != "":
		return m.Injected.Query
	}
	return m.Text
}

// Attachment names a file that is attached to a message. Its bytes are stored
// elsewhere.
type Attachment struct {
	FileID    string `json:"file_id"`              // content id, see parse.FileID
	Name      string `json:"name"`                 // as the user sees it
	MediaType string `json:"media_type,omitempty"` // "application/pdf"
	Read      bool   `json:"read,omitempty"`       // of an image: OCR read its text, so it is a document
	Path      string `json:"path,omitempty"`       // where the command found it; empty for uploads
	Label     string `json:"label,omitempty"`      // "user_context": a document cut from the message's Raw, Raw[Start:End]
	Start     int    `json:"start,omitempty"`
	End       int    `json:"end,omitempty"`
}

// IsImage reports whether the attachment is an image alone, which inlay never
// parses, counts or retrieves (INJ-2).
func (a Attachment) IsImage() bool { return strings.HasPrefix(a.MediaType, "image/") && !a.Read }

// DocumentType is the media type to read the attachment's bytes as; empty for an
// image that was read, which is recognized by its bytes.
func (a Attachment) DocumentType() string {
	if a.Read {
		return ""
	}
	return a.MediaType
}

// Cut is the document that was cut from a message's raw text; ok is false for
// any other attachment.
func (a Attachment) Cut(raw string) (data []byte, ok bool) {
	if a.Label == "" || a.Start < 0 || a.Start >= a.End || a.End > len(raw) {
		return nil, false
	}
	return []byte(raw[a.Start:a.End]), true
}

// ToolCall is an assistant's request to run a tool.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // a JSON object, as the model wrote it
}

// Injected records what was injected into a message, so that later turns know it
// without guessing (INJ-21).
type Injected struct {
	Strategy    string      `json:"strategy"`
	Query       string      `json:"query,omitempty"`        // the user's own words, before the rewriting
	FileIDs     []string    `json:"file_ids,omitempty"`     // files whose whole text is in the message
	FileNumbers []int       `json:"file_numbers,omitempty"` // their marks in the prompt; without them they follow the passages
	Whole       []WholeText `json:"whole,omitempty"`        // where in the message those texts are
	Citations   []Citation  `json:"citations,omitempty"`
}

// FileNumber is the mark in the prompt of the i-th of FileIDs.
func (in *Injected) FileNumber(i int) int {
	if len(in.FileNumbers) == len(in.FileIDs) {
		return in.FileNumbers[i]
	}
	return len(in.Citations) + i + 1
}

// WholeText is a document's whole text inside a message: Text[Start:End], a
// half-open range of bytes. Sum tells whether the text is still there, however
// the conversation was edited since.
type WholeText struct {
	FileID  string `json:"file_id"`
	File    string `json:"file,omitempty"`    // its path in the library, of one that is not attached
	Library string `json:"library,omitempty"` // that the document is of
	Content string `json:"content"`           // content id of the file's bytes, see parse.FileID
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Sum     string `json:"sum"` // the first 16 hexadecimal digits of the range's SHA-256
}

// Sum is the digest that [WholeText] keeps of a text.
func Sum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Holds reports whether the text that w describes is still in the message.
func (m Message) Holds(w WholeText) bool {
	return w.Start >= 0 && w.Start < w.End && w.End <= len(m.Text) && Sum(m.Text[w.Start:w.End]) == w.Sum
}

// Citation is a passage of a document shown to the model, by SPEC section 12.
// Start and End are a half-open range of UTF-8 bytes of the document's
// extracted text: text[Start:End] == Text always holds. Page, slide, sheet, part
// and heading are those where the words are that answered, lines and rows those
// of the whole text, of a file in an archive those of that file. Numbers, pages, rows and lines start at 1; zero means
// unknown.
type Citation struct {
	ID        string   `json:"id"`     // stable for the same bytes, chunking and range
	Number    int      `json:"number"` // as shown in the prompt
	Text      string   `json:"text"`
	File      string   `json:"file"`
	Library   string   `json:"library,omitempty"` // that the file is of; File is its path there
	FileID    string   `json:"file_id"`
	Page      int      `json:"page,omitempty"`     // that the answer is on; the first, where it is on several
	PageEnd   int      `json:"page_end,omitempty"` // the last of several
	Sheet     string   `json:"sheet,omitempty"`
	RowStart  int      `json:"row_start,omitempty"` // of tables in CSV files and workbooks: as the file numbers its rows
	RowEnd    int      `json:"row_end,omitempty"`
	Slide     int      `json:"slide,omitempty"`
	SlideEnd  int      `json:"slide_end,omitempty"`
	TimeStart string   `json:"time_start,omitempty"` // of subtitles: "0:01:02"
	TimeEnd   string   `json:"time_end,omitempty"`
	Part      string   `json:"part,omitempty"` // attachment, chapter or member of an archive
	Heading   string   `json:"heading,omitempty"`
	LineStart int      `json:"line_start"`
	LineEnd   int      `json:"line_end"`
	Start     int      `json:"start"`
	End       int      `json:"end"`
	Affinity  float64  `json:"affinity"`               // 0..1, RET-5
	Rank      int      `json:"rank"`                   // 1 is best
	Rerank    *float64 `json:"rerank_score,omitempty"` // by the reranker, where one read it; compares within one answer only
	Header    string   `json:"header,omitempty"`       // a table's header row where the text lacks it (RET-2)
	Hit       *Range   `json:"hit,omitempty"`          // what was found, where the citation was widened around it
	Ranges    []Range  `json:"ranges,omitempty"`       // of the file's text that a prompt shows of Text, where it leaves out headers and footers of pages; else none
}

// Shown is what a prompt shows of the text: all of it but the headers and footers
// of pages that are between its Ranges.
func (c *Citation) Shown() string {
	if len(c.Ranges) == 0 {
		return c.Text
	}
	ranges := make([]Range, len(c.Ranges))
	for i, r := range c.Ranges {
		ranges[i] = Range{r.Start - c.Start, r.End - c.Start}
	}
	return Join(c.Text, ranges)
}

// Range is a half-open range of a file's text, in bytes.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Join returns the ranges of a text, one after the other.
func Join(text string, ranges []Range) string {
	if len(ranges) == 1 {
		return text[ranges[0].Start:ranges[0].End]
	}
	var b strings.Builder
	for _, r := range ranges {
		b.WriteString(text[r.Start:r.End])
	}
	return b.String()
}
