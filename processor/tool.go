package processor

import (
	"context"
	"encoding/json"
	"slices"

	"inlay/chat"
	"inlay/llm"
)

// Tool is something the agent can run for the model.
type Tool struct {
	llm.Tool
	// Paths names the arguments that are paths of the workspace, for guards.
	Paths []string
	// Run does it. arguments is a JSON object that passed the validators. What
	// it returns is data; its error is told to the model and does not end the
	// turn, unless ctx has ended.
	Run func(ctx context.Context, t *Turn, arguments json.RawMessage) (string, error)
}

func cloneTools(tools []Tool) []Tool {
	out := slices.Clone(tools)
	for i := range out {
		out[i].Paths, out[i].Parameters = slices.Clone(out[i].Paths), slices.Clone(out[i].Parameters)
	}
	return out
}

func findTool(tools []Tool, name string) (Tool, bool) {
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return tools[i], true
}

// Denial is what the model reads in place of the result of a call that was
// refused.
type Denial struct {
	Denied bool   `json:"denied"` // always true
	Tool   string `json:"tool"`
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// failure is what the model reads when a tool could not do its work.
type failure struct {
	Error string `json:"error"`
	Code  string `json:"code"`
}

// toolMessage answers a call.
func toolMessage(call chat.ToolCall, text string) Message {
	return Message{Role: chat.Tool, ToolCallID: call.ID, Parts: []Part{{Text: text, Origin: FromTool, Name: call.Name}}}
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return `{"error":"the result cannot be written"}`
	}
	return string(data)
}

// llmTools are tools as a model is told of them.
func llmTools(tools []Tool) []llm.Tool {
	var out []llm.Tool
	for _, t := range tools {
		out = append(out, t.Tool)
	}
	return out
}
