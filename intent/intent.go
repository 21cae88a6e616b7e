// Package intent splits the first message of a round into what the user wants
// and the bulk that was pasted beside it: logs, code, tables, mails, articles.
// The bulk becomes documents, which are then files like any other; the rest
// is the current prompt (SPEC section 6).
//
//	raw message ─► Analyzer ─► Complete: every byte accounted for ─► Result: current prompt, documents
//	                  └─ failed or invalid ─► the raw message, no documents
//
// Nothing the user wrote is lost: the raw message is kept, every document is
// raw[Start:End], and [Complete] makes every analysis account for the whole
// message. Moving bulk never gives the model less than the raw message would
// have: [Result.Prefer] decides that once the turn knows what fits. There are
// two analyzers, [Builtin] (structure and size, no model) and [Model] (asks a
// model).
package intent

import (
	"context"

	"inlay/tokens"
)

// Label groups the documents of a message.
const Label = "user_context"

// Message is what an analyzer works on.
type Message struct {
	Text   string       // the raw message
	Window int          // the model's context window, in tokens
	Tokens tokens.Count // of Text; at least so many where it is large
	Large  bool         // Text takes a tenth of the window or more: bulk is to be moved
}

// Analysis is an analyzer's answer, with the seed's names.
type Analysis struct {
	DetectedLanguage string `json:"detectedLanguage,omitempty"` // ISO 639-1; empty: not told
	Intent           string `json:"intent"`                     // what the user wants, in that language
	ContextItems     []Item `json:"contextItems"`               // in the order of the message

	Paraphrased []Range `json:"-"` // set by Complete: sentences of the message that the intent says in other words
	Completed   int     `json:"-"` // set by Complete: bytes that the analyzer left out and that were added
	Usage       Usage   `json:"-"` // what the analyzer spent
}

// Usage is the tokens that a model reports for its analysis, all tries together.
type Usage struct{ In, Out int }

// Item is bulk to be attached as a document.
type Item struct {
	Title    string `json:"title"`
	MimeType string `json:"mimeType"`
	Content  string `json:"content"`        // raw[Start:End]
	Kind     Kind   `json:"kind,omitempty"` // what the built-in analyzer took it for
	Start    int    `json:"start"`          // half-open range of bytes of the raw message
	End      int    `json:"end"`
}

// Kind is what a piece of bulk looks like.
type Kind string

// The kinds that [Builtin] tells apart.
const (
	Code       Kind = "code"
	JSON       Kind = "json"
	Markup     Kind = "markup" // XML, HTML
	Settings   Kind = "settings"
	Diff       Kind = "diff"
	Table      Kind = "table" // CSV, TSV, Markdown and aligned tables
	Log        Kind = "log"   // logs, traces, output of programs
	Mail       Kind = "mail"  // quoted and forwarded mails
	Transcript Kind = "transcript"
	List       Kind = "list"
	Blob       Kind = "blob" // base64, hex dumps, keys
	Prose      Kind = "text" // articles, specifications
)

// Analyzer splits a message. Its items must be exact slices of the message, in
// order and apart; an analysis that is not so, or an error, leaves the raw
// message as the prompt. It is safe for concurrent use.
type Analyzer interface {
	// Name is "builtin" or the model's, for results and logs.
	Name() string
	// Analyze splits m. Where m is not Large there are no items.
	Analyze(ctx context.Context, m Message) (Analysis, error)
}
