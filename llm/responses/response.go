package responses

import (
	"encoding/json"
	"maps"
	"slices"
)

// States of a response, and of an item that has one.
const (
	InProgress = "in_progress"
	Completed  = "completed"
	Incomplete = "incomplete"
	Failed     = "failed"
	Queued     = "queued"
	Cancelled  = "cancelled" // as the API spells it
)

// Response is an answer in this API's form. What the request said is repeated in
// it, as clients expect.
type Response struct {
	ID              string                     `json:"id"`
	Object          string                     `json:"object"`
	CreatedAt       int64                      `json:"created_at"` // seconds since 1970
	CompletedAt     *int64                     `json:"completed_at"`
	Status          string                     `json:"status"`
	Background      bool                       `json:"background"`
	Error           *Error                     `json:"error"`
	Incomplete      *IncompleteDetails         `json:"incomplete_details"`
	Instructions    *string                    `json:"instructions"`
	MaxOutputTokens json.RawMessage            `json:"max_output_tokens"`
	Model           string                     `json:"model"`
	Output          []Item                     `json:"output"`
	ParallelCalls   json.RawMessage            `json:"parallel_tool_calls"`
	Previous        *string                    `json:"previous_response_id"`
	Reasoning       map[string]json.RawMessage `json:"reasoning"`
	ServiceTier     json.RawMessage            `json:"service_tier"`
	Store           bool                       `json:"store"`
	Temperature     json.RawMessage            `json:"temperature"`
	Text            map[string]json.RawMessage `json:"text"`
	ToolChoice      json.RawMessage            `json:"tool_choice"`
	Tools           json.RawMessage            `json:"tools"`
	TopP            json.RawMessage            `json:"top_p"`
	Truncation      string                     `json:"truncation"`
	Usage           *Usage                     `json:"usage"`
	User            json.RawMessage            `json:"user"`
	Metadata        map[string]string          `json:"metadata"`
	Inlay           any                        `json:"inlay,omitempty"` // what inlay decided
}

// Error says why a response failed.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// IncompleteDetails says why a response is not whole.
type IncompleteDetails struct {
	Reason string `json:"reason"` // max_output_tokens, content_filter
}

// Usage is what the model was given and gave, in tokens.
type Usage struct {
	Input        int `json:"input_tokens"`
	InputDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int `json:"total_tokens"`
}

// Begin is a response to the request, before the model said anything. created is
// in seconds since 1970.
func (r *Request) Begin(id string, created int64) Response {
	or := func(name, other string) json.RawMessage {
		if v := r.raw[name]; !isNull(v) {
			return v
		}
		return json.RawMessage(other)
	}
	object := func(name string, defaults map[string]json.RawMessage) map[string]json.RawMessage {
		out := maps.Clone(defaults)
		_ = decode(r.raw[name], name, &out) // Parse has read it
		return out
	}
	out := Response{
		ID: id, Object: "response", CreatedAt: created, Status: InProgress, Background: r.Background, Model: r.Model, Output: []Item{}, Store: r.Store,
		MaxOutputTokens: or("max_output_tokens", "null"), ParallelCalls: or("parallel_tool_calls", "true"), ServiceTier: or("service_tier", `"default"`),
		Temperature: or("temperature", "null"), TopP: or("top_p", "null"), ToolChoice: or("tool_choice", `"auto"`), Tools: or("tools", "[]"),
		User: or("user", "null"), Metadata: r.Metadata, Truncation: "disabled",
		Reasoning: object("reasoning", map[string]json.RawMessage{"effort": json.RawMessage("null"), "summary": json.RawMessage("null")}),
		Text:      object("text", map[string]json.RawMessage{"format": json.RawMessage(`{"type":"text"}`)}),
	}
	if r.Instructions != "" {
		out.Instructions = &r.Instructions
	}
	if r.Previous != "" {
		out.Previous = &r.Previous
	}
	if r.Truncate {
		out.Truncation = "auto"
	}
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	return out
}

// InputItems are the items of a request as a server keeps and lists them, each
// with an id of its own: name and its place.
func (r *Request) InputItems(name string) []Item {
	out := slices.Clone(r.Input)
	for i := range out {
		out[i].ID = itemID(out[i].Type, name, "i", i)
		out[i].Status = Completed
	}
	return out
}

// NameFiles puts the ids of uploads in the place of the files that are in the
// input, in their order: of each file, and of each image that is an upload or that
// taken says was made one.
func (r *Request) NameFiles(ids []string, taken func(url string) bool) {
	for i := range r.Input {
		if r.Input[i].Type != Message {
			continue
		}
		content := *r.Input[i].Content
		content.Parts = slices.Clone(content.Parts)
		for k := range content.Parts {
			p := &content.Parts[k]
			image := p.Type == InputImage && (p.FileID != "" || taken(p.ImageURL))
			if p.Type != InputFile && !image || len(ids) == 0 {
				continue
			}
			p.FileID, p.FileData, p.ImageURL, ids = ids[0], "", "", ids[1:]
		}
		r.Input[i].Content = &content
	}
}
