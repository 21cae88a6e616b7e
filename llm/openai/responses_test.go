package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	official "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/llm/openai"
)

// Streams of the Responses API, in the forms that OpenAI's own client reads
// (TestResponseFixturesAreWhatTheClientReads): https://platform.openai.com/docs/api-reference/responses-streaming
const (
	responseAnswer = `event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"incomplete_details":null,"output":[],"usage":null}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","sequence_number":2,"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"The contract says so."}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":3,"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"The contract says so."}]}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1","output_index":1,"content_index":0,"delta":"Twenty","logprobs":[]}

event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":5,"item_id":"msg_1","output_index":1,"content_index":0,"delta":" days","logprobs":[]}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":6,"output_index":1,"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Twenty days","annotations":[]}]}}

event: response.completed
data: {"type":"response.completed","sequence_number":7,"response":{"id":"resp_1","object":"response","status":"completed","error":null,"incomplete_details":null,"output":[],"usage":{"input_tokens":23,"output_tokens":9,"total_tokens":32}}}

`
	responseCall = `data: {"type":"response.output_item.done","sequence_number":1,"output_index":0,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_9","name":"read_file","arguments":"{\"path\":\"notes.md\"}"}}

data: {"type":"response.completed","sequence_number":2,"response":{"id":"resp_2","object":"response","status":"completed","error":null,"incomplete_details":null,"output":[],"usage":{"input_tokens":40,"output_tokens":6,"total_tokens":46}}}

`
	responseCut = `data: {"type":"response.output_text.delta","sequence_number":1,"item_id":"m","output_index":0,"content_index":0,"delta":"Twen","logprobs":[]}

data: {"type":"response.incomplete","sequence_number":2,"response":{"id":"resp_3","object":"response","status":"incomplete","error":null,"incomplete_details":{"reason":"max_output_tokens"},"output":[],"usage":{"input_tokens":40,"output_tokens":16,"total_tokens":56}}}

`
	responseFailed = `data: {"type":"response.failed","sequence_number":1,"response":{"id":"resp_4","object":"response","status":"failed","error":{"code":"server_error","message":"SECRET prompt"},"incomplete_details":null,"output":[],"usage":null}}

`
	responseTooLong = `data: {"type":"error","sequence_number":1,"code":"context_length_exceeded","message":"Your input exceeds the context window of this model.","param":"input"}

`
)

func openResponses(t *testing.T, c openai.Config) *openai.Responses {
	t.Helper()
	m, err := openai.NewResponses(c)
	require.NoError(t, err)
	return m
}

func TestResponsesAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		stream string
		want   llm.Answer
	}{
		"an answer": {responseAnswer, llm.Answer{Text: "Twenty days", Done: "stop", ID: "resp_1", Usage: llm.Usage{Prompt: 23, Completion: 9}}},
		"a call": {responseCall, llm.Answer{
			Done: "tool_calls", ID: "resp_2", Usage: llm.Usage{Prompt: 40, Completion: 6},
			ToolCalls: []chat.ToolCall{{ID: "call_9", Name: "read_file", Arguments: `{"path":"notes.md"}`}},
		}},
		"a cut answer": {responseCut, llm.Answer{Text: "Twen", Done: "length", ID: "resp_3", Usage: llm.Usage{Prompt: 40, Completion: 16}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := serve(t, map[string]answer{"POST /v1/responses": {body: c.stream}})
			a, err := llm.Collect(t.Context(), openResponses(t, openai.Config{Model: "gpt-5", BaseURL: url}), llm.Request{Messages: user("How many?")})
			require.NoError(t, err)
			require.Equal(t, c.want, a)
		})
	}
}

func TestResponsesThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		answer
		code fault.Code
	}{
		"failed":              {answer{body: responseFailed}, fault.Internal},
		"too long":            {answer{body: responseTooLong}, fault.DoesNotFit},
		"too long, at once":   {answer{status: 400, body: openAITooLong}, fault.DoesNotFit},
		"an error as a field": {answer{body: "data: {\"error\":{\"message\":\"SECRET\"}}\n\n"}, fault.Internal},
		"no such address":     {answer{status: 404, body: "{}"}, fault.ModelNotFound},
		"broken off":          {answer{body: responseAnswer[:strings.Index(responseAnswer, "event: response.completed")]}, fault.AnswerUnfinished},
		"not an event":        {answer{body: "data: SECRET\n\n"}, fault.BackendUnreachable},
		"not a delta":         {answer{body: "data: {\"type\":\"response.output_text.delta\",\"delta\":{\"SECRET\":1}}\n\n"}, fault.BackendUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := serve(t, map[string]answer{"POST /v1/responses": c.answer})
			_, err := llm.Collect(t.Context(), openResponses(t, openai.Config{Model: "m", BaseURL: url}), llm.Request{Messages: user("SECRET")})
			require.Equal(t, c.code, fault.CodeOf(err), "%v", err)
			require.NotContains(t, err.Error(), "SECRET")
			require.ErrorContains(t, err, "openai-responses:m")
		})
	}
}

// TestResponsesRequest holds what is sent, byte for byte; a conversation with a
// call, its result and everything that a request can say.
func TestResponsesRequest(t *testing.T) {
	s, url := serve(t, map[string]answer{"POST /v1/responses": {body: responseAnswer}})
	warm := .2
	_, err := llm.Collect(t.Context(), openResponses(t, openai.Config{Model: "gpt-5", BaseURL: url, Key: "k"}), llm.Request{
		Messages: []chat.Message{
			{Role: chat.System, Text: "Be brief."},
			{Role: chat.User, Text: "Read notes.md"},
			{Role: chat.Assistant, Text: "I will.", ToolCalls: []chat.ToolCall{{ID: "c1", Name: "read_file", Arguments: `{"path":"notes.md"}`}, {ID: "c2", Name: "now"}}},
			{Role: chat.Tool, ToolCallID: "c1", Text: "Buy tea."},
			{Role: chat.Tool, ToolCallID: "c2"},
		},
		MaxTokens: 99, Temperature: &warm, Schema: json.RawMessage(`{"type":"object"}`),
		Tools: []llm.Tool{{Name: "read_file", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "now"}},
	})
	require.NoError(t, err)
	sent, err := json.Marshal(s.bodies("POST /v1/responses")[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"gpt-5","stream":true,"store":false,"truncation":"disabled","max_output_tokens":99,"temperature":0.2,
		"input":[{"type":"message","role":"system","content":"Be brief."},{"type":"message","role":"user","content":"Read notes.md"},
			{"type":"message","role":"assistant","content":"I will."},
			{"type":"function_call","call_id":"c1","name":"read_file","arguments":"{\"path\":\"notes.md\"}"},
			{"type":"function_call","call_id":"c2","name":"now","arguments":"{}"},
			{"type":"function_call_output","call_id":"c1","output":"Buy tea."},{"type":"function_call_output","call_id":"c2","output":""}],
		"tools":[{"type":"function","name":"read_file","description":"Reads.","parameters":{"type":"object"},"strict":false},
			{"type":"function","name":"now","description":"","parameters":{"type":"object","properties":{}},"strict":false}],
		"text":{"format":{"type":"json_schema","name":"answer","strict":true,"schema":{"type":"object"}}}}`, string(sent))
}

func TestThreadIsKeptWhereAskedFor(t *testing.T) {
	s, url := serve(t, map[string]answer{"POST /v1/responses": {body: responseAnswer}})
	m := openResponses(t, openai.Config{Model: "gpt-5", BaseURL: url})
	first, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("one"), Thread: &llm.Thread{}})
	require.NoError(t, err)
	_, err = llm.Collect(t.Context(), m, llm.Request{Messages: user("two"), Thread: &llm.Thread{Previous: first.ID}})
	require.NoError(t, err)
	_, err = llm.Collect(t.Context(), m, llm.Request{Messages: user("three")})
	require.NoError(t, err)
	sent := s.bodies("POST /v1/responses")
	require.Equal(t, []any{true, true, false}, []any{sent[0]["store"], sent[1]["store"], sent[2]["store"]})
	require.Equal(t, []any{nil, "resp_1", nil}, []any{sent[0]["previous_response_id"], sent[1]["previous_response_id"], sent[2]["previous_response_id"]})
}

func TestResponsesRefuseWhatTheAPILacks(t *testing.T) {
	seed := 7
	m := openResponses(t, openai.Config{Model: "m", BaseURL: "http://127.0.0.1:1/v1"})
	for _, r := range []llm.Request{{Stop: []string{"END"}}, {Seed: &seed}} {
		_, err := llm.Collect(t.Context(), m, r)
		require.Equal(t, fault.Usage, fault.CodeOf(err))
		require.ErrorContains(t, err, "openai:m")
	}
}

// TestResponseFixturesAreWhatTheClientReads gives the streams above to OpenAI's
// own client and expects of it what is expected of ours.
func TestResponseFixturesAreWhatTheClientReads(t *testing.T) {
	_, url := serve(t, map[string]answer{"POST /v1/responses": {body: responseAnswer + responseCall + responseCut + responseFailed}})
	client := official.NewClient(option.WithBaseURL(url), option.WithAPIKey("k"), option.WithHTTPClient(http.DefaultClient))
	events := client.Responses.NewStreaming(t.Context(), responses.ResponseNewParams{Model: "gpt-5"})
	text, thought, kinds := "", "", map[string]int{}
	for events.Next() {
		switch e := events.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			text += e.Delta
		case responses.ResponseReasoningSummaryTextDeltaEvent:
			thought += e.Delta
		case responses.ResponseOutputItemDoneEvent:
			kinds[e.Item.Type+" "+e.Item.CallID]++
		case responses.ResponseCompletedEvent:
			kinds[e.Response.ID]++
			require.Positive(t, e.Response.Usage.InputTokens)
		case responses.ResponseIncompleteEvent:
			kinds[e.Response.ID+" "+e.Response.IncompleteDetails.Reason]++
		case responses.ResponseFailedEvent:
			kinds[string(e.Response.Error.Code)]++
		}
	}
	require.NoError(t, events.Err())
	require.Equal(t, "Twenty daysTwen", text)
	require.Equal(t, "The contract says so.", thought)
	require.Equal(t, map[string]int{"reasoning ": 1, "message ": 1, "function_call call_9": 1, "resp_1": 1, "resp_2": 1, "resp_3 max_output_tokens": 1, "server_error": 1}, kinds)
}
