package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// respond is a request for a response; more are further fields.
func respond(input any, more ...any) map[string]any {
	r := map[string]any{"model": "m", "input": input, "inlay": map[string]any{"context_length": 4096, "prompt_set": "cited"}}
	for i := 0; i+1 < len(more); i += 2 {
		name, _ := more[i].(string)
		r[name] = more[i+1]
	}
	return r
}

func inputFile(text, name, content string) []any {
	file := map[string]any{"type": "input_file", "filename": name, "file_data": "data:text/plain;base64," + base64.StdEncoding.EncodeToString([]byte(content))}
	return []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "input_text", "text": text}, file}}}
}

// reply is a response as a test looks at it.
type reply struct {
	ID, Status string
	Output     []struct {
		ID, Type, Status, Name, Namespace, Arguments, Input string
		CallID                                              string `json:"call_id"`
		Content                                             []struct {
			Type, Text  string
			Annotations []map[string]any
		}
		Summary []struct{ Text string }
	}
	Incomplete *struct{ Reason string } `json:"incomplete_details"`
	Error      *struct{ Code, Message string }
	Previous   *string `json:"previous_response_id"`
	Store      bool
	Metadata   map[string]string
	Usage      struct {
		Input int `json:"input_tokens"`
		Total int `json:"total_tokens"`
	}
	Inlay struct {
		Strategy   string
		ReasonCode string `json:"reason_code"`
	}
}

func (r reply) text() string {
	for _, item := range r.Output {
		if item.Type == "message" {
			return item.Content[0].Text
		}
	}
	return ""
}

func (s *server) respond(body map[string]any) (r reply) {
	s.t.Helper()
	got := s.do("POST", "/v1/responses", "", body)
	require.Equal(s.t, http.StatusOK, got.status, string(got.body))
	got.into(s.t, &r)
	return r
}

// event is an event of a stream.
type event struct {
	Type     string
	Sequence int `json:"sequence_number"`
	Response *reply
	Output   *int   `json:"output_index"`
	ItemID   string `json:"item_id"`
	Delta    string
	Text     string
	Code     string
	Message  string
	Item     *struct{ ID, Type, Status string }
	Mark     map[string]any `json:"annotation"`
}

func eventsIn(t *testing.T, body []byte) (list []event) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSpace(string(body)), "\n\n") {
		name, data, ok := strings.Cut(block, "\n")
		require.True(t, ok, block)
		var e event
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e))
		require.Equal(t, "event: "+e.Type, name)
		require.Equal(t, len(list), e.Sequence, "numbers have no gap")
		list = append(list, e)
	}
	return list
}

func kinds(list []event) (out []string) {
	for _, e := range list {
		out = append(out, strings.TrimPrefix(e.Type, "response."))
	}
	return out
}

// TestResponse: a file inside the request, citations as annotations with the
// place of their marks, and what is kept of it.
func TestResponse(t *testing.T) {
	u := newUpstream(t, says("It is – as said – four weeks [1]. Not two [9]."))
	s := start(t, setup{upstreams: u.list()})
	r := s.respond(respond(inputFile("How long is the notice period?", "handbook.md", handbook(t)), "instructions", "Be brief.", "metadata", map[string]any{"a": "b"},
		"max_output_tokens", 40, "temperature", 0.5, "text", map[string]any{"verbosity": "low", "format": map[string]any{
			"type": "json_schema",
			"name": "n", "strict": true, "schema": map[string]any{"type": "object"},
		}},
		"inlay", map[string]any{"context_length": 1024, "prompt_set": "cited"}))
	require.Equal(t, "completed", r.Status)
	require.Equal(t, map[string]string{"a": "b"}, r.Metadata)
	require.Equal(t, "retrieval", r.Inlay.Strategy)
	marks := r.Output[0].Content[0].Annotations
	require.Len(t, marks, 1, "a number that is no passage is no citation")
	require.Equal(t, "file_citation", marks[0]["type"])
	require.Equal(t, "handbook.md", marks[0]["filename"])
	require.Equal(t, '[', []rune(r.text())[int(marks[0]["index"].(float64))])

	sent := u.last()
	require.Equal(t, "system", sent["messages"].([]any)[0].(map[string]any)["role"])
	require.InDelta(t, 40, sent["max_completion_tokens"], 0)
	require.InDelta(t, .5, sent["temperature"], 0)
	require.Equal(t, "low", sent["verbosity"])
	require.Equal(t, map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "n", "strict": true, "schema": map[string]any{"type": "object"}}}, sent["response_format"])
	require.NotContains(t, sent, "metadata")
	require.NotContains(t, sent, "store")

	var again reply
	s.do("GET", "/v1/responses/"+r.ID, "", nil).into(t, &again)
	require.Equal(t, r, again)
	var items struct {
		Data []struct {
			ID, Type string
			Content  []map[string]any
		}
	}
	s.do("GET", "/v1/responses/"+r.ID+"/input_items", "", nil).into(t, &items)
	require.Len(t, items.Data, 1)
	fileID, _ := items.Data[0].Content[1]["file_id"].(string)
	require.NotEmpty(t, fileID, "what came inside the request is an upload now")
	require.NotContains(t, items.Data[0].Content[1], "file_data")
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/files/"+fileID, "", nil).status)

	require.Equal(t, http.StatusConflict, s.do("POST", "/v1/responses/"+r.ID+"/cancel", "", nil).status)
	require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/responses/"+r.ID, "", nil).status)
	for _, path := range []string{"/v1/responses/" + r.ID, "/v1/responses/" + r.ID + "/input_items", "/v1/files/" + fileID} {
		require.Equal(t, http.StatusNotFound, s.do("GET", path, "", nil).status, path)
	}
	got := s.do("POST", "/v1/responses", "", respond("And now?", "previous_response_id", r.ID))
	require.Equal(t, http.StatusNotFound, got.status)
	require.Contains(t, string(got.body), "previous_response_id")
}

// TestResponsesFollow: a response continues another one, from which several may
// branch; what was injected is in the window as it was, and a deletion ends it.
func TestResponsesFollow(t *testing.T) {
	u := newUpstream(t, says("Four weeks [1]."))
	s := start(t, setup{upstreams: u.list()})
	first := s.respond(respond(inputFile("How long is the notice period?", "n.txt", "The notice period is four weeks."), "instructions", "Be brief."))
	second := s.respond(respond("In French?", "previous_response_id", first.ID))
	require.Equal(t, first.ID, *second.Previous)
	for _, r := range []reply{first, second} {
		marks := r.Output[0].Content[0].Annotations
		require.Len(t, marks, 1, "a whole file is cited too, also in a follow-up")
		require.Equal(t, "n.txt", marks[0]["filename"])
		require.InDelta(t, 11, marks[0]["index"], 0)
		require.Regexp(t, "^file-", marks[0]["file_id"])
	}
	require.Equal(t, "already_in_context", second.Inlay.ReasonCode)
	said := messagesOf(u.last())
	require.Len(t, said, 3, "instructions belong to one response")
	require.Contains(t, said[0], "The notice period is four weeks.")
	require.Equal(t, "assistant: Four weeks [1].", said[1])
	require.Contains(t, said[2], "In French?")

	branch := s.respond(respond([]any{
		map[string]any{"role": "developer", "content": "Be loud."},
		map[string]any{"role": "user", "content": "One."},
		map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": "Two."}}},
		map[string]any{"role": "user", "content": "In German?"},
	}, "previous_response_id", first.ID, "instructions", "Be quick."))
	said = messagesOf(u.last())
	require.Equal(t, "system: Be quick.", said[0])
	require.Equal(t, []string{"developer: Be loud.", "user: One.", "assistant: Two."}, said[3:6])
	third := s.respond(respond("Again.", "previous_response_id", branch.ID, "store", false))
	require.False(t, third.Store)
	said = messagesOf(u.last())
	require.Len(t, said, 8, "%q", said)
	require.Equal(t, []string{"system: Be loud.", "user: One.", "assistant: Two."}, said[2:5], "all of the input is kept")
	require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/responses/"+third.ID, "", nil).status)

	require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/responses/"+first.ID, "", nil).status)
	got := s.do("POST", "/v1/responses", "", respond("Again.", "previous_response_id", branch.ID))
	require.Equal(t, http.StatusNotFound, got.status)
	require.Contains(t, string(got.body), "which was deleted")
}

// TestResponseTruncation: a conversation that has outgrown the window is refused
// with what helps, or goes on without its oldest turns; it is kept whole.
func TestResponseTruncation(t *testing.T) {
	u := newUpstream(t, says("Noted."))
	s := start(t, setup{upstreams: u.list()})
	long := strings.Repeat("The tide turns at six. ", 40)
	previous := ""
	for i := range 4 {
		r := respond(fmt.Sprintf("%d. %s", i, long), "inlay", map[string]any{"context_length": 4096})
		if previous != "" {
			r["previous_response_id"] = previous
		}
		previous = s.respond(r).ID
	}
	small := map[string]any{"context_length": 1000}
	again := respond(inputFile("And the notice period?", "n.txt", "The notice period is four weeks."), "previous_response_id", previous, "inlay", small, "max_output_tokens", 50)
	got := s.do("POST", "/v1/responses", "", again)
	require.Equal(t, http.StatusBadRequest, got.status, string(got.body))
	require.Contains(t, string(got.body), `\"truncation\": \"auto\"`)
	again["truncation"], again["instructions"] = "auto", "Be brief."
	r := s.respond(again)
	said := messagesOf(u.last())
	require.Equal(t, "system: Be brief.", said[0])
	require.Contains(t, said[len(said)-3], "3. The tide")
	require.Contains(t, said[len(said)-1], "four weeks")
	require.NotContains(t, strings.Join(said, "\n"), "0. The tide")
	s.respond(respond("All of it?", "previous_response_id", r.ID))
	require.Len(t, messagesOf(u.last()), 11, "nothing of what was said is lost")
	require.Len(t, s.files(), 1, "the file was kept once")
}

// files are the names of the uploads.
func (s *server) files() (names []string) {
	var list struct{ Data []struct{ Filename string } }
	s.do("GET", "/v1/files", "", nil).into(s.t, &list)
	for _, f := range list.Data {
		names = append(names, f.Filename)
	}
	return names
}

// messagesOf are the messages that the model got.
func messagesOf(body map[string]any) (out []string) {
	list, _ := body["messages"].([]any)
	for _, one := range list {
		m, _ := one.(map[string]any)
		text := fmt.Sprint(m["content"])
		if parts, ok := m["content"].([]any); ok {
			part, _ := parts[0].(map[string]any)
			text = fmt.Sprint(part["text"])
		}
		if m["tool_calls"] != nil {
			text += fmt.Sprint(m["tool_calls"])
		}
		out = append(out, fmt.Sprintf("%v: %s", m["role"], text))
	}
	return out
}

// TestResponseEvents holds the order of a stream with thoughts, text and calls.
func TestResponseEvents(t *testing.T) {
	piece := func(delta string) string { return `{"choices": [{"index": 0, "delta": ` + delta + `}]}` }
	u := newUpstream(t, streams(
		piece(`{"role": "assistant", "content": ""}`), piece(`{"reasoning_content": "Hm"}`), piece(`{"reasoning_content": "m."}`), piece(`{"content": "Four "}`), piece(`{"content": "weeks [1]."}`),
		piece(`{"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": {"name": "look", "arguments": ""}}]}`), piece(`{"tool_calls": [{"index": 0, "function": {"arguments": "{\"a\":"}}]}`),
		piece(`{"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]}`), piece(`{"tool_calls": [{"index": 1, "id": "c2", "function": {"name": "ns__now", "arguments": ""}}]}`),
		`{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}`, `{"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}`, "[DONE]"))
	s := start(t, setup{upstreams: u.list()})
	got := s.do("POST", "/v1/responses", "", respond(inputFile("How long is the notice period?", "n.txt", "The notice period is four weeks."), "stream", true,
		"inlay", map[string]any{"context_length": 4096, "prompt_set": "cited", "mode": "retrieval", "retrieval_affinity_threshold": 0},
		"tools", []any{map[string]any{"type": "function", "name": "look"}, map[string]any{"type": "namespace", "name": "ns", "tools": []any{map[string]any{"type": "function", "name": "now"}}}}))
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	list := eventsIn(t, got.body)
	require.Equal(t, []string{
		"created", "in_progress",
		"output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta", "reasoning_summary_text.delta",
		"reasoning_summary_text.done", "reasoning_summary_part.done", "output_item.done",
		"output_item.added", "content_part.added", "output_text.delta", "output_text.delta",
		"output_text.annotation.added", "output_text.done", "content_part.done", "output_item.done",
		"output_item.added", "function_call_arguments.delta", "function_call_arguments.delta",
		"function_call_arguments.done", "output_item.done", "output_item.added", "function_call_arguments.done", "output_item.done",
		"completed",
	}, kinds(list))
	require.Equal(t, "in_progress", list[0].Response.Status)
	require.Equal(t, "retrieval", list[0].Response.Inlay.Strategy)
	require.InDelta(t, 11, list[13].Mark["index"], 0)
	last := list[len(list)-1].Response
	require.Equal(t, 10, last.Usage.Total)
	require.Len(t, last.Output, 4)
	for i, item := range last.Output {
		require.Equal(t, "completed", item.Status)
		for _, e := range list {
			if e.Output != nil && *e.Output == i && e.ItemID != "" {
				require.Equal(t, item.ID, e.ItemID)
			}
		}
	}
	require.Equal(t, "Hmm.", last.Output[0].Summary[0].Text)
	require.Equal(t, "Four weeks [1].", last.Output[1].Content[0].Text)
	require.JSONEq(t, `{"a":1}`, last.Output[2].Arguments)
	require.Equal(t, []string{"ns", "now", "c2", "{}"}, []string{last.Output[3].Namespace, last.Output[3].Name, last.Output[3].CallID, last.Output[3].Arguments})
	sent := u.last()
	require.Equal(t, map[string]any{"include_usage": true}, sent["stream_options"])
	require.Contains(t, fmt.Sprint(sent["tools"]), "ns__now")

	var kept reply
	s.do("GET", "/v1/responses/"+last.ID, "", nil).into(t, &kept)
	require.Equal(t, last.Output, kept.Output)
}

// TestResponseTools: calls and their results, continued by id, by references to
// items, and sent whole by a client that keeps all itself.
func TestResponseTools(t *testing.T) {
	function := []any{map[string]any{"type": "function", "name": "weather", "parameters": map[string]any{"type": "object"}, "strict": true}}
	for _, how := range []string{"previous", "references", "whole"} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprint(how, stream), func(t *testing.T) {
				u := calling(t)
				s := start(t, setup{upstreams: u.list()})
				say := func(body map[string]any) (r reply) {
					body["stream"], body["tools"] = stream, function
					got := s.do("POST", "/v1/responses", "", body)
					require.Equal(t, http.StatusOK, got.status, string(got.body))
					if stream {
						list := eventsIn(t, got.body)
						return *list[len(list)-1].Response
					}
					got.into(t, &r)
					return r
				}
				question := inputFile("What is the weather, and the notice?", "n.txt", "The notice period is four weeks.")
				first := say(respond(question))
				call := first.Output[0]
				require.Equal(t, "function_call", call.Type)
				require.Equal(t, "weather", call.Name)
				output := map[string]any{"type": "function_call_output", "call_id": call.CallID, "output": []any{map[string]any{"type": "input_text", "text": "rain"}}}
				var body map[string]any
				switch how {
				case "previous":
					body = respond([]any{output}, "previous_response_id", first.ID)
				case "references":
					body = respond(append(question, map[string]any{"type": "item_reference", "id": call.ID}, output))
				case "whole":
					body = respond(append(question, map[string]any{
						"type": "function_call", "id": call.ID, "call_id": call.CallID, "name": call.Name,
						"arguments": call.Arguments, "status": "completed",
					}, output), "store", false)
				}
				second := say(body)
				require.Equal(t, "Four weeks [1].", second.text())
				said := messagesOf(u.last())
				require.Len(t, said, 3, "%q", said)
				require.Contains(t, said[0], "The notice period is four weeks.", "the turn goes on, with its document")
				require.Contains(t, said[1], "weather")
				require.Equal(t, "tool: rain", said[2])
				if how == "whole" {
					return
				}
				third := say(respond("Thanks.", "previous_response_id", second.ID))
				require.Equal(t, "already_in_context", third.Inlay.ReasonCode)
				require.Len(t, messagesOf(u.last()), 5)
			})
		}
	}
}

// TestResponseRefusals: what is not here is refused by the name that it has in
// the request, and no value is repeated.
func TestResponseRefusals(t *testing.T) {
	s := start(t, setup{upstreams: newUpstream(t, says("hi")).list()})
	user := func(parts ...any) []any { return []any{map[string]any{"role": "user", "content": parts}} }
	for _, c := range []struct {
		body map[string]any
		want string
	}{
		{respond(nil), "input: is invalid"},
		{respond([]any{}), "input: is invalid"},
		{respond("q", "conversation", "SECRET"), "conversation: is not supported"},
		{respond("q", "prompt", map[string]any{"id": "SECRET"}), "prompt: is not supported"},
		{respond("q", "SECRET FIELD", 1), "unknown field"},
		{respond("q", "background", true), "background: is not supported"},
		{respond("q", "truncation", "SECRET"), "truncation: is invalid"},
		{respond("q", "top_logprobs", 3), "top_logprobs: is not supported"},
		{respond("q", "include", []any{"SECRET"}), "include[0]: is not supported"},
		{respond("q", "store", "SECRET"), "store: is invalid"},
		{respond("q", "metadata", []any{"SECRET"}), "metadata: is invalid"},
		{respond("q", "text", map[string]any{"format": map[string]any{"type": "xml"}}), "text.format of type xml"},
		{respond("q", "tools", []any{map[string]any{"type": "web_search"}}), "tools[0] of type web_search"},
		{respond("q", "tools", []any{map[string]any{"type": "function"}}), "tools[0].name"},
		{respond("q", "tool_choice", map[string]any{"type": "file_search"}), "tool_choice of type file_search"},
		{respond(user(map[string]any{"type": "input_file", "file_url": "http://127.0.0.1/SECRET"})), "input[0].content[0].file_url: is not supported"},
		{respond(user(map[string]any{"type": "input_file"})), "input[0].content[0]: is invalid"},
		{respond(user(map[string]any{"type": "input_file", "file_data": "SECRET!"})), "input[0].content[0].file_data: is invalid"},
		{respond(user(map[string]any{"type": "input_video"})), "input[0].content[0] of type input_video"},
		{respond([]any{map[string]any{"type": "web_search_call", "id": "x"}}), "input[0] of type web_search_call"},
		{respond([]any{map[string]any{"role": "SECRET", "content": "x"}}), "input[0].role"},
		{respond([]any{map[string]any{"type": "function_call_output", "output": "SECRET"}}), "input[0].call_id"},
		{respond([]any{map[string]any{"type": "item_reference", "id": "msg_none_o1"}}), "item msg_none_o1"},
		{respond("q", "inlay", map[string]any{"chat_id": "chat_1"}), "inlay.chat_id"},
		{respond("q", "previous_response_id", "resp_none"), "previous_response_id"},
	} {
		got := s.do("POST", "/v1/responses", "", c.body)
		require.Contains(t, []int{400, 404}, got.status, string(got.body))
		require.Contains(t, string(got.body), c.want)
		require.Contains(t, string(got.body), "invalid_request_error")
		require.NotContains(t, string(got.body), "SECRET")
	}
}
