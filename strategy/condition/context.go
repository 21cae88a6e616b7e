package condition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/strategy/render"
)

var errNoObject = errors.New("the context is not a JSON object")

// DecodeContext reads the context that strategies work on: a JSON object with
// the roots of conditions (see [Roots]).
func DecodeContext(data []byte) (map[string]any, error) {
	v, err := render.DecodeJSON(bytes.TrimPrefix(data, []byte("\uFEFF")))
	if err != nil {
		return nil, fmt.Errorf("the context is not valid JSON: %w", err)
	}
	values, ok := v.(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	for key := range values {
		if root, _, _ := strings.Cut(key, "."); !slices.Contains(Roots(), root) {
			return nil, fmt.Errorf("%q is not a root of the context", root)
		}
	}
	return values, nil
}

// ContextOf is DecodeContext for a field of a request: its error repeats no part
// of it.
func ContextOf(data json.RawMessage) (map[string]any, error) {
	if len(data) == 0 || string(data) == "null" {
		return map[string]any{}, nil
	}
	values, err := DecodeContext(data)
	if err != nil {
		return nil, &fault.Error{Code: fault.Usage, Subject: "context", Reason: "is invalid", Next: "send an object with " + strings.Join(Roots(), ", ")}
	}
	return values, nil
}
