package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	official "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"
)

// TestBrokenResponse: a stream that breaks off ends with an error event, which
// names the cause, and the response as a failed one, which is not kept. One that
// was cut by its limit is incomplete.
func TestBrokenResponse(t *testing.T) {
	u := newUpstream(t, streams(`{"choices": [{"index": 0, "delta": {"content": "Four"}}]}`))
	s := start(t, setup{upstreams: u.list()})
	list := eventsIn(t, s.do("POST", "/v1/responses", "", respond("How long?", "stream", true)).body)
	require.Equal(t, []string{"error", "failed"}, kinds(list)[len(list)-2:])
	last := list[len(list)-1].Response
	require.Equal(t, "failed", last.Status)
	require.Equal(t, "answer_unfinished", last.Error.Code)
	require.Equal(t, last.Error.Message, list[len(list)-2].Message)
	require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/responses/"+last.ID, "", nil).status)

	u.answer = streams(`{"choices": [{"index": 0, "delta": {"content": "Four"}, "finish_reason": "length"}]}`, "[DONE]")
	list = eventsIn(t, s.do("POST", "/v1/responses", "", respond("How long?", "stream", true)).body)
	last = list[len(list)-1].Response
	require.Equal(t, "incomplete", last.Status)
	require.Equal(t, "max_output_tokens", last.Incomplete.Reason)
	require.Equal(t, "incomplete", last.Output[0].Status)
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/responses/"+last.ID, "", nil).status)
}

// TestImagesStay: an image of an earlier turn is in the window of later ones, in
// stored responses and in kept chats, until it is deleted.
func TestImagesStay(t *testing.T) {
	const picture = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
	u := newUpstream(t, says("A dot."))
	s := start(t, setup{upstreams: u.list()})
	chat, _ := s.newChat(t)
	previous := ""
	doors := map[string]func(text string, with bool){
		"response": func(text string, with bool) {
			parts := []any{map[string]any{"type": "input_text", "text": text}}
			if with {
				parts = append(parts, map[string]any{"type": "input_image", "image_url": picture, "detail": "low"})
			}
			r := respond([]any{map[string]any{"role": "user", "content": parts}})
			if previous != "" {
				r["previous_response_id"] = previous
			}
			previous = s.respond(r).ID
		},
		"kept chat": func(text string, with bool) {
			parts := []any{map[string]any{"type": "text", "text": text}}
			if with {
				parts = append(parts, map[string]any{"type": "image_url", "image_url": map[string]any{"url": picture, "detail": "low"}})
			}
			r := ask([]any{map[string]any{"role": "user", "content": parts}})
			r["inlay"].(map[string]any)["chat_id"] = chat
			got := s.do("POST", "/v1/chat/completions", "", r)
			require.Equal(t, http.StatusOK, got.status, string(got.body))
		},
	}
	for name, say := range doors {
		t.Run(name, func(t *testing.T) {
			shown := func() string {
				data, err := json.Marshal(u.last()["messages"].([]any)[0])
				require.NoError(t, err)
				return string(data)
			}
			say("What is this?", true)
			require.Contains(t, shown(), picture)
			require.Contains(t, shown(), `"detail":"low"`)
			require.Equal(t, []string{"image.gif"}, s.files())
			say("Is it large?", false)
			require.Contains(t, shown(), picture, "the earlier message has it still")
			require.Contains(t, shown(), "What is this?")
			var list struct{ Data []struct{ ID string } }
			s.do("GET", "/v1/files", "", nil).into(t, &list)
			require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/files/"+list.Data[0].ID, "", nil).status)
			say("And now?", false)
			require.NotContains(t, shown(), picture)
		})
	}
}

// TestResponsesOfOthers: responses belong to a key.
func TestResponsesOfOthers(t *testing.T) {
	u := newUpstream(t, says("hi"))
	s := start(t, setup{upstreams: u.list(), keys: true})
	ann, bob := s.key("ann"), s.key("bob")
	var r reply
	s.do("POST", "/v1/responses", ann, respond("q")).into(t, &r)
	require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/responses/"+r.ID, bob, nil).status)
	require.Equal(t, http.StatusNotFound, s.do("POST", "/v1/responses", bob, respond("q", "previous_response_id", r.ID)).status)
	require.Equal(t, http.StatusNotFound, s.do("POST", "/v1/responses", bob, respond([]any{map[string]any{"type": "item_reference", "id": r.Output[0].ID}})).status)
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/responses/"+r.ID, ann, nil).status)
}

// TestOfficialClientReadsResponses: OpenAI's client reads a stream to its end,
// and knows every type of event.
func TestOfficialClientReadsResponses(t *testing.T) {
	u := calling(t)
	s := start(t, setup{upstreams: u.list()})
	client := official.NewClient(option.WithBaseURL(s.URL+"/v1"), option.WithAPIKey("k"), option.WithMaxRetries(0), option.WithHTTPClient(s.Client()))
	stream := client.Responses.NewStreaming(t.Context(), responses.ResponseNewParams{
		Model: "m", Input: responses.ResponseNewParamsInputUnion{OfString: official.String("What is the weather?")},
		Tools: []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{Name: "weather", Parameters: map[string]any{"type": "object"}}}},
	})
	var last responses.Response
	for stream.Next() {
		e := stream.Current()
		require.NotNil(t, e.AsAny(), e.Type)
		if e.Type == "response.completed" {
			last = e.Response
		}
	}
	require.NoError(t, stream.Err())
	require.Equal(t, "weather", last.Output[0].Name)
	require.JSONEq(t, `{"city":"Bergen"}`, last.Output[0].Arguments.OfString)
	again, err := client.Responses.Get(t.Context(), last.ID, responses.ResponseGetParams{})
	require.NoError(t, err)
	require.Equal(t, last.Output[0].CallID, again.Output[0].CallID)
	items, err := client.Responses.InputItems.List(t.Context(), last.ID, responses.InputItemListParams{})
	require.NoError(t, err)
	require.Equal(t, "What is the weather?", items.Data[0].AsMessage().Content[0].Text)
	require.NoError(t, client.Responses.Delete(t.Context(), last.ID))
}
