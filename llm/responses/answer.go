package responses

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"inlay/chat"
	"inlay/llm/completion"
)

// Types of events.
const (
	EventCreated          = "response.created"
	EventInProgress       = "response.in_progress"
	EventCompleted        = "response.completed"
	EventIncomplete       = "response.incomplete"
	EventFailed           = "response.failed"
	EventError            = "error"
	EventItemAdded        = "response.output_item.added"
	EventItemDone         = "response.output_item.done"
	EventPartAdded        = "response.content_part.added"
	EventPartDone         = "response.content_part.done"
	EventTextDelta        = "response.output_text.delta"
	EventTextDone         = "response.output_text.done"
	EventAnnotation       = "response.output_text.annotation.added"
	EventArgumentsDelta   = "response.function_call_arguments.delta"
	EventArgumentsDone    = "response.function_call_arguments.done"
	EventInputDelta       = "response.custom_tool_call_input.delta"
	EventInputDone        = "response.custom_tool_call_input.done"
	EventSummaryPart      = "response.reasoning_summary_part.added"
	EventSummaryPartDone  = "response.reasoning_summary_part.done"
	EventSummaryDelta     = "response.reasoning_summary_text.delta"
	EventSummaryDone      = "response.reasoning_summary_text.done"
	EventSearchInProgress = "response.file_search_call.in_progress"
	EventSearching        = "response.file_search_call.searching"
	EventSearched         = "response.file_search_call.completed"
	eventRefusalDelta     = "response.refusal.delta"
	eventReasoningDelta   = "response.reasoning_text.delta"
	finishLength          = "length"
	finishFilter          = "content_filter"
	reasonMaxOutputTokens = "max_output_tokens"
)

// Event is one event of a stream. Which fields it has depends on its type.
type Event struct {
	Type       string    `json:"type"`
	Sequence   int       `json:"sequence_number"` // from 0, without a gap
	Response   *Response `json:"response,omitempty"`
	ItemID     string    `json:"item_id,omitempty"`
	Output     *int      `json:"output_index,omitempty"`
	Content    *int      `json:"content_index,omitempty"`
	Summary    *int      `json:"summary_index,omitempty"`
	Annotation *int      `json:"annotation_index,omitempty"`
	Item       *Item     `json:"item,omitempty"`
	Part       *Part     `json:"part,omitempty"`
	Delta      *string   `json:"delta,omitempty"`
	Text       *string   `json:"text,omitempty"`
	Arguments  *string   `json:"arguments,omitempty"`
	Name       string    `json:"name,omitempty"`
	Input      *string   `json:"input,omitempty"`
	Mark       any       `json:"annotation,omitempty"`
	Logprobs   []any     `json:"logprobs,omitzero"`
	Code       string    `json:"code,omitempty"`
	Message    string    `json:"message,omitempty"`
	Error      *Error    `json:"error,omitempty"`
}

// Answer makes a response, and the events of its stream, of the chunks of a
// completion. Its fields are set once.
type Answer struct {
	Response Response
	// Annotate is what the texts of the answer refer to; nil: nothing.
	Annotate func(text string) []any
	Request  *Request // what was asked

	sequence int
	open     *openItem   // which is being written; nil: none
	calls    []*openCall // of the answer, in their order
	finish   string
	text     strings.Builder
	said     []chat.ToolCall
}

// openItem is the message or the reasoning that is being written.
type openItem struct {
	kind string
	at   int // its place in the output
	id   string
	text strings.Builder
}

// openCall is a call that is being written.
type openCall struct {
	index     int
	id, name  string
	custom    bool
	at        int // its place in the output; -1: it has none yet
	item      string
	arguments strings.Builder
}

// itemID makes the id of an item from the part of a response's id that is its
// own. Where the item is can be read from it: see [Owner].
func itemID(kind, response, where string, n int) string {
	prefix := map[string]string{
		Message: "msg", FunctionCall: "fc", CustomCall: "ctc", Reasoning: "rs", FunctionCallOutput: "fco", CustomCallOutput: "ctco",
		FileSearchCall: "fs",
	}[kind]
	return fmt.Sprintf("%s_%s_%s%d", cmp.Or(prefix, "item"), strings.TrimPrefix(response, "resp_"), where, n)
}

// Owner is the id of the response that an item belongs to; empty for an id that
// this package did not make.
func Owner(item string) string {
	parts := strings.Split(item, "_")
	if len(parts) != 3 {
		return ""
	}
	return "resp_" + parts[1]
}

// Begin is the events before the model says anything.
func (a *Answer) Begin() []Event {
	now := a.snapshot()
	now.Output = []Item{}
	out := []Event{a.event(Event{Type: EventCreated, Response: now}), a.event(Event{Type: EventInProgress, Response: now})}
	return append(out, a.searched()...)
}

// snapshot is the response as it is now.
func (a *Answer) snapshot() *Response {
	now := a.Response
	return &now
}

func (a *Answer) event(e Event) Event {
	e.Sequence = a.sequence
	a.sequence++
	return e
}

// Add takes in the next chunk of the completion. Of several choices the first counts.
func (a *Answer) Add(c *completion.Chunk) (out []Event) {
	if c.Usage != nil {
		u := &Usage{Input: c.Usage.Prompt, Output: c.Usage.Completion, Total: c.Usage.Prompt + c.Usage.Completion}
		a.Response.Usage = u
	}
	for _, one := range c.Choices {
		if one.Index != 0 {
			continue
		}
		if one.Thinking != "" {
			out = append(out, a.think(one.Thinking)...)
		}
		if one.Text != "" {
			out = append(out, a.say(one.Text)...)
		}
		for _, p := range one.Calls {
			out = append(out, a.call(p)...)
		}
		a.finish = cmp.Or(one.Finish, a.finish)
	}
	return out
}

// begin opens an item at the end of the output.
func (a *Answer) begin(kind string) (out []Event) {
	out = a.close()
	at := len(a.Response.Output)
	a.open = &openItem{kind: kind, at: at, id: itemID(kind, a.Response.ID, "o", at)}
	item := Item{ID: a.open.id, Type: kind, Status: InProgress}
	part := Part{}
	switch kind {
	case Message:
		item.Role, item.Content = "assistant", PartContent()
		part = textPart("", nil)
	case Reasoning:
		item.Summary = []Part{}
		part = summaryPart("")
	}
	a.Response.Output = append(a.Response.Output, item)
	out = append(out, a.event(Event{Type: EventItemAdded, Output: &at, Item: &item}))
	first := 0
	if kind == Reasoning {
		return append(out, a.event(Event{Type: EventSummaryPart, ItemID: a.open.id, Output: &at, Summary: &first, Part: &part}))
	}
	return append(out, a.event(Event{Type: EventPartAdded, ItemID: a.open.id, Output: &at, Content: &first, Part: &part}))
}

func textPart(text string, marks []any) Part {
	if marks == nil {
		marks = []any{}
	}
	return Part{Type: OutputText, Text: &text, Annotations: marks, Logprobs: []any{}}
}

func summaryPart(text string) Part { return Part{Type: SummaryText, Text: &text} }

// say adds to the text of the answer.
func (a *Answer) say(text string) (out []Event) {
	if a.open == nil || a.open.kind != Message {
		out = a.begin(Message)
	}
	a.open.text.WriteString(text)
	a.text.WriteString(text)
	first := 0
	return append(out, a.event(Event{Type: EventTextDelta, ItemID: a.open.id, Output: &a.open.at, Content: &first, Delta: &text, Logprobs: []any{}}))
}

// think adds to what the model thought.
func (a *Answer) think(text string) (out []Event) {
	if a.open == nil || a.open.kind != Reasoning {
		out = a.begin(Reasoning)
	}
	a.open.text.WriteString(text)
	first := 0
	return append(out, a.event(Event{Type: EventSummaryDelta, ItemID: a.open.id, Output: &a.open.at, Summary: &first, Delta: &text}))
}

// close ends the item that is being written.
func (a *Answer) close() (out []Event) {
	o := a.open
	if o == nil {
		return nil
	}
	a.open = nil
	text, first := o.text.String(), 0
	item := &a.Response.Output[o.at]
	item.Status = a.status()
	at := func(e Event) Event {
		e.ItemID, e.Output = o.id, &o.at
		return a.event(e)
	}
	switch o.kind {
	case Reasoning:
		part := summaryPart(text)
		item.Summary = []Part{part}
		out = append(out, at(Event{Type: EventSummaryDone, Summary: &first, Text: &text}), at(Event{Type: EventSummaryPartDone, Summary: &first, Part: &part}))
	case Message:
		var marks []any
		if a.Annotate != nil {
			marks = a.Annotate(text)
		}
		for i, mark := range marks {
			out = append(out, at(Event{Type: EventAnnotation, Content: &first, Annotation: &i, Mark: mark}))
		}
		part := textPart(text, marks)
		item.Content = PartContent(part)
		out = append(out, at(Event{Type: EventTextDone, Content: &first, Text: &text, Logprobs: []any{}}), at(Event{Type: EventPartDone, Content: &first, Part: &part}))
	}
	done := *item
	return append(out, a.event(Event{Type: EventItemDone, Output: &o.at, Item: &done}))
}

// status is that of an item that ends now.
func (a *Answer) status() string {
	if a.finish == finishLength || a.finish == finishFilter {
		return Incomplete
	}
	return Completed
}

// call adds a piece of a call. A call is told when its arguments begin: until
// then its name may grow.
func (a *Answer) call(p completion.CallPiece) (out []Event) {
	var c *openCall
	for _, one := range a.calls {
		if one.index == p.Index {
			c = one
		}
	}
	if c == nil {
		out = a.close()
		c = &openCall{index: p.Index, at: -1}
		a.calls = append(a.calls, c)
	}
	c.id, c.name, c.custom = c.id+p.ID, c.name+p.Name, c.custom || p.Custom
	if p.Arguments == "" {
		return out
	}
	out = append(out, a.announce(c)...)
	c.arguments.WriteString(p.Arguments)
	kind := EventArgumentsDelta
	if c.custom {
		kind = EventInputDelta
	}
	return append(out, a.event(Event{Type: kind, ItemID: c.item, Output: &c.at, Delta: &p.Arguments}))
}

// announce puts a call at the end of the output.
func (a *Answer) announce(c *openCall) []Event {
	if c.at >= 0 {
		return nil
	}
	c.at = len(a.Response.Output)
	item := c.as(a.Response.ID, a.Request, InProgress, "")
	c.item = item.ID
	a.Response.Output = append(a.Response.Output, item)
	return []Event{a.event(Event{Type: EventItemAdded, Output: &c.at, Item: &item})}
}

// as is the call as an item.
func (c *openCall) as(response string, r *Request, status, arguments string) Item {
	item := Item{Type: FunctionCall, Status: status, CallID: cmp.Or(c.id, itemID("call", response, "c", c.at)), Arguments: &arguments}
	if item.Namespace, item.Name = r.names.split(c.name); c.custom {
		item.Type, item.Arguments, item.Input = CustomCall, nil, &arguments
	}
	item.ID = itemID(item.Type, response, "o", c.at)
	return item
}

// closeCalls ends the calls, when nothing can follow any more: servers may write
// several side by side.
func (a *Answer) closeCalls() (out []Event) {
	for _, c := range a.calls {
		out = append(out, a.announce(c)...)
		arguments := c.arguments.String()
		if arguments == "" && !c.custom {
			arguments = "{}"
		}
		item := c.as(a.Response.ID, a.Request, a.status(), arguments)
		a.Response.Output[c.at] = item
		done := Event{Type: EventArgumentsDone, ItemID: item.ID, Output: &c.at, Arguments: &arguments, Name: item.Name}
		if c.custom {
			done = Event{Type: EventInputDone, ItemID: item.ID, Output: &c.at, Input: &arguments}
		}
		out = append(out, a.event(done), a.event(Event{Type: EventItemDone, Output: &c.at, Item: &item}))
		a.said = append(a.said, chat.ToolCall{ID: item.CallID, Name: c.name, Arguments: arguments})
	}
	return out
}

// Finish ends what is being written and the response.
func (a *Answer) Finish() []Event {
	out := append(a.close(), a.closeCalls()...)
	now := time.Now().Unix()
	a.Response.Status, a.Response.CompletedAt = Completed, &now
	switch a.finish {
	case finishLength:
		a.Response.Incomplete = &IncompleteDetails{reasonMaxOutputTokens}
	case finishFilter:
		a.Response.Incomplete = &IncompleteDetails{finishFilter}
	}
	if a.Response.Incomplete != nil {
		a.Response.Status, a.Response.CompletedAt = Incomplete, nil
	}
	return out
}

// End is the last event of a response that [Answer.Finish] ended.
func (a *Answer) End() Event {
	kind := EventCompleted
	if a.Response.Status == Incomplete {
		kind = EventIncomplete
	}
	return a.event(Event{Type: kind, Response: a.snapshot()})
}

// Fail ends a response that has begun and cannot go on: an error, which makes
// clients raise one, and the response with its reason.
func (a *Answer) Fail(code, message string) []Event {
	e := &Error{Code: code, Message: message}
	a.Response.Status, a.Response.Error = Failed, e
	return []Event{
		a.event(Event{Type: EventError, Code: code, Message: message, Error: e}),
		a.event(Event{Type: EventFailed, Response: a.snapshot()}),
	}
}

// Said is the answer as a history keeps it. The names of tools are those that
// the model knows.
func (a *Answer) Said() chat.Message {
	return chat.Message{Role: chat.Assistant, Text: a.text.String(), ToolCalls: a.said}
}
