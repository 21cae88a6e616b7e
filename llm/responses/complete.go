package responses

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// Origin says where a message of a completion comes from: the item of input by
// its place; -1: the instructions.
type Origin []int

// Completion is the request as one for a chat completion, with the usage of
// streams. origin has an element for each message.
func (r *Request) Completion() (body map[string]json.RawMessage, origin Origin, err error) {
	known, out := fields(), map[string]any{}
	for name, value := range r.raw {
		if known[name] == passed && !isNull(value) {
			out[name] = value
		}
	}
	out["model"] = r.Model
	if r.Stream {
		out["stream"], out["stream_options"] = true, map[string]any{"include_usage": true}
	}
	if n := r.raw["max_output_tokens"]; !isNull(n) {
		out["max_completion_tokens"] = n
	}
	var effort struct {
		Effort string `json:"effort"`
	}
	if err := decode(r.raw["reasoning"], "reasoning.effort", &effort); err != nil {
		return nil, nil, err
	}
	if effort.Effort != "" {
		out["reasoning_effort"] = effort.Effort
	}
	for _, step := range []func(map[string]any) error{r.text, r.tools, r.toolChoice} {
		if err := step(out); err != nil {
			return nil, nil, err
		}
	}
	out["messages"], origin = r.messages()
	body = map[string]json.RawMessage{}
	for name, value := range out {
		if body[name], err = json.Marshal(value); err != nil {
			return nil, nil, invalid(name, "valid JSON")
		}
	}
	return body, origin, nil
}

// text is how the answer's text is to be.
func (r *Request) text(out map[string]any) error {
	var text struct {
		Format    map[string]any `json:"format"`
		Verbosity string         `json:"verbosity"`
	}
	if err := decode(r.raw["text"], "text", &text); err != nil {
		return err
	}
	if text.Verbosity != "" {
		out["verbosity"] = text.Verbosity
	}
	switch kind, _ := text.Format["type"].(string); kind {
	case "", "text":
	case "json_object":
		out["response_format"] = map[string]any{"type": kind}
	case "json_schema":
		if _, ok := text.Format["schema"].(map[string]any); !ok {
			return invalid("text.format.schema", "a JSON schema")
		}
		schema := maps.Clone(text.Format)
		delete(schema, "type")
		out["response_format"] = map[string]any{"type": kind, "json_schema": schema}
	default:
		return unsupported("text.format of type "+plain(kind), "use text, json_schema or json_object")
	}
	return nil
}

// tools are those that the model is offered, as chat completions have them.
func (r *Request) tools(out map[string]any) error {
	var list []map[string]any
	for i, t := range r.Tools {
		switch t.Type {
		case "function":
			list = append(list, t.function(t.Name))
		case "namespace":
			for _, inner := range t.Tools {
				list = append(list, inner.function(flat(t.Name, inner.Name)))
			}
		case "custom":
			custom := map[string]any{"name": t.Name}
			if t.Description != nil {
				custom["description"] = *t.Description
			}
			if !isNull(t.Format) {
				format, err := customFormat(t.Format)
				if err != nil {
					return invalid(fmt.Sprintf("tools[%d].format", i), "an object with a type")
				}
				custom["format"] = format
			}
			list = append(list, map[string]any{"type": "custom", "custom": custom})
		}
	}
	if list != nil {
		out["tools"] = list
	} else {
		delete(out, "parallel_tool_calls")
	}
	return nil
}

func (t Tool) function(name string) map[string]any {
	f := map[string]any{"name": name, "parameters": json.RawMessage(NoParameters)}
	if t.Description != nil {
		f["description"] = *t.Description
	}
	if !isNull(t.Parameters) {
		f["parameters"] = t.Parameters
	}
	if t.Strict != nil {
		f["strict"] = *t.Strict
	}
	return map[string]any{"type": "function", "function": f}
}

// customFormat: a grammar is an object of its own in chat completions.
func customFormat(raw json.RawMessage) (map[string]any, error) {
	var format map[string]any
	if err := json.Unmarshal(raw, &format); err != nil {
		return nil, err
	}
	if format["type"] != "grammar" {
		return format, nil
	}
	delete(format, "type")
	return map[string]any{"type": "grammar", "grammar": format}, nil
}

func (r *Request) toolChoice(out map[string]any) error {
	raw := r.raw["tool_choice"]
	var word string
	var one struct{ Type, Name string }
	switch {
	case isNull(raw):
	case json.Unmarshal(raw, &word) == nil:
		if word != "auto" && word != "none" && word != "required" {
			return invalid("tool_choice", "auto, none, required, or a tool")
		}
		if out["tools"] != nil {
			out["tool_choice"] = word
		}
	case json.Unmarshal(raw, &one) != nil || one.Type == "":
		return invalid("tool_choice", "auto, none, required, or a tool")
	case one.Type == "function" || one.Type == "custom":
		out["tool_choice"] = map[string]any{"type": one.Type, one.Type: map[string]any{"name": one.Name}}
	case one.Type == fileSearch && r.Search() != nil: // it is searched in any case
	default:
		return unsupported("tool_choice of type "+plain(one.Type), "name a function, or say auto, none or required")
	}
	return nil
}

// messages are instructions and input. Calls that follow each other, and what
// the model said before them, are one message.
func (r *Request) messages() (list []map[string]any, origin Origin) {
	add := func(from int, m map[string]any) {
		list, origin = append(list, m), append(origin, from)
	}
	if r.Instructions != "" {
		add(-1, map[string]any{"role": "system", "content": r.Instructions})
	}
	open := false // the last message is the model's, and calls may join it
	for i, item := range r.Input {
		switch item.Type {
		case Message:
			add(i, map[string]any{"role": item.Role, "content": item.Content.completion(item.Role)})
			open = item.Role == "assistant"
		case FunctionCall, CustomCall:
			if !open {
				add(i, map[string]any{"role": "assistant", "content": nil})
			}
			last := list[len(list)-1]
			calls, _ := last["tool_calls"].([]any)
			last["tool_calls"] = append(calls, item.completionCall())
			open = true
		case FunctionCallOutput, CustomCallOutput:
			add(i, map[string]any{"role": "tool", "tool_call_id": item.CallID, "content": item.Output.joined()})
			open = false
		}
	}
	return list, origin
}

func (i Item) completionCall() map[string]any {
	if i.Type == CustomCall {
		return map[string]any{"id": i.CallID, "type": "custom", "custom": map[string]any{"name": i.Name, "input": *i.Input}}
	}
	return map[string]any{"id": i.CallID, "type": "function", "function": map[string]any{"name": flat(i.Namespace, i.Name), "arguments": *i.Arguments}}
}

// joined is the text of all parts.
func (c *Content) joined() string {
	if !c.List {
		return c.Text
	}
	texts := make([]string, len(c.Parts))
	for i, p := range c.Parts {
		texts[i] = p.text()
	}
	return strings.Join(texts, "\n")
}

// completion is the content of a message: a text where it is nothing else.
func (c *Content) completion(role string) any {
	if len(c.Parts) == 1 && c.Parts[0].Text != nil {
		return *c.Parts[0].Text
	}
	out := make([]map[string]any, len(c.Parts))
	for i, p := range c.Parts {
		switch p.Type {
		case Refusal:
			out[i] = map[string]any{"type": "refusal", "refusal": p.Refusal}
			if role != "assistant" {
				out[i] = map[string]any{"type": "text", "text": p.Refusal}
			}
		case InputImage:
			out[i] = p.image()
		case InputFile:
			file := map[string]any{}
			for name, value := range map[string]string{"file_id": p.FileID, "file_data": p.FileData, "filename": p.Filename} {
				if value != "" && (name != "filename" || p.FileID == "") {
					file[name] = value
				}
			}
			out[i] = map[string]any{"type": "file", "file": file}
		case InputAudio:
			out[i] = map[string]any{"type": "input_audio", "input_audio": p.Audio}
		default:
			out[i] = map[string]any{"type": "text", "text": p.text()}
		}
	}
	return out
}

// image is an image by its address, or an upload, which becomes one on its way.
func (p Part) image() map[string]any {
	if p.FileID != "" {
		return map[string]any{"type": "file", "file": map[string]any{"file_id": p.FileID}}
	}
	url := map[string]any{"url": p.ImageURL}
	if p.Detail != "" {
		url["detail"] = p.Detail
	}
	return map[string]any{"type": "image_url", "image_url": url}
}

// Rename puts the name of the field of input in the place of that of a message,
// as errors of chat completions have it.
func (o Origin) Rename(field string) string {
	rest, ok := strings.CutPrefix(field, "messages")
	if !ok {
		return field
	}
	var n int
	if _, err := fmt.Sscanf(rest, "[%d]", &n); err != nil || n < 0 || n >= len(o) {
		return "input" + rest
	}
	if o[n] < 0 {
		return "instructions"
	}
	_, rest, _ = strings.Cut(rest, "]")
	return fmt.Sprintf("input[%d]%s", o[n], strings.Replace(rest, ".file.", ".", 1))
}
