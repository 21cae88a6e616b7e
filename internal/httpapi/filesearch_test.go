package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// searchReply is a response with a search in files, as tests look at it.
type searchReply struct {
	reply

	Output []struct {
		ID, Type, Status string
		Queries          []string
		Results          []struct {
			FileID     string `json:"file_id"`
			Filename   string
			Score      float64
			Text       string
			Attributes map[string]any
		}
		Content []struct {
			Text        string
			Annotations []map[string]any
		}
	}
}

func fileSearch(store string, more ...any) []any {
	tool := map[string]any{"type": "file_search", "vector_store_ids": []any{store}}
	for i := 0; i+1 < len(more); i += 2 {
		tool[more[i].(string)] = more[i+1]
	}
	return []any{tool}
}

// TestFileSearch: the stores of the tool are libraries of the turn; what was
// found comes as an item before the message, and marks as annotations with the
// ids of the uploads.
func TestFileSearch(t *testing.T) {
	u := newUpstream(t, says("It is four weeks [1]."))
	s := start(t, setup{upstreams: u.list()})
	book := s.upload("", "handbook.md", handbook(t))
	other := s.upload("", "rota.txt", "The notice period of the kitchen rota is one day.")
	v := s.newStore("", map[string]any{"name": "manuals"})
	for id, kind := range map[string]string{book: "handbook", other: "rota"} {
		s.ok("POST", "/v1/vector_stores/"+v.ID+"/files", "", map[string]any{"file_id": id, "attributes": map[string]any{"kind": kind}}, nil)
	}
	s.settled("", v.ID)

	small := map[string]any{"context_length": 1024, "prompt_set": "cited"}
	ask := func(more ...any) (r searchReply) {
		got := s.do("POST", "/v1/responses", "", respond("How long is the notice period?", append([]any{"inlay", small}, more...)...))
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		got.into(t, &r)
		return r
	}
	r := ask("tools", fileSearch(v.ID, "max_num_results", 2, "filters", map[string]any{"type": "eq", "key": "kind", "value": "handbook"}),
		"include", []any{"file_search_call.results"}, "tool_choice", map[string]any{"type": "file_search"})
	call, message := r.Output[0], r.Output[1]
	require.Equal(t, "file_search_call", call.Type)
	require.Equal(t, "completed", call.Status)
	require.True(t, strings.HasPrefix(call.ID, "fs_"))
	require.Equal(t, []string{"How long is the notice period?"}, call.Queries)
	require.NotEmpty(t, call.Results)
	require.LessOrEqual(t, len(call.Results), 2)
	for _, one := range call.Results {
		require.Equal(t, book, one.FileID)
		require.Equal(t, "handbook", one.Attributes["kind"])
	}
	require.Equal(t, "file_citation", message.Content[0].Annotations[0]["type"])
	require.Equal(t, book, message.Content[0].Annotations[0]["file_id"])
	require.Equal(t, "handbook.md", message.Content[0].Annotations[0]["filename"])
	require.NotContains(t, u.last(), "tools", "the model is offered nothing")
	sent, err := json.Marshal(u.last()["messages"])
	require.NoError(t, err)
	require.Contains(t, string(sent), "four weeks")
	require.NotContains(t, string(sent), "kitchen rota")

	r = ask("tools", fileSearch(v.ID, "filters", map[string]any{"type": "eq", "key": "kind", "value": "rota"}), "include", []any{"file_search_call.results"})
	require.Equal(t, "inject-full-content", r.Inlay.Strategy, "a small library goes in whole")
	require.Equal(t, other, r.Output[0].Results[0].FileID)
	require.InDelta(t, 1, r.Output[0].Results[0].Score, 0)
	require.Equal(t, "The notice period of the kitchen rota is one day.", r.Output[0].Results[0].Text)
	mark := r.Output[1].Content[0].Annotations[0]
	require.Equal(t, []any{other, "rota.txt"}, []any{mark["file_id"], mark["filename"]}, "a mark of a whole file has its name")

	r = ask("tools", fileSearch(v.ID))
	require.Nil(t, r.Output[0].Results, "nobody asked for them")
	next := s.respond(respond("And in the kitchen?", "previous_response_id", r.ID, "tools",
		fileSearch(v.ID, "ranking_options", map[string]any{"ranker": "auto", "score_threshold": 0.01}), "inlay", small))
	require.Equal(t, "file_search_call", next.Output[0].Type)
	back := []any{map[string]any{"role": "user", "content": "Hello"}, map[string]any{
		"type": "file_search_call", "id": r.Output[0].ID,
		"status": "completed", "queries": []any{"x"}, "results": nil,
	}, map[string]any{"role": "user", "content": "Again"}}
	s.respond(respond(back, "inlay", small))
	back[1] = map[string]any{"type": "item_reference", "id": r.Output[0].ID}
	s.respond(respond(back, "inlay", small))
}

// TestFileSearchStreams: the search comes as events before the answer.
func TestFileSearchStreams(t *testing.T) {
	u := newUpstream(t, streams(`{"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Four [1]."}, "finish_reason": null}]}`,
		`{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}`, "[DONE]"))
	s := start(t, setup{upstreams: u.list()})
	v := s.newStore("", map[string]any{"file_ids": []any{s.upload("", "handbook.md", handbook(t))}})
	got := s.do("POST", "/v1/responses", "", respond("How long is the notice period?", "stream", true, "tools", fileSearch(v.ID), "inlay", map[string]any{"context_length": 1024}))
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	list := eventsIn(t, got.body)
	require.Equal(t, []string{
		"created", "in_progress", "output_item.added", "file_search_call.in_progress", "file_search_call.searching", "file_search_call.completed", "output_item.done",
		"output_item.added", "content_part.added", "output_text.delta", "output_text.annotation.added", "output_text.done", "content_part.done", "output_item.done", "completed",
	}, kinds(list))
	require.Empty(t, list[0].Response.Output)
	require.Equal(t, 0, *list[3].Output)
	require.Equal(t, 1, *list[7].Output)
	require.Len(t, list[len(list)-1].Response.Output, 2)
}

// TestFileSearchRefused: what this server does not have is refused by name, and
// another's stores are none.
func TestFileSearchRefused(t *testing.T) {
	u := newUpstream(t, says("x"))
	s := start(t, setup{upstreams: u.list(), keys: true})
	ann, bob := s.key("ann"), s.key("bob")
	v := s.newStore(ann, map[string]any{"file_ids": []any{s.upload(ann, "a.txt", "The vault opens with marzipan.")}})
	for names, tools := range map[string][]any{
		"tools[0].vector_store_ids:":               {map[string]any{"type": "file_search"}},
		"tools[0].max_num_results:":                fileSearch(v.ID, "max_num_results", 0),
		"tools[0].filters.value:":                  fileSearch(v.ID, "filters", map[string]any{"type": "eq", "key": "a"}),
		"tools[0].ranking_options.hybrid_search":   fileSearch(v.ID, "ranking_options", map[string]any{"hybrid_search": map[string]any{"text_weight": 1}}),
		"tools[0].ranking_options.ranker":          fileSearch(v.ID, "ranking_options", map[string]any{"ranker": "mine"}),
		"tools[0].ranking_options.score_threshold": fileSearch(v.ID, "ranking_options", map[string]any{"score_threshold": 7}),
		"tools[1]": append(fileSearch(v.ID), fileSearch(v.ID)...),
	} {
		require.Contains(t, s.refused(http.StatusBadRequest, "POST", "/v1/responses", ann, respond("Hello", "tools", tools)), names)
	}
	s.refused(http.StatusNotFound, "POST", "/v1/responses", bob, respond("Hello", "tools", fileSearch(v.ID)))
	s.refused(http.StatusNotFound, "POST", "/v1/responses", ann, respond("Hello", "tools", fileSearch("vs_none")))
	s.ok("POST", "/v1/responses", ann, respond("What opens the vault?", "tools", fileSearch(v.ID)), nil)
}
