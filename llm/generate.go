package llm

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"

	"inlay/chat"
	"inlay/llm/completion"
)

// Generator is a model that answers. Implementations are safe for concurrent use.
type Generator interface {
	// Name is "provider:model", for results and errors.
	Name() string
	// Generate streams the answer to r. The sequence ends after the first
	// error or after the delta that carries Done; leaving the loop early or
	// ending ctx stops the model. A prompt larger than the window is
	// fault.DoesNotFit, never a cut prompt; a stream that breaks off is
	// fault.BackendUnreachable, one that the server ends before the model was
	// done fault.AnswerUnfinished.
	Generate(ctx context.Context, r Request) iter.Seq2[Delta, error]
}

// ErrUnfinished says that an Ollama server ended an answer in good order, but
// before the model was done, as it does when a model says one token over thirty
// times on end. It comes in a fault.AnswerUnfinished. Other servers have no such
// habit, and theirs come with the cause that was seen.
var ErrUnfinished = errors.New("the server ended the model's answer before it was complete, as it does when a model repeats itself")

// Request asks for one answer. Zero fields leave the model's own defaults.
type Request struct {
	Messages    []chat.Message
	MaxTokens   int             // most tokens of the answer; 0: until the model stops
	Temperature *float64        // nil: the model's own
	Seed        *int            // nil: the model's own
	Stop        []string        // texts that end the answer
	Schema      json.RawMessage // a JSON schema that the answer must follow; nil: free text
	Tools       []Tool          // what the model may ask to have run; nil: it answers in text
	Thread      *Thread         // nil: the server is to keep nothing
}

// Thread asks a server that keeps answers to keep this one, so that a later
// request can go on from it; others pay it no heed. What the server lays before
// Messages then is in no measurement, which is why nothing of inlay's own starts
// a thread.
type Thread struct {
	Previous string // the Delta.ID that this request goes on from; empty: it is the first
}

// Tool is a function that a model may ask for. It is told its name, what it
// does and the shape of its arguments.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // a JSON schema of type object; nil: no arguments
}

// Delta is a piece of an answer.
type Delta struct {
	Text     string // of the answer
	Thinking string // of the model's reasoning, where the server tells it apart
	Done     string // on the last delta, why the model stopped: "stop", "length", "tool_calls"
	Usage    Usage  // on the last delta, where the server reports it

	ID string // on the last delta, the answer's name at a server that keeps answers

	ToolCalls []chat.ToolCall // whole calls, each on one delta; all have an ID
}

// Usage is what a server counted.
type Usage = completion.Usage

// Answer is a whole answer.
type Answer struct {
	Text      string
	Done      string
	Usage     Usage
	ID        string // for a Thread
	ToolCalls []chat.ToolCall
}

// Collect asks g and waits for the whole answer. On an error it returns what
// had come until then.
func Collect(ctx context.Context, g Generator, r Request) (Answer, error) {
	var text strings.Builder
	var a Answer
	for d, err := range g.Generate(ctx, r) {
		if err != nil {
			a.Text = text.String()
			return a, err
		}
		text.WriteString(d.Text)
		a.ToolCalls = append(a.ToolCalls, d.ToolCalls...)
		if d.Done != "" {
			a.Done, a.Usage, a.ID = d.Done, d.Usage, d.ID
		}
	}
	a.Text = text.String()
	return a, nil
}

// Relay is a model that takes and gives the JSON forms of the OpenAI API's chat
// completions, so that a proxy can pass on what it does not know: tools,
// images, formats. Implementations are safe for concurrent use.
type Relay interface {
	// Name is "provider:model", for results and errors.
	Name() string
	// Relay asks for a completion. body is the request's fields; the model is
	// set by the implementation. With "stream": true the sequence yields each
	// chunk as it comes, else the one completion. It ends after the first
	// error; leaving the loop early or ending ctx stops the model. A prompt
	// larger than the window is fault.DoesNotFit, never a cut prompt; streams
	// that end too early are errors as in [Generator].
	Relay(ctx context.Context, body map[string]json.RawMessage) iter.Seq2[*completion.Chunk, error]
}
