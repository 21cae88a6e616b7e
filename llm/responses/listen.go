package responses

import (
	"cmp"
	"encoding/json"
	"errors"

	"inlay/chat"
	"inlay/llm/completion"
)

// Heard is what an event of a stream says to a client.
type Heard struct {
	Text     string          // of the answer; a refusal is what the model says, so it is text
	Thinking string          // of the model's reasoning
	Call     *chat.ToolCall  // a call that is whole
	Failure  json.RawMessage // the server's error
	End      *End            // of the response
}

// End is how a response ended.
type End struct {
	ID     string
	Reason string // "stop", also after calls, "length", "content_filter", as chat completions have them
	Usage  completion.Usage
}

// ErrNotEvent says what the data of an event is not; it does not repeat it.
var ErrNotEvent = errors.New("an event of the stream is not one of the Responses API")

// heard is one event, with the fields that a client looks at. Servers write others
// into events of other types, so those that matter are decoded where they do.
type heard struct {
	Type     string          `json:"type"`
	Delta    json.RawMessage `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Response struct {
		ID         string             `json:"id"`
		Error      json.RawMessage    `json:"error"`
		Incomplete *IncompleteDetails `json:"incomplete_details"`
		Usage      Usage              `json:"usage"`
	} `json:"response"`
	Error json.RawMessage `json:"error"`
}

// Listen reads the data of an event. Events of other types say nothing.
func Listen(data []byte) (h Heard, err error) {
	var e heard
	if json.Unmarshal(data, &e) != nil {
		return h, ErrNotEvent
	}
	if h.Failure = e.failure(data); h.Failure != nil {
		return h, nil
	}
	switch e.Type {
	case EventTextDelta, eventRefusalDelta:
		err = json.Unmarshal(e.Delta, &h.Text)
	case EventSummaryDelta, eventReasoningDelta:
		err = json.Unmarshal(e.Delta, &h.Thinking)
	case EventItemDone:
		h.Call, err = e.call()
	case EventCompleted, EventIncomplete:
		h.End = e.end()
	}
	if err != nil {
		return h, ErrNotEvent
	}
	return h, nil
}

// failure is the error that an event tells, if any: as the field of the response,
// as that of other addresses, or as the event itself.
func (e heard) failure(data []byte) json.RawMessage {
	switch {
	case e.Type == EventFailed:
		data = e.Response.Error
	case !isNull(e.Error):
		data = e.Error
	case e.Type != EventError:
		return nil
	}
	if len(data) == 0 {
		return json.RawMessage("null")
	}
	return data
}

func (e heard) call() (*chat.ToolCall, error) {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(e.Item, &kind); err != nil || kind.Type != FunctionCall {
		return nil, err
	}
	var item Item
	if err := json.Unmarshal(e.Item, &item); err != nil {
		return nil, err
	}
	c := &chat.ToolCall{ID: item.CallID, Name: item.Name}
	if item.Arguments != nil {
		c.Arguments = *item.Arguments
	}
	return c, nil
}

func (e heard) end() *End {
	r := e.Response
	end := &End{ID: r.ID, Reason: "stop", Usage: completion.Usage{Prompt: r.Usage.Input, Completion: r.Usage.Output}}
	switch {
	case r.Incomplete != nil && r.Incomplete.Reason == reasonMaxOutputTokens:
		end.Reason = finishLength
	case r.Incomplete != nil:
		end.Reason = cmp.Or(r.Incomplete.Reason, Incomplete)
	}
	return end
}
