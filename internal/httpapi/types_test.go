package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFieldTypes: what a chat completion has in a field that the service reads is
// of that field's type, or refused by its name before any upstream is asked.
func TestFieldTypes(t *testing.T) {
	u := newUpstream(t, says("hello"))
	s := start(t, setup{upstreams: u.list()})
	message := []any{map[string]any{"role": "user", "content": "q"}}
	for _, c := range []struct {
		field string
		value any
		want  string
	}{
		{"stream", "yes", "stream"},
		{"stream", 1, "stream"},
		{"model", 7, "model"},
		{"messages", "q", "messages"},
		{"messages", []any{"q"}, "messages[0].role"},
		{"n", "2", "n"},
		{"n", 1.5, "n"},
		{"max_tokens", "10", "max_tokens"},
		{"max_completion_tokens", []any{10}, "max_completion_tokens"},
		{"tools", "f", "tools"},
		{"tools", []any{"f"}, "tools[0]"},
		{"tool_choice", 3, "tool_choice"},
		{"parallel_tool_calls", "no", "parallel_tool_calls"},
		{"stream_options", true, "stream_options"},
		{"stream_options", map[string]any{"include_usage": "yes"}, "stream_options.include_usage"},
	} {
		status, param, said := paramOf(t, s.do("POST", "/v1/chat/completions", "", ask(message, c.field, c.value)))
		require.Equal(t, http.StatusBadRequest, status, "%s %v: %s", c.field, c.value, said)
		require.Equal(t, c.want, param, "%s %v: %s", c.field, c.value, said)
		require.Contains(t, said, "want", "%s %v", c.field, c.value)
	}
	require.Empty(t, u.bodies)
	fine := ask(message, "n", nil, "max_tokens", 10.0, "stream_options", nil, "tools", nil, "tool_choice", nil)
	require.Equal(t, http.StatusOK, s.do("POST", "/v1/chat/completions", "", fine).status)
}
