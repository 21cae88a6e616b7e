package responses_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm/completion"
	"inlay/llm/responses"
)

func fieldsOf(tb testing.TB, text string) (body map[string]json.RawMessage) {
	tb.Helper()
	require.NoError(tb, json.Unmarshal([]byte(text), &body))
	return body
}

// TestRequestBecomesCompletion holds what a request with everything comes to.
func TestRequestBecomesCompletion(t *testing.T) {
	r, err := responses.Parse(fieldsOf(t, `{"model": "m", "instructions": "Be brief.", "stream": true, "max_output_tokens": 9, "reasoning": {"effort": "low"},
		"temperature": 0.5, "prompt_cache_key": "k", "metadata": {"a": "b"}, "store": false, "truncation": "auto", "include": ["reasoning.encrypted_content"],
		"text": {"verbosity": "low", "format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}}}, "tool_choice": {"type": "function", "name": "f"},
		"tools": [{"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}, "strict": true}, {"type": "namespace", "name": "ns", "tools": [{"type": "function", "name": "g"}]},
			{"type": "custom", "name": "h", "format": {"type": "grammar", "syntax": "lark", "definition": "x"}}],
		"input": [{"role": "developer", "content": "Hi."},
			{"role": "user", "content": [{"type": "input_text", "text": "See"}, {"type": "input_image", "image_url": "data:x"}, {"type": "input_image", "file_id": "file-2"}, {"type": "input_file", "file_id": "file-1"}]},
			{"type": "reasoning", "id": "rs_1", "summary": []},
			{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look.", "annotations": []}]},
			{"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}, {"type": "function_call", "call_id": "c2", "namespace": "ns", "name": "g", "arguments": "{}"},
			{"type": "custom_tool_call", "call_id": "c3", "name": "h", "input": "raw"},
			{"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]},
			{"type": "custom_tool_call_output", "call_id": "c3", "output": "c"}]}`))
	require.NoError(t, err)
	require.True(t, r.Truncate)
	require.False(t, r.Store)
	body, origin, err := r.Completion()
	require.NoError(t, err)
	require.Equal(t, responses.Origin{-1, 0, 1, 3, 7, 8}, origin)
	require.Equal(t, "input[1].content[2]", origin.Rename("messages[2].content[2]"))
	require.Equal(t, "instructions", origin.Rename("messages[0].content"))
	got, err := json.Marshal(body)
	require.NoError(t, err)
	require.JSONEq(t, `{"model": "m", "stream": true, "stream_options": {"include_usage": true}, "max_completion_tokens": 9, "reasoning_effort": "low", "temperature": 0.5, "prompt_cache_key": "k",
		"verbosity": "low", "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}, "tool_choice": {"type": "function", "function": {"name": "f"}},
		"tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}, "strict": true}},
			{"type": "function", "function": {"name": "ns__g", "parameters": {"type": "object", "properties": {}}}},
			{"type": "custom", "custom": {"name": "h", "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "x"}}}}],
		"messages": [{"role": "system", "content": "Be brief."}, {"role": "developer", "content": "Hi."},
			{"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "data:x"}}, {"type": "file", "file": {"file_id": "file-2"}}, {"type": "file", "file": {"file_id": "file-1"}}]},
			{"role": "assistant", "content": "I look.", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
				{"id": "c2", "type": "function", "function": {"name": "ns__g", "arguments": "{}"}}, {"id": "c3", "type": "custom", "custom": {"name": "h", "input": "raw"}}]},
			{"role": "tool", "tool_call_id": "c1", "content": "a\nb"}, {"role": "tool", "tool_call_id": "c3", "content": "c"}]}`, string(got))
}

// TestBothSides: what a server writes of a completion is what a client hears.
func TestBothSides(t *testing.T) {
	r, err := responses.Parse(fieldsOf(t, `{"model": "m", "input": "q", "tools": [{"type": "function", "name": "f"}]}`))
	require.NoError(t, err)
	a := &responses.Answer{Response: r.Begin("resp_x", 1), Request: r, Annotate: func(text string) []any { return []any{len(text)} }}
	list := a.Begin()
	for _, choice := range []completion.Choice{
		{Role: "assistant", Thinking: "Hm."},
		{Text: "Four "},
		{Text: "weeks."},
		{Index: 1, Text: "another choice"},
		{Calls: []completion.CallPiece{{Index: 0, ID: "c1", Name: "f"}}},
		{Calls: []completion.CallPiece{{Index: 0, Arguments: `{"a":`}}},
		{Calls: []completion.CallPiece{{Index: 1, ID: "c2", Name: "f", Arguments: `{}`}}},
		{Calls: []completion.CallPiece{{Index: 0, Arguments: `1}`}}},
		{Finish: "length"},
	} {
		list = append(list, a.Add(completion.New(completion.Envelope{}, true, choice))...)
	}
	list = append(list, a.Add(completion.New(completion.Envelope{Usage: &completion.Usage{Prompt: 5, Completion: 2}}, true))...)
	list = append(append(list, a.Finish()...), a.End())

	var text, thinking strings.Builder
	var calls []chat.ToolCall
	var end *responses.End
	for i, e := range list {
		require.Equal(t, i, e.Sequence)
		data, err := json.Marshal(e)
		require.NoError(t, err)
		h, err := responses.Listen(data)
		require.NoError(t, err)
		require.Nil(t, h.Failure)
		text.WriteString(h.Text)
		thinking.WriteString(h.Thinking)
		if h.Call != nil {
			calls = append(calls, *h.Call)
		}
		if h.End != nil {
			end = h.End
		}
	}
	require.Equal(t, "Four weeks.", text.String())
	require.Equal(t, "Hm.", thinking.String())
	require.Equal(t, []chat.ToolCall{{ID: "c1", Name: "f", Arguments: `{"a":1}`}, {ID: "c2", Name: "f", Arguments: `{}`}}, calls)
	require.Equal(t, calls, a.Said().ToolCalls)
	require.Equal(t, &responses.End{ID: "resp_x", Reason: "length", Usage: completion.Usage{Prompt: 5, Completion: 2}}, end)
	require.Equal(t, "resp_x", responses.Owner(a.Response.Output[0].ID))

	data, err := json.Marshal(a.Fail("timeout", "It took too long.")[0])
	require.NoError(t, err)
	h, err := responses.Listen(data)
	require.NoError(t, err)
	require.Contains(t, string(h.Failure), "timeout")
}

// FuzzRequest: any request is refused with a usage error that repeats none of its
// values, or becomes a request for a chat completion that can be read.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"model": "m", "input": "q"}`, `{"input": [{"role": "user", "content": [{"type": "input_file", "file_data": "eA=="}]}]}`,
		`{"input": [{"type": "function_call", "call_id": "c", "name": "n", "arguments": ""}], "tools": [{"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "x"}]}]}`,
		`{"input": [{"type": "custom_tool_call", "call_id": "c", "name": "n", "input": ""}, {"type": "custom_tool_call_output", "call_id": "c", "output": []}], "text": {"format": {"type": "json_schema", "schema": {}}}, "tool_choice": {"type": "custom", "name": "n"}}`,
		`{"input": [{"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}], "metadata": {"a": "b"}, "reasoning": {"effort": 7}, "truncation": "auto"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var body map[string]json.RawMessage
		if json.Unmarshal(data, &body) != nil {
			return
		}
		r, err := responses.Parse(body)
		if err == nil {
			var sent map[string]json.RawMessage
			var origin responses.Origin
			if sent, origin, err = r.Completion(); err == nil {
				var list []json.RawMessage
				require.NoError(t, json.Unmarshal(sent["messages"], &list))
				require.Len(t, list, len(origin))
				begun, err := json.Marshal(r.Begin("resp_x", 1))
				require.NoError(t, err)
				require.True(t, json.Valid(begun))
			}
		}
		if err != nil {
			require.Equal(t, fault.Usage, fault.CodeOf(err), "%v", err)
		}
	})
}

// FuzzListen: no event makes a client fail, and errors repeat nothing.
func FuzzListen(f *testing.F) {
	for _, seed := range []string{
		`{"type": "response.output_text.delta", "delta": "x"}`, `{"type": "response.output_item.done", "item": {"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"}}`,
		`{"type": "response.completed", "response": {"id": "r", "usage": {"input_tokens": 1}}}`, `{"type": "response.failed", "response": {}}`,
		`{"type": "error"}`, `{"type": "response.incomplete", "response": {"incomplete_details": {"reason": ""}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := responses.Listen(data); err != nil {
			require.ErrorIs(t, err, responses.ErrNotEvent)
		}
	})
}

// FuzzFromCompletion: what a client sends is a request that this server reads.
func FuzzFromCompletion(f *testing.F) {
	f.Add([]byte(`{"messages": [{"role": "user", "content": "q"}], "tools": [{"type": "function", "function": {"name": "f"}}]}`))
	f.Add([]byte(`{"messages": [{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "function": {"name": "f"}}]}, {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "x"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var body map[string]json.RawMessage
		if json.Unmarshal(data, &body) != nil {
			return
		}
		sent, err := responses.FromCompletion(body)
		if err != nil {
			return
		}
		written, err := json.Marshal(sent.Body)
		require.NoError(t, err)
		require.True(t, json.Valid(written))
	})
}
