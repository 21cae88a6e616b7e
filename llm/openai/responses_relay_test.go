package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	official "github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/llm/openai"
)

func fields(t *testing.T, body string) (out map[string]json.RawMessage) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(body), &out))
	return out
}

// relayed collects what a relay yields.
func relayed(t *testing.T, m *openai.Responses, body string) (out []json.RawMessage) {
	t.Helper()
	for data, err := range m.Relay(t.Context(), fields(t, body)) {
		require.NoError(t, err)
		out = append(out, data.Raw)
	}
	return out
}

// TestCompletionsBecomeResponses holds what is sent for a request that says all
// that has a counterpart.
func TestCompletionsBecomeResponses(t *testing.T) {
	s, url := serve(t, map[string]answer{"POST /v1/responses": {body: responseAnswer}})
	relayed(t, openResponses(t, openai.Config{Model: "gpt-5", BaseURL: url}), `{"model":"inlay","n":1,"stop":null,"logprobs":false,"presence_penalty":0,
		"messages":[{"role":"developer","content":"Be brief."},
			{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},{"type":"file","file":{"file_id":"f1"}}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"A cat."},
			{"role":"assistant","content":[{"type":"text","text":"A cat"}]}],
		"max_completion_tokens":50,"temperature":0.5,"top_p":0.9,"user":"u","reasoning_effort":"low","verbosity":"low","store":true,
		"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"type":"object"}}},
		"tools":[{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"type":"object"},"strict":true}}],
		"tool_choice":{"type":"function","function":{"name":"look"}},"parallel_tool_calls":true}`)
	sent, err := json.Marshal(s.bodies("POST /v1/responses")[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"gpt-5","stream":true,"store":true,"truncation":"disabled","max_output_tokens":50,"temperature":0.5,"top_p":0.9,"user":"u",
		"reasoning":{"effort":"low"},"parallel_tool_calls":true,
		"input":[{"type":"message","role":"developer","content":"Be brief."},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"What is this?"},
				{"type":"input_image","image_url":"data:image/png;base64,AA==","detail":"auto"},{"type":"input_file","file_id":"f1"}]},
			{"type":"function_call","call_id":"c1","name":"look","arguments":"{}"},
			{"type":"function_call_output","call_id":"c1","output":"A cat."},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A cat"}]}],
		"text":{"verbosity":"low","format":{"type":"json_schema","name":"a","strict":true,"schema":{"type":"object"}}},
		"tools":[{"type":"function","name":"look","description":"Looks.","parameters":{"type":"object"},"strict":true}],
		"tool_choice":{"type":"function","name":"look"}}`, string(sent))
}

// TestResponsesBecomeCompletions reads what comes back with the types of OpenAI's client.
func TestResponsesBecomeCompletions(t *testing.T) {
	_, url := serve(t, map[string]answer{"POST /v1/responses": {body: strings.Replace(responseAnswer, "event: response.completed\n", responseCall[:strings.Index(responseCall, "\n")]+"\n\n", 1)}})
	m := openResponses(t, openai.Config{Model: "gpt-5", BaseURL: url})

	var whole official.ChatCompletion
	require.NoError(t, json.Unmarshal(relayed(t, m, `{"messages":[{"role":"user","content":"?"}]}`)[0], &whole))
	require.Equal(t, "Twenty days", whole.Choices[0].Message.Content)
	require.Equal(t, "read_file", whole.Choices[0].Message.ToolCalls[0].Function.Name)
	require.Equal(t, "tool_calls", whole.Choices[0].FinishReason)
	require.EqualValues(t, 32, whole.Usage.TotalTokens)

	var sum official.ChatCompletionAccumulator
	var thought strings.Builder
	for _, data := range relayed(t, m, `{"messages":[{"role":"user","content":"?"}],"stream":true,"stream_options":{"include_usage":true}}`) {
		var c official.ChatCompletionChunk
		require.NoError(t, json.Unmarshal(data, &c))
		require.True(t, sum.AddChunk(c), "every chunk has the id of the first")
		thought.Write(data)
	}
	require.Equal(t, whole.Choices[0].Message.Content, sum.Choices[0].Message.Content)
	require.JSONEq(t, `{"path":"notes.md"}`, sum.Choices[0].Message.ToolCalls[0].Function.Arguments)
	require.Equal(t, "tool_calls", sum.Choices[0].FinishReason)
	require.EqualValues(t, 23, sum.Usage.PromptTokens)
	require.Contains(t, thought.String(), `"reasoning_content":"The contract says so."`)
}

func TestResponsesRefuseToRelayWhatTheyLack(t *testing.T) {
	m := openResponses(t, openai.Config{Model: "m", BaseURL: "http://127.0.0.1:1/v1"})
	for body, name := range map[string]string{
		`{"messages":[],"stop":["END"]}`:                                    "stop",
		`{"messages":[],"n":2}`:                                             "n",
		`{"messages":[],"logit_bias":{"1":1}}`:                              "logit_bias",
		`{"messages":[],"tools":[{"type":"custom","custom":{"name":"x"}}]}`: "tool of type custom",
		`{"messages":[],"tool_choice":{"type":"allowed_tools"}}`:            "tool_choice of type allowed_tools",
		`{"messages":[{"role":"user","content":[{"type":"input_audio"}]}]}`: "part of type input_audio",
		`{"messages":[{"role":"user","content":7}]}`:                        "neither a text nor a list",
		`{"messages":[{"role":"user","name":"Ada","content":"hi"}]}`:        "a message's name",
		`{"messages":7}`: "does not ask for a chat completion",
	} {
		for _, err := range m.Relay(t.Context(), fields(t, body)) {
			require.Equal(t, fault.Usage, fault.CodeOf(err), body)
			require.ErrorContains(t, err, name)
		}
	}
}
