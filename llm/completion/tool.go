package completion

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Tool is a tool that a request offers to the model. A tool that is not a
// function has no name.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema; nil: no arguments

	raw     json.RawMessage // as the client wrote it
	written *Tool           // what of it was decoded from raw
}

// ParseTools decodes the field tools of a request; none and null are no tools.
func ParseTools(data json.RawMessage) ([]Tool, error) {
	if isNull(bytes.TrimSpace(data)) {
		return nil, nil
	}
	var out []Tool
	var failed error
	ok := json.Valid(data) && split(data, '[', func(_, raw []byte) {
		t, ok := parseTool(raw)
		if !ok && failed == nil {
			failed = invalid(fmt.Sprintf("tools[%d]", len(out)), "an object with a type")
		}
		out = append(out, t)
	})
	if !ok {
		failed = invalid("tools", "a list of tools")
	}
	if failed != nil {
		return nil, failed
	}
	return out, nil
}

// parseTool reads what it can: the upstream judges the rest.
func parseTool(raw json.RawMessage) (t Tool, ok bool) {
	fields, _, ok := parseObject(raw)
	function, _, _ := parseObject(fields.get("function"))
	t.Name, _ = text(function.get("name"))
	t.Description, _ = text(function.get("description"))
	if parameters := function.get("parameters"); !isNull(parameters) {
		t.Parameters = parameters
	}
	was := t
	t.raw, t.written = raw, &was
	return t, ok
}

// MarshalTools encodes the field tools of a request. A tool that is as it was
// decoded is written byte for byte; of another, fields that are not in [Tool]
// stay.
func MarshalTools(tools []Tool) (json.RawMessage, error) {
	raws := make([]json.RawMessage, len(tools))
	for i, t := range tools {
		if raws[i] = t.encode(); !json.Valid(raws[i]) {
			return nil, invalid("tool "+t.Name, "a JSON schema as its parameters")
		}
	}
	return array(raws), nil
}

func (t Tool) encode() json.RawMessage {
	if w := t.written; w != nil && w.Name == t.Name && w.Description == t.Description && bytes.Equal(w.Parameters, t.Parameters) {
		return t.raw
	}
	fields, _, _ := parseObject(t.raw)
	function, _, _ := parseObject(fields.get("function"))
	function.set("name", quote(t.Name))
	if t.Description != "" || function.get("description") != nil {
		function.set("description", quote(t.Description))
	}
	if function.remove("parameters"); t.Parameters != nil {
		function.set("parameters", t.Parameters)
	}
	fields.set("type", quote("function"))
	fields.set("function", function.encode())
	return fields.encode()
}
