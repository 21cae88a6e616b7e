package responses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"inlay/fault"
)

// Request is a request for a response, as a server reads it.
type Request struct {
	Model        string
	Instructions string // for this response alone
	Input        []Item // a text is one message of the user
	Previous     string // id of the response that this one continues; empty: none
	Store        bool   // it is to be kept; unless the request says otherwise
	Stream       bool
	Background   bool
	Truncate     bool // leave out the oldest messages where the window is too small
	Tools        []Tool
	Metadata     map[string]string
	Results      bool // a search in files tells what it found

	raw   map[string]json.RawMessage
	names names
}

// fields are what a request can say, and how each is handled.
func fields() map[string]string {
	return map[string]string{
		"model": read, "input": read, "instructions": read, "previous_response_id": read, "store": read, "stream": read, "background": read,
		"truncation": read, "tools": read, "metadata": read, "text": read, "reasoning": read, "tool_choice": read, "max_output_tokens": read,
		"include": read, "stream_options": read, "top_logprobs": read,

		"temperature": passed, "top_p": passed, "parallel_tool_calls": passed, "user": passed, "service_tier": passed,
		"safety_identifier": passed, "prompt_cache_key": passed, "prompt_cache_retention": passed,

		"max_tool_calls": idle, "client_metadata": idle,
	}
}

const (
	read   = "read"   // by Parse or Completion
	passed = "passed" // to the model as it is
	idle   = "idle"   // says nothing here: of tools that the server would run, or of the client
)

// fieldName is what a name of a field looks like that an error may repeat.
var fieldName = regexp.MustCompile(`^[a-z][a-z_]{0,63}$`)

// Parse reads a request. What this server does not have is refused by name.
func Parse(body map[string]json.RawMessage) (*Request, error) {
	known := fields()
	for name, value := range body {
		if known[name] == "" && !saysNothing(value) {
			return nil, unknown(name)
		}
	}
	r := &Request{Store: true, raw: body}
	for name, into := range map[string]any{
		"model": &r.Model, "instructions": &r.Instructions, "previous_response_id": &r.Previous, "store": &r.Store, "stream": &r.Stream,
		"background": &r.Background, "tools": &r.Tools, "metadata": &r.Metadata,
	} {
		if err := decode(body[name], name, into); err != nil {
			return nil, err
		}
	}
	for _, step := range []func() error{r.readInput, r.readTools, r.readTruncation, r.readInclude, r.readOptions} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// unknown refuses a field, by its name where that is one.
func unknown(name string) error {
	if !fieldName.MatchString(name) {
		return &fault.Error{Code: fault.Usage, Subject: "body", Reason: "has an unknown field", Next: "see /openapi.json"}
	}
	next := "leave it out"
	switch name {
	case "conversation":
		next = "continue a response with previous_response_id"
	case "prompt":
		next = "send instructions and input"
	}
	return unsupported(name, next)
}

func unsupported(field, next string) error {
	return &fault.Error{Code: fault.Usage, Subject: field, Reason: "is not supported by this server", Next: next}
}

// invalid is the error of a field.
func invalid(field, want string) error {
	return &fault.Error{Code: fault.Usage, Subject: field, Reason: "is invalid", Next: "want " + want}
}

// decode reads a field; without it, and for null, into stays as it is.
func decode(data json.RawMessage, name string, into any) error {
	if isNull(data) || json.Unmarshal(data, into) == nil {
		return nil
	}
	want := map[bool]string{true: "true or false", false: "a text"}
	_, flag := into.(*bool)
	switch into.(type) {
	case *bool, *string:
		return invalid(name, want[flag])
	case *map[string]string:
		return invalid(name, "an object of texts")
	case *[]Tool:
		return invalid(name, "a list of tools, each an object with a type")
	}
	return invalid(name, "an object")
}

func isNull(data json.RawMessage) bool {
	data = bytes.TrimSpace(data)
	return len(data) == 0 || string(data) == "null"
}

// saysNothing reports whether a value is what leaving its field out would mean.
func saysNothing(value json.RawMessage) bool {
	return slices.Contains([]string{"", "null", "false", "0", "0.0", `""`, "[]", "{}"}, string(bytes.TrimSpace(value)))
}

// readInput reads a text or a list of items.
func (r *Request) readInput() error {
	var text string
	raw := r.raw["input"]
	if isNull(raw) {
		return invalid("input", "a text or a list of items")
	}
	if json.Unmarshal(raw, &text) == nil {
		r.Input = []Item{{Type: Message, Role: "user", Content: PartContent(Part{Type: InputText, Text: &text})}}
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || len(items) == 0 {
		return invalid("input", "a text or a list of items")
	}
	for i, data := range items {
		at := fmt.Sprintf("input[%d]", i)
		var item Item
		if json.Unmarshal(data, &item) != nil {
			return invalid(at, "an item of the Responses API")
		}
		if err := item.check(at); err != nil {
			return err
		}
		r.Input = append(r.Input, item)
	}
	return nil
}

// check holds an item to what this server takes, and completes it.
func (i *Item) check(at string) error {
	if i.Type == "" && i.Role != "" {
		i.Type = Message
	}
	if i.Type == "" && i.ID != "" {
		i.Type = ItemReference
	}
	switch i.Type {
	case Message:
		return i.checkMessage(at)
	case FunctionCall, CustomCall:
		if i.CallID == "" || i.Name == "" || (i.Type == FunctionCall && i.Arguments == nil) || (i.Type == CustomCall && i.Input == nil) {
			return invalid(at, "call_id, name and arguments (of a custom tool: input)")
		}
		return nil
	case FunctionCallOutput, CustomCallOutput:
		return i.checkOutput(at)
	case ItemReference:
		if i.ID == "" {
			return invalid(at+".id", "the id of an item of a stored response")
		}
		return nil
	case Reasoning, FileSearchCall: // what an earlier search found is in the messages
		return nil
	case "":
		return invalid(at+".type", "message, function_call, function_call_output, item_reference or reasoning")
	}
	return unsupported(at+" of type "+plain(i.Type), "leave it out: this server runs no tools of its own")
}

// plain is a type as errors may repeat it.
func plain(kind string) string {
	if fieldName.MatchString(kind) {
		return kind
	}
	return "that is not known"
}

func (i *Item) checkMessage(at string) error {
	if !slices.Contains([]string{"user", "assistant", "system", "developer"}, i.Role) {
		return invalid(at+".role", "user, assistant, system or developer")
	}
	if i.Content == nil {
		return invalid(at+".content", "a text or a list of parts")
	}
	if !i.Content.List {
		kind := InputText
		if i.Role == "assistant" {
			kind = OutputText
		}
		text := i.Content.Text
		i.Content = PartContent(Part{Type: kind, Text: &text})
	}
	for k := range i.Content.Parts {
		if err := i.Content.Parts[k].check(fmt.Sprintf("%s.content[%d]", at, k), i.Role); err != nil {
			return err
		}
	}
	return nil
}

// check holds a part of a message to what this server takes.
func (p *Part) check(at, role string) error {
	switch p.Type {
	case InputText, OutputText, "text":
		if p.Text == nil {
			return invalid(at+".text", "a text")
		}
	case Refusal:
	case InputImage:
		if role != "user" {
			return invalid(at, "no image on a message that is not the user's")
		}
		if (p.ImageURL == "") == (p.FileID == "") {
			return invalid(at, "either image_url or file_id")
		}
	case InputFile:
		return p.checkFile(at, role)
	case InputAudio:
		if isNull(p.Audio) {
			return invalid(at+".input_audio", "an object with data and format")
		}
	default:
		return unsupported(at+" of type "+plain(p.Type), "send input_text, input_image or input_file")
	}
	return nil
}

func (p *Part) checkFile(at, role string) error {
	switch {
	case p.FileURL != "":
		return unsupported(at+".file_url", "upload the file to /v1/files and send its file_id, or send file_data: this server fetches nothing")
	case role != "user":
		return invalid(at, "no files on a message that is not the user's")
	case (p.FileID == "") == (p.FileData == ""):
		return invalid(at, "either file_id or file_data")
	}
	return nil
}

// checkOutput: what a tool returned is text, also as a list of texts.
func (i *Item) checkOutput(at string) error {
	if i.CallID == "" {
		return invalid(at+".call_id", "the call_id of the call")
	}
	if i.Output == nil {
		return invalid(at+".output", "a text, or a list of parts of type input_text")
	}
	for k, p := range i.Output.Parts {
		if p.Type != InputText && p.Type != OutputText && p.Type != "text" || p.Text == nil {
			return unsupported(fmt.Sprintf("%s.output[%d] of type %s", at, k, plain(p.Type)), "send what the tool returned as text")
		}
	}
	return nil
}

func (r *Request) readTools() error {
	for i, t := range r.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		switch t.Type {
		case "function", "custom":
			if t.Name == "" {
				return invalid(at+".name", "a name")
			}
		case "namespace":
			if err := t.checkNamespace(at); err != nil {
				return err
			}
		case fileSearch:
			if err := t.check(at); err != nil {
				return err
			}
			if r.Search() != &r.Tools[i].FileSearch {
				return unsupported(at, "name all vector stores in one file_search")
			}
		case "":
			return invalid(at+".type", "function, custom, namespace or file_search")
		default:
			return unsupported(at+" of type "+plain(t.Type), "leave it out, or offer it as a function that the client runs")
		}
	}
	r.names = namesOf(r.Tools)
	return nil
}

func (t Tool) checkNamespace(at string) error {
	if t.Name == "" {
		return invalid(at+".name", "a name")
	}
	for k, inner := range t.Tools {
		if inner.Type != "function" || inner.Name == "" {
			return unsupported(fmt.Sprintf("%s.tools[%d] of type %s", at, k, plain(inner.Type)), "send functions with a name")
		}
	}
	return nil
}

func (r *Request) readTruncation() error {
	var how string
	if err := decode(r.raw["truncation"], "truncation", &how); err != nil {
		return err
	}
	if !slices.Contains([]string{"", "disabled", "auto"}, how) {
		return invalid("truncation", "auto or disabled")
	}
	r.Truncate = how == "auto"
	return nil
}

// readInclude: what there never is here may be asked for too.
func (r *Request) readInclude() error {
	var include []string
	if isNull(r.raw["include"]) {
		return nil
	}
	if json.Unmarshal(r.raw["include"], &include) != nil {
		return invalid("include", "a list of texts")
	}
	known := []string{
		"reasoning.encrypted_content", includeResults, "web_search_call.results", "web_search_call.action.sources",
		"code_interpreter_call.outputs", "computer_call_output.output.image_url", "message.input_image.image_url",
	}
	for i, one := range include {
		r.Results = r.Results || one == includeResults
		if !slices.Contains(known, one) {
			return unsupported(fmt.Sprintf("include[%d]", i), "leave it out")
		}
	}
	return nil
}

// readOptions refuses what an answer could not keep.
func (r *Request) readOptions() error {
	if !saysNothing(r.raw["top_logprobs"]) {
		return unsupported("top_logprobs", "leave it out")
	}
	if len(r.Metadata) > 16 {
		return invalid("metadata", "at most 16 entries")
	}
	for k, v := range r.Metadata {
		if len(k) > 64 || len(v) > 512 {
			return invalid("metadata", "keys of at most 64 and values of at most 512 characters")
		}
	}
	var o map[string]json.RawMessage
	for _, name := range []string{"text", "reasoning", "stream_options"} {
		if err := decode(r.raw[name], name, &o); err != nil {
			return err
		}
	}
	return nil
}

// names are the tools of namespaces by the names under which the model gets
// them: chat completions know no namespaces.
type names map[string]Tool

func namesOf(tools []Tool) names {
	n := names{}
	for _, t := range tools {
		for _, inner := range t.Tools {
			n[flat(t.Name, inner.Name)] = Tool{Type: t.Name, Name: inner.Name}
		}
	}
	return n
}

func flat(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "__" + name
}

// split is the name of a tool, and its namespace, if it has one.
func (n names) split(name string) (namespace, inner string) {
	if t, ok := n[name]; ok {
		return t.Type, t.Name
	}
	return "", name
}
