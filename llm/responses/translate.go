package responses

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// LackError says that a chat completion has something that a response has not.
type LackError struct{ What string }

// Error implements error.
func (e *LackError) Error() string {
	return "the Responses API has nothing like " + e.What + " of chat completions"
}

func lacks(what string) error { return &LackError{what} }

// Errors of requests that are no chat completion's.
var (
	ErrNotCompletion = errors.New("the request does not ask for a chat completion")
	ErrContent       = errors.New("the content of a message is neither a text nor a list of parts")
)

// Sent is a request for a chat completion as one for a response, as a client
// sends it: always as a stream, never stored or cut unless the request says so.
type Sent struct {
	Body   map[string]any
	Most   int  // tokens of the answer; 0: not bounded
	Stream bool // the completion is wanted as one
	Usage  bool // a stream is to end with what was used
}

// completions are the fields of a chat completion that change on the way.
type completions struct {
	Messages []completionMessage `json:"messages"`

	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int    `json:"max_tokens"`
	MaxCompletionTokens int    `json:"max_completion_tokens"`
	ReasoningEffort     string `json:"reasoning_effort"`
	Verbosity           string `json:"verbosity"`
	ResponseFormat      *struct {
		Type   string         `json:"type"`
		Schema map[string]any `json:"json_schema"`
	} `json:"response_format"`
	Tools []struct {
		Type     string         `json:"type"`
		Function map[string]any `json:"function"`
	} `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	N          int             `json:"n"`
}

type completionMessage struct {
	Role      string          `json:"role"`
	Name      string          `json:"name"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

// The fields of a completion that go on as they are, and those that are translated.
func asTheyAre() []string {
	return []string{"temperature", "top_p", "parallel_tool_calls", "metadata", "user", "service_tier", "safety_identifier", "prompt_cache_key", "store"}
}

func translated() []string {
	return []string{
		"model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "reasoning_effort", "verbosity",
		"response_format", "tools", "tool_choice", "n",
	}
}

// FromCompletion translates the fields of a chat completion. What has no
// counterpart is a [LackError], unless it says nothing.
func FromCompletion(body map[string]json.RawMessage) (*Sent, error) {
	b := map[string]any{"stream": true, "store": false, "truncation": "disabled"}
	for name, value := range body {
		switch {
		case saysNothing(value) || slices.Contains(translated(), name):
		case slices.Contains(asTheyAre(), name):
			b[name] = value
		default:
			return nil, lacks(name)
		}
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var c completions
	if json.Unmarshal(data, &c) != nil {
		return nil, ErrNotCompletion
	}
	if c.N > 1 {
		return nil, lacks("n")
	}
	s := &Sent{Body: b, Stream: c.Stream, Usage: c.StreamOptions.IncludeUsage, Most: cmp.Or(c.MaxCompletionTokens, c.MaxTokens)}
	if s.Most > 0 {
		b["max_output_tokens"] = s.Most
	}
	if c.ReasoningEffort != "" {
		b["reasoning"] = map[string]any{"effort": c.ReasoningEffort}
	}
	c.text(b)
	if err := c.tools(b); err != nil {
		return nil, err
	}
	b["input"], err = c.items()
	return s, err
}

// text is how the answer's text is to be.
func (c completions) text(b map[string]any) {
	text := map[string]any{}
	if c.Verbosity != "" {
		text["verbosity"] = c.Verbosity
	}
	if f := c.ResponseFormat; f != nil {
		format := map[string]any{"type": f.Type}
		maps.Copy(format, f.Schema)
		text["format"] = format
	}
	if len(text) > 0 {
		b["text"] = text
	}
}

func (c completions) tools(b map[string]any) error {
	var tools []map[string]any
	for _, t := range c.Tools {
		if t.Type != "function" {
			return lacks("a tool of type " + t.Type)
		}
		tool := map[string]any{"type": "function", "strict": false, "parameters": json.RawMessage(NoParameters)}
		for name, value := range t.Function {
			if value != nil {
				tool[name] = value
			}
		}
		tools = append(tools, tool)
	}
	if tools != nil {
		b["tools"] = tools
	}
	if saysNothing(c.ToolChoice) {
		return nil
	}
	var one struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	switch {
	case json.Unmarshal(c.ToolChoice, &one) != nil: // auto, none, required
		b["tool_choice"] = c.ToolChoice
	case one.Type == "function":
		b["tool_choice"] = map[string]any{"type": "function", "name": one.Function.Name}
	default:
		return lacks("a tool_choice of type " + one.Type)
	}
	return nil
}

// items are the messages. What a message says comes before what it calls.
func (c completions) items() ([]Item, error) {
	out := []Item{}
	for _, m := range c.Messages {
		content, err := m.content()
		if err != nil {
			return nil, err
		}
		if m.Name != "" {
			return nil, lacks("a message's name")
		}
		if m.Role == "tool" {
			out = append(out, Item{Type: FunctionCallOutput, CallID: m.ToolCallID, Output: content})
			continue
		}
		if content.List || content.Text != "" || len(m.ToolCalls) == 0 {
			out = append(out, Item{Type: Message, Role: m.Role, Content: content})
		}
		for _, one := range m.ToolCalls {
			out = append(out, call(one.ID, one.Function.Name, one.Function.Arguments))
		}
	}
	return out, nil
}

// content translates what a message holds: a text, or parts.
func (m completionMessage) content() (*Content, error) {
	var text string
	if isNull(m.Content) || json.Unmarshal(m.Content, &text) == nil {
		return TextContent(text), nil
	}
	var parts []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Image struct {
			URL    string `json:"url"`
			Detail string `json:"detail"`
		} `json:"image_url"`
		File    Part   `json:"file"`
		Refusal string `json:"refusal"`
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return nil, ErrContent
	}
	kind := InputText
	if m.Role == "assistant" {
		kind = OutputText
	}
	out := PartContent()
	for _, p := range parts {
		switch p.Type {
		case "text":
			out.Parts = append(out.Parts, Part{Type: kind, Text: &p.Text})
		case "refusal":
			out.Parts = append(out.Parts, Part{Type: Refusal, Refusal: p.Refusal})
		case "image_url":
			out.Parts = append(out.Parts, Part{Type: InputImage, ImageURL: p.Image.URL, Detail: cmp.Or(p.Image.Detail, "auto")})
		case "file":
			p.File.Type = InputFile
			out.Parts = append(out.Parts, p.File)
		default:
			return nil, lacks("a part of type " + p.Type)
		}
	}
	return out, nil
}
