// Package route decides, before a large model is called, whether the next step
// is a single tool or that model, and if the model, with a condensed prompt that
// leaves the tool catalogue out (SPEC section 7).
//
//	ask, compact context ─► Decider ─► checked ─┬─ tool: one proposal, for the host to approve
//	                          └─ failed: the     └─ big: condensed prompt, minimal messages
//	                             unrouted prompt
//
// Nothing is executed here. Off by default; while off, prompts are byte for byte
// what the host made them. There are two deciders, [Heuristic] (no model) and
// [Model].
package route

import (
	"context"
	"encoding/json"
	"strings"

	"inlay/chat"
)

// Kind is where a turn goes.
type Kind string

// The two kinds.
const (
	ToTool Kind = "tool"
	ToBig  Kind = "big"
)

// Decision is what was decided, with the seed's names. A tool decision has
// exactly one tool.
type Decision struct {
	Decision  Kind   `json:"decision"`
	Tool      *Call  `json:"tool,omitempty"`
	Big       *Big   `json:"big,omitempty"`
	Reasoning string `json:"reasoning"`
	Code      Code   `json:"code,omitempty"` // why, for counters
}

// Code is why a turn was decided as it was.
type Code string

// The codes of decisions, and of turns that were not routed.
const (
	ByTool     Code = "tool"        // one tool is the next step
	Asks       Code = "followup"    // something is missing that the user must say
	Conceptual Code = "conceptual"  // knowledge, writing or talk: nothing of the workspace is asked for
	AtHand     Code = "at_hand"     // what is asked about is in the conversation
	Attached   Code = "attached"    // what is asked about is attached to the message
	Work       Code = "work"        // the model must write or look, and keeps its tools
	Unsure     Code = "unsure"      // no rule is sure: the model decides, with its tools
	OfClient   Code = "client_tool" // a tool of the client's own may be needed
	NoTool     Code = "no_tool"     // the client lacks the proposed tool, or has one of the name that takes something else
	Forced     Code = "tool_choice" // the client names the tool, or forbids all: not routed
	ByModel    Code = "model"       // the deciding model sends it to the large one
	Failed     Code = "failed"      // there is no decision: not routed
)

// Call proposes a tool.
type Call struct {
	Name   string         `json:"name"`
	Params map[string]any `json:"params"`
}

func (c Call) path() string { p, _ := c.Params["path"].(string); return p }

// ToolCall is the proposal as a chat carries it.
func (c Call) ToolCall(id string) (chat.ToolCall, error) {
	args, err := arguments(c.Params)
	return chat.ToolCall{ID: id, Name: c.Name, Arguments: args}, err
}

// arguments are JSON that reads as it was meant: a diff keeps its "<".
func arguments(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// Big says how the large model is to be called. Deciders give notes; Decide adds
// the rest.
type Big struct {
	Notes              string         `json:"notes"`
	NeedsTools         bool           `json:"needsTools,omitempty"` // what it must do takes tools: the prompt stays whole
	UseCondensedPrompt bool           `json:"useCondensedPrompt"`
	CondensedPrompt    string         `json:"condensedPrompt,omitempty"`
	Messages           []chat.Message `json:"messages,omitempty"`
}

// Input is what a decider sees: the ask, and no more of the conversation than
// preprocessorMaxContextChars characters.
type Input struct {
	Ask     string
	Context string   // compact summary of the conversation
	Last    *Last    // the last tool result, if a tool ran before
	Done    []Call   // calls that were made since the ask, oldest first
	Read    []string // files whose text is at hand
	Files   []string // names of files that came with the message or are in the prompt already
	Tools   []string // names of the tools that the mode allows and that are there
	Offered []Tool   // the same, with what they take
}

// Last is a preview of the last tool result.
type Last struct {
	Tool    string `json:"tool"`
	Path    string `json:"path,omitempty"` // of a file tool
	Preview string `json:"preview"`
	Cut     bool   `json:"cut,omitempty"` // the preview is not all that was returned
}

// Decider proposes a decision. What it proposes is checked; an error leaves the
// prompt unrouted. It is safe for concurrent use.
type Decider interface {
	// Name is "heuristic" or the model's, for results and logs.
	Name() string
	Decide(ctx context.Context, in Input) (Decision, Usage, error)
}

// Usage is the tokens a decider spent.
type Usage struct{ In, Out int }
