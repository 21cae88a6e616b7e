package route

import (
	"encoding/json"
	"maps"
	"slices"
)

// wireSchema is what a model's answer is held to while it is written: the
// decision, with one of the allowed tools and the parameters that it takes, so
// that a tool which is not there cannot even be written. It keeps to what
// OpenAI's strict mode takes: every property is required, what may be absent
// may be null instead, and no object is open.
func wireSchema(tools []Tool) (json.RawMessage, error) {
	choices := []any{null()}
	for _, t := range tools {
		params, ok := strict(t.Schema)
		if !ok {
			continue
		}
		choices = append(choices, closed(map[string]any{"name": oneOf(t.Name), "params": params}))
	}
	text := map[string]any{"type": "string"}
	return json.Marshal(closed(map[string]any{
		"decision": oneOf("tool", "big"), "reasoning": text,
		"tool": map[string]any{"anyOf": choices},
		"big":  map[string]any{"anyOf": []any{null(), closed(map[string]any{"notes": text})}},
	}))
}

func null() map[string]any { return map[string]any{"type": "null"} }

func oneOf(values ...string) map[string]any {
	return map[string]any{"type": "string", "enum": values}
}

// closed is an object that has all of its properties and no others.
func closed(properties map[string]any) map[string]any {
	return map[string]any{
		"type": "object", "additionalProperties": false,
		"required": slices.Sorted(maps.Keys(properties)), "properties": properties,
	}
}

// strict makes a tool's parameters a closed object; false if they are more than
// plain properties.
func strict(raw json.RawMessage) (map[string]any, bool) {
	var s struct {
		Required   []string                   `json:"required"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, false
	}
	properties := map[string]any{}
	for name, p := range s.Properties {
		var one struct {
			Type  string `json:"type"`
			Items *struct {
				Type string `json:"type"`
			} `json:"items"`
		}
		if err := json.Unmarshal(p, &one); err != nil || one.Type == "" || one.Type == "object" || (one.Type == "array") != (one.Items != nil) {
			return nil, false
		}
		kind := map[string]any{"type": one.Type}
		if one.Items != nil {
			kind["items"] = map[string]any{"type": one.Items.Type}
		}
		if !slices.Contains(s.Required, name) {
			kind = map[string]any{"anyOf": []any{kind, null()}}
		}
		properties[name] = kind
	}
	return closed(properties), true
}
