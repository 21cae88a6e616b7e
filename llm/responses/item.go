package responses

import (
	"cmp"
	"encoding/json"

	"inlay/chat"
)

// Types of items.
const (
	Message            = "message"
	FunctionCall       = "function_call"
	FunctionCallOutput = "function_call_output"
	CustomCall         = "custom_tool_call"
	CustomCallOutput   = "custom_tool_call_output"
	Reasoning          = "reasoning"
	ItemReference      = "item_reference"
	FileSearchCall     = "file_search_call"
)

// Types of parts.
const (
	InputText   = "input_text"
	InputImage  = "input_image"
	InputFile   = "input_file"
	InputAudio  = "input_audio"
	OutputText  = "output_text"
	Refusal     = "refusal"
	SummaryText = "summary_text"
)

// Item is a part of a conversation: a message, a call of a tool, what a tool
// returned, or what the model thought. Which fields it has depends on its type.
type Item struct { //nolint:recvcheck // a reader completes it
	ID        string   `json:"id,omitempty"`
	Type      string   `json:"type"`
	Status    string   `json:"status,omitempty"` // in_progress, completed, incomplete
	Role      string   `json:"role,omitempty"`
	Content   *Content `json:"content,omitempty"` // of a message
	Summary   []Part   `json:"summary,omitzero"`  // of reasoning, where it is a list also if it is empty
	CallID    string   `json:"call_id,omitempty"`
	Namespace string   `json:"namespace,omitempty"` // of the function that is called, where it has one
	Name      string   `json:"name,omitempty"`
	Arguments *string  `json:"arguments,omitempty"` // JSON of a call of a function
	Input     *string  `json:"input,omitempty"`     // text of a call of a custom tool
	Output    *Content `json:"output,omitempty"`    // what a tool returned
	Queries   []string `json:"queries,omitempty"`   // of a search in files
	Results   []Found  `json:"results,omitzero"`    // of a search in files, where the request includes them
}

// Found is a passage, or a whole file, that a search in files found.
type Found struct {
	FileID     string         `json:"file_id"`
	Filename   string         `json:"filename"`
	Score      float64        `json:"score"` // 0..1; 1 of a whole file
	Text       string         `json:"text"`
	Attributes map[string]any `json:"attributes"`
}

// Content is a text, or a list of parts.
type Content struct {
	Text  string
	Parts []Part
	List  bool // it is written as a list
}

// TextContent is a content that is a text.
func TextContent(text string) *Content { return &Content{Text: text} }

// PartContent is a content that is a list of parts.
func PartContent(parts ...Part) *Content { return &Content{Parts: parts, List: true} }

// MarshalJSON implements [json.Marshaler].
func (c *Content) MarshalJSON() ([]byte, error) {
	if !c.List {
		return json.Marshal(c.Text)
	}
	if c.Parts == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(c.Parts)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Content) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &c.Text) == nil {
		return nil
	}
	c.List = true
	return json.Unmarshal(data, &c.Parts)
}

// Part is one part of a content.
type Part struct { //nolint:recvcheck // a reader completes it
	Type        string          `json:"type"`
	Text        *string         `json:"text,omitempty"`
	Annotations []any           `json:"annotations,omitzero"` // of output_text, where it is a list also if it is empty
	Logprobs    []any           `json:"logprobs,omitzero"`    // of output_text: always empty
	Refusal     string          `json:"refusal,omitempty"`
	ImageURL    string          `json:"image_url,omitempty"`
	Detail      string          `json:"detail,omitempty"`
	FileID      string          `json:"file_id,omitempty"`
	FileData    string          `json:"file_data,omitempty"`
	FileURL     string          `json:"file_url,omitempty"`
	Filename    string          `json:"filename,omitempty"`
	Audio       json.RawMessage `json:"input_audio,omitempty"`
}

// text is what the part says.
func (p Part) text() string {
	if p.Text == nil {
		return p.Refusal
	}
	return *p.Text
}

// FromChats are messages of inlay's own as items. What a message says comes
// before what it calls.
func FromChats(messages []chat.Message) []Item {
	out := []Item{}
	for _, m := range messages {
		if m.Role == chat.Tool {
			out = append(out, Item{Type: FunctionCallOutput, CallID: m.ToolCallID, Output: TextContent(m.Text)})
			continue
		}
		if m.Text != "" || len(m.ToolCalls) == 0 {
			out = append(out, Item{Type: Message, Role: string(m.Role), Content: TextContent(m.Text)})
		}
		for _, c := range m.ToolCalls {
			out = append(out, call(c.ID, c.Name, c.Arguments))
		}
	}
	return out
}

func call(id, name, arguments string) Item {
	arguments = cmp.Or(arguments, "{}")
	return Item{Type: FunctionCall, CallID: id, Name: name, Arguments: &arguments}
}

// Tool is a tool that is offered to the model.
type Tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name,omitempty"`
	Description *string         `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // a JSON schema, of a function
	Strict      *bool           `json:"strict,omitempty"`
	Format      json.RawMessage `json:"format,omitempty"` // of the input of a custom tool
	Tools       []Tool          `json:"tools,omitempty"`  // of a namespace

	FileSearch
}

// FileSearch is what a tool of type file_search says: it searches vector stores.
type FileSearch struct {
	Stores  []string        `json:"vector_store_ids,omitempty"`
	Most    *int            `json:"max_num_results,omitempty"`
	Filters json.RawMessage `json:"filters,omitempty"` // a comparison of attributes, or several joined
	Ranking *Ranking        `json:"ranking_options,omitempty"`
}

// Ranking is how a search in files ranks.
type Ranking struct {
	Ranker    string          `json:"ranker,omitempty"`
	Threshold *float64        `json:"score_threshold,omitempty"`
	Hybrid    json.RawMessage `json:"hybrid_search,omitempty"`
}

// NoParameters is the JSON schema of a function without parameters.
const NoParameters = `{"type":"object","properties":{}}`
