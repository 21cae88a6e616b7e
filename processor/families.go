package processor

import (
	"encoding/json"
	"slices"
	"time"

	"inlay/chat"
	"inlay/llm"
)

// MessageModifier changes the messages of a call before it.
type MessageModifier = Processor[[]Message]

// ToolInjection changes which tools the model is offered.
type ToolInjection = Processor[[]Tool]

// ToolParameter rewrites a tool call. It and [ToolValidation] both look at
// single calls, each as a type of its own, so that a rewriter is not taken for
// a guard.
type ToolParameter = Processor[Call]

// ToolValidation judges a tool call.
type ToolValidation = Processor[Candidate]

// ResponseModifier changes an answer before the agent acts on it.
type ResponseModifier = Processor[Response]

// Step wraps the model's call. Either function may be nil. After-steps run in
// the reverse of the declared order, so that what a step did before the call
// it undoes last.
type Step struct {
	Name   string
	Before Func[Request]
	After  Func[Response]
}

// Call is a model's request to run a tool.
type Call struct {
	chat.ToolCall
	Tool Tool // what it asks for; its Name is empty if there is no such tool
}

// Candidate is a call that is about to be run. Validators judge it and cannot
// change it: their only answers are [Continue], [Deny] and [Halt].
type Candidate struct{ Call }

// Request is what is about to be sent to a model.
type Request struct {
	Model    string // of the models at hand; empty: the first
	Messages []Message
	Tools    []Tool
	Attempt  int // from 1

	MaxTokens   int
	Temperature *float64
	Seed        *int
	Stop        []string
	Schema      json.RawMessage

	// Stream changes the answer's pieces on their way, in this order. Each is
	// made again for every call.
	Stream []func() StreamTransform
}

// StreamTransform changes the text of an answer as it comes: it is given each
// piece and returns what can go on; at the end it is given "" and true and
// returns what it held back.
type StreamTransform func(piece string, end bool) string

// Response is what came back. With Err set the call failed, and the after-steps
// decide what becomes of that: one may return [Retry], or clear Err.
type Response struct {
	Text      string
	Thinking  string
	ToolCalls []chat.ToolCall
	Done      string
	Usage     llm.Usage
	Model     string // who answered
	Attempt   int
	Err       error

	Request *Request // what was asked; not to be changed
}

// Message is the answer as the conversation keeps it.
func (r Response) Message() Message {
	m := Message{Role: chat.Assistant, ToolCalls: slices.Clone(r.ToolCalls)}
	if r.Text != "" {
		m.Parts = []Part{{Text: r.Text, Origin: FromModel}}
	}
	return m
}

func (r Request) clone() Request {
	r.Messages, r.Tools, r.Stop, r.Stream = CloneMessages(r.Messages), cloneTools(r.Tools), slices.Clone(r.Stop), slices.Clone(r.Stream)
	r.Schema = slices.Clone(r.Schema)
	return r
}

func (r Response) clone() Response {
	r.ToolCalls = slices.Clone(r.ToolCalls)
	if r.Request != nil {
		asked := r.Request.clone()
		r.Request = &asked
	}
	return r
}

func cloneCall(c Call) Call {
	c.Tool = cloneTools([]Tool{c.Tool})[0]
	return c
}

func cloneCandidate(c Candidate) Candidate { return Candidate{cloneCall(c.Call)} }

// MessageChain orders message modifiers. A name that is missing or there twice
// is fault.Usage, here and in the other constructors.
func MessageChain(p ...MessageModifier) (Chain[[]Message], error) {
	return newChain(kind[[]Message]{family: MessageModifiers, may: []Kind{Halts}, clone: CloneMessages, tokens: func(t *Turn, v []Message) int { return t.Size(v...) }}, p)
}

// InjectionChain orders what decides on the tools that the model is offered.
func InjectionChain(p ...ToolInjection) (Chain[[]Tool], error) {
	return newChain(kind[[]Tool]{family: ToolModifiers, stage: "injection", may: []Kind{Halts}, clone: cloneTools}, p)
}

// ParameterChain orders what rewrites the arguments of calls.
func ParameterChain(p ...ToolParameter) (Chain[Call], error) {
	return newChain(kind[Call]{family: ToolModifiers, stage: "parameter", may: []Kind{Halts, Denies}, clone: cloneCall}, p)
}

// ValidationChain orders what judges calls.
func ValidationChain(p ...ToolValidation) (Chain[Candidate], error) {
	return newChain(kind[Candidate]{family: ToolModifiers, stage: "validation", may: []Kind{Halts, Denies}, clone: cloneCandidate, fixed: true}, p)
}

// ResponseChain orders response modifiers.
func ResponseChain(p ...ResponseModifier) (Chain[Response], error) {
	return newChain(kind[Response]{family: ResponseModifiers, may: []Kind{Halts}, clone: Response.clone, tokens: func(t *Turn, r Response) int { return t.Count(r.Text) }}, p)
}

// Steps are model steps in order.
type Steps struct {
	Before Chain[Request]
	After  Chain[Response] // in reverse order
}

// StepChain orders model steps.
func StepChain(steps ...Step) (Steps, error) {
	var before []Processor[Request]
	var after []Processor[Response]
	for _, s := range steps {
		if s.Before != nil {
			before = append(before, Processor[Request]{Name: s.Name, Run: s.Before})
		}
		if s.After != nil {
			after = slices.Insert(after, 0, Processor[Response]{Name: s.Name, Run: s.After})
		}
	}
	var out Steps
	var err error
	if out.Before, err = newChain(kind[Request]{
		family: LLMSteps, stage: "before", may: []Kind{Halts}, clone: Request.clone,
		tokens: func(t *Turn, r Request) int { return t.Size(r.Messages...) },
	}, before); err != nil {
		return Steps{}, err
	}
	out.After, err = newChain(kind[Response]{
		family: LLMSteps, stage: "after", may: []Kind{Halts, Retries}, clone: Response.clone,
		tokens: func(t *Turn, r Response) int { return t.Count(r.Text) },
	}, after)
	return out, err
}

// mostWait bounds what one retry may wait.
const mostWait = time.Minute
