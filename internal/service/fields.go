package service

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"inlay/fault"
	"inlay/injection"
	"inlay/options"
)

// checkFields refuses a chat completion in which a field that the service itself
// reads has a value of another type: the upstream, asked in another way than the
// client meant, would answer in a form that nobody can read. A missing field and
// null are what leaving it out means. messages and tools are checked where they
// are decoded; values beyond their types are for the upstream to judge.
func checkFields(body map[string]json.RawMessage) error {
	for _, one := range []struct {
		field string
		is    func(json.RawMessage) bool
		want  string
	}{
		{"stream", is[bool], "true or false"},
		{"n", isWhole, "a whole number"},
		{"max_tokens", isWhole, "a whole number"},
		{"max_completion_tokens", isWhole, "a whole number"},
		{"tool_choice", func(v json.RawMessage) bool { return is[string](v) || isObject(v) }, "none, auto, required or an object that names a tool"},
		{"parallel_tool_calls", is[bool], "true or false"},
		{"stream_options", isObject, "an object"},
	} {
		if v := body[one.field]; !isNull(v) && !one.is(v) {
			return fault.Invalid(one.field, one.want)
		}
	}
	var options map[string]json.RawMessage
	if raw := body["stream_options"]; !isNull(raw) && json.Unmarshal(raw, &options) == nil {
		if v := options["include_usage"]; !isNull(v) && !is[bool](v) {
			return fault.Invalid("stream_options.include_usage", "true or false")
		}
	}
	return nil
}

func isNull(v json.RawMessage) bool {
	v = bytes.TrimSpace(v)
	return len(v) == 0 || string(v) == "null"
}

func is[T any](v json.RawMessage) bool {
	var into T
	return json.Unmarshal(v, &into) == nil
}

func isObject(v json.RawMessage) bool { return is[map[string]json.RawMessage](v) }

func isWhole(v json.RawMessage) bool {
	var n float64
	return json.Unmarshal(v, &n) == nil && n == math.Trunc(n)
}

// misplaced warns of fields that are meant for inlay and are not in its own: they
// go to the upstream as others do, and would otherwise be without any effect.
func misplaced(body map[string]json.RawMessage) (list []injection.Warning) {
	for _, field := range slices.Sorted(maps.Keys(body)) {
		o, ok := options.Find(field)
		if ok && o.At(options.Request) || slices.Contains([]string{"chat_id", "strategy", "preprocessors", "tool_rules", "file_modes"}, field) {
			list = append(list, injection.Warning{
				Code:    "field_misplaced",
				Message: field + ` does nothing here: it was sent on to the model's server. Write it as {"inlay": {"` + field + `": ...}}.`,
			})
		}
	}
	return list
}
