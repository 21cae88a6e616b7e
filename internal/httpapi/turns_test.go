package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/strategy"
)

const contract = "# Contract\n\nThe notice period is six weeks. The rent is paid on the third of each month.\n"

// userSays is a message of a user in the OpenAI form.
func userSays(text string) map[string]any { return map[string]any{"role": "user", "content": text} }

// TestStatelessChatKeepsItsDocument: a client sends its own words alone, and the
// document of its first message stays in the window: with a clock in the system
// prompt, another model, trimmed text, parts in another order, and whatever the
// cache has forgotten.
func TestStatelessChatKeepsItsDocument(t *testing.T) {
	file := map[string]any{"type": "file", "file": map[string]any{"filename": "contract.md", "file_data": []byte(contract)}}
	first := func(system string, parts ...any) []any {
		return []any{map[string]any{"role": "system", "content": system}, map[string]any{"role": "user", "content": parts}}
	}
	text := func(s string) any { return map[string]any{"type": "text", "text": s} }
	follow := []any{map[string]any{"role": "assistant", "content": "Six weeks."}, userSays("Please translate that to French.")}
	for name, messages := range map[string][]any{
		"the same":          append(first("It is 10:00.", text("How long is the notice period?"), file), follow...),
		"a clock":           append(first("It is 10:07.", text("How long is the notice period?"), file), follow...),
		"trimmed text":      append(first("It is 10:00.", text("How long is the notice period"), file), follow...),
		"parts in disorder": append(first("It is 10:00.", file, text("How long is the notice period?")), follow...),
		"no system prompt":  append(first("It is 10:00.", text("How long is the notice period?"), file)[1:], follow...),
	} {
		for _, wiped := range []bool{false, true} {
			u := newUpstream(t, says("Six weeks."))
			s := start(t, setup{upstreams: u.list()})
			require.Equal(t, http.StatusOK, s.do("POST", "/v1/chat/completions", "", ask(first("It is 10:00.", text("How long is the notice period?"), file))).status)
			if wiped {
				require.NoError(t, os.RemoveAll(filepath.Join(s.dir, "cache")))
			}
			got := s.do("POST", "/v1/chat/completions", "", ask(messages))
			require.Equal(t, http.StatusOK, got.status, string(got.body))
			require.Contains(t, string(got.body), `"reason_code":"already_in_context"`, name)
			sent := u.last()["messages"].([]any)
			require.Contains(t, fmt.Sprint(sent[len(sent)-3]), "The rent is paid on the third", name)
			require.Equal(t, "Please translate that to French.", sent[len(sent)-1].(map[string]any)["content"], name)
		}
	}
}

// TestCacheChangesNothing: each turn of a conversation is the same to the byte,
// in one process and in a new one without a cache before every turn.
func TestCacheChangesNothing(t *testing.T) {
	questions := []string{"How long is the notice period?", "And the trial period?", "Who lends devices?"}
	talk := func(fresh bool) (sent []string) {
		u := newUpstream(t, says("Four weeks [1]."))
		s := start(t, setup{upstreams: u.list()})
		messages := []any{}
		for i, q := range questions {
			if fresh {
				s = start(t, setup{upstreams: u.list()})
			}
			message := userSays(q)
			if i == 0 {
				message = inline(q, "handbook.md", handbook(t))
			}
			messages = append(messages, message)
			r := ask(messages)
			r["inlay"] = map[string]any{"context_length": 2048, "retrieval_limit": 1, "mode": "retrieval"}
			got := s.do("POST", "/v1/chat/completions", "", r)
			require.Equal(t, http.StatusOK, got.status, string(got.body))
			data, err := json.Marshal(u.last()["messages"])
			require.NoError(t, err)
			sent = append(sent, string(data))
			messages = append(messages, map[string]any{"role": "assistant", "content": "Four weeks [1]."})
		}
		return sent
	}
	require.Equal(t, talk(false), talk(true))
}

// TestEqualBytesInKeptChat: a document that is attached again goes in once,
// whatever id its bytes have now.
func TestEqualBytesInKeptChat(t *testing.T) {
	u := newUpstream(t, says("Six weeks."))
	s := start(t, setup{upstreams: u.list()})
	id, look := s.newChat(t)
	for i, message := range []any{
		inline("How long is the notice period?", "contract.md", contract), inline("And the rent?", "contract.md", contract),
		withFile("When?", s.upload("", "copy.md", contract)),
	} {
		r := ask([]any{message})
		r["inlay"].(map[string]any)["chat_id"] = id
		got := s.do("POST", "/v1/chat/completions", "", r)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		require.Equal(t, 1, strings.Count(fmt.Sprint(u.last()["messages"]), "The rent is paid"), "turn %d", i+1)
		if i > 0 {
			require.Contains(t, string(got.body), `"reason_code":"already_in_context"`)
		}
	}
	require.Len(t, look().Files, 2, "the same bytes under the same name are one upload")
}

// TestToolRulesAreApplied: a tool that the rules deny does not reach the model,
// and a call of it is refused.
func TestToolRulesAreApplied(t *testing.T) {
	tools := []any{}
	for _, name := range []string{"rm", "read"} {
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{"name": name, "parameters": map[string]any{"type": "object"}}})
	}
	for _, stream := range []bool{false, true} {
		u := newUpstream(t, nil)
		u.answer = func(w http.ResponseWriter, _ *http.Request) {
			call := `[{"index": 0, "id": "c1", "type": "function", "function": {"name": "rm", "arguments": "{}"}}]`
			if stream {
				streams(`{"id": "x", "choices": [{"index": 0, "delta": {"tool_calls": `+call+`}}]}`, `{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}`)(w, nil)
				return
			}
			_, _ = fmt.Fprintf(w, `{"id": "x", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": null, "tool_calls": %s}}]}`, call)
		}
		s := start(t, setup{upstreams: u.list()})
		r := ask([]any{userSays("Tidy up.")}, "tools", tools, "stream", stream)
		r["inlay"].(map[string]any)["tool_rules"] = map[string]any{"*": map[string]any{"rm": false}}
		got := s.do("POST", "/v1/chat/completions", "", r)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		require.Len(t, u.last()["tools"], 1)
		require.NotContains(t, fmt.Sprint(u.last()["tools"]), "rm")
		require.NotContains(t, string(got.body), `"tool_calls":[`)
		require.Contains(t, string(got.body), "the call was refused")
		require.Contains(t, string(got.body), `"denied_tools"`)

		r["inlay"].(map[string]any)["tool_rules"] = map[string]any{"*": map[string]any{"*": false}}
		s.do("POST", "/v1/chat/completions", "", r)
		require.NotContains(t, u.last(), "tools")
	}
}

// TestStrategyTakesPartInChat: what a strategy's turn came to is kept, the next
// turns know it, and it can be replayed to the byte.
func TestStrategyTakesPartInChat(t *testing.T) {
	u := newUpstream(t, says("Six weeks [1]."))
	s := start(t, setup{upstreams: u.list()})
	id, _ := s.newChat(t)
	turn := func(message any, more map[string]any) string {
		r := ask([]any{message})
		maps.Copy(r["inlay"].(map[string]any), more)
		r["inlay"].(map[string]any)["chat_id"] = id
		got := s.do("POST", "/v1/chat/completions", "", r)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		return string(got.body)
	}
	prompt := func() string {
		sent := u.last()["messages"].([]any)
		return sent[len(sent)-1].(map[string]any)["content"].(string)
	}
	turn(inline("How long is the notice period?", "contract.md", contract), map[string]any{"strategy": "ask-documents"})
	first := prompt()
	require.Contains(t, first, "The rent is paid")
	require.Contains(t, turn(userSays("And the rent?"), nil), `"reason_code":"already_in_context"`, "a strategy's turn put the document there")
	second := turn(userSays("In short?"), map[string]any{"strategy": "summarize-documents"})
	require.NotContains(t, prompt(), "(0)")
	require.Contains(t, second, `"in_context":true`)

	var whole struct {
		History struct{ Messages []chat.Message }
		Results []struct {
			Result    map[string]any
			Execution *strategy.Execution
		}
	}
	s.do("GET", "/v1/chats/"+id, "", nil).into(t, &whole)
	require.Len(t, whole.Results, 3)
	require.Equal(t, "inject-full-content", whole.Results[0].Result["strategy"])
	require.Equal(t, first, string(whole.Results[0].Execution.Prompt))
	require.Nil(t, whole.Results[1].Execution)
	var again strategy.Execution
	s.do("POST", "/v1/chats/"+id+"/turns/1/replay", "", nil).into(t, &again)
	require.Equal(t, first, string(again.Prompt))
	require.Equal(t, http.StatusNotFound, s.do("POST", "/v1/chats/"+id+"/turns/2/replay", "", nil).status, "no strategy made it")
}

// TestStrategyCites: the passages in a strategy's prompt are the answer's
// annotations.
func TestStrategyCites(t *testing.T) {
	u := newUpstream(t, says("Four weeks [1]."))
	s := start(t, setup{upstreams: u.list()})
	r := ask([]any{inline("How long is the notice period?", "handbook.md", handbook(t))})
	r["inlay"].(map[string]any)["strategy"] = "ask-documents"
	got := s.do("POST", "/v1/chat/completions", "", r)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	require.Contains(t, string(got.body), `"cited":true`)
	require.Contains(t, string(got.body), `"steps":[{"preprocessor":"files"`)
	got = s.do("POST", "/v1/strategies/ask-documents/execute", "", map[string]any{
		"input": "How long is the notice period?", "context_length": 1024, "files": []any{map[string]any{"name": "handbook.md", "data": []byte(handbook(t))}},
	})
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	require.Contains(t, string(got.body), `"citations":[{"id"`)
}

// TestFailedStrategySaysItsSteps: the code is STR-12's at every door, with what
// stopped the preprocessor and the steps so far.
func TestFailedStrategySaysItsSteps(t *testing.T) {
	s := start(t, setup{upstreams: newUpstream(t, says("x")).list()})
	broken := []any{map[string]any{"name": "a.docx", "data": []byte("PK\x03\x04 broken")}}
	execute := s.do("POST", "/v1/strategies/ask-documents/execute", "", map[string]any{"input": "q", "context_length": 1024, "files": broken})
	r := ask([]any{inline("q", "a.docx", "PK\x03\x04 broken")})
	r["inlay"].(map[string]any)["strategy"] = "ask-documents"
	for _, got := range []answer{execute, s.do("POST", "/v1/chat/completions", "", r)} {
		require.GreaterOrEqual(t, got.status, 400, string(got.body))
		require.Contains(t, string(got.body), `"code":"preprocessor.exception"`)
		require.Contains(t, string(got.body), `"cause":"`)
		require.Contains(t, string(got.body), `"steps":[{"preprocessor":"files"`)
		require.Contains(t, string(got.body), `"failure":"preprocessor.exception"`)
	}
}

// TestWholeFilesAreCited: a mark of a file that went in whole is an annotation,
// in answers at once and streamed, of a stateless and of a kept chat, also on a
// later turn.
func TestWholeFilesAreCited(t *testing.T) {
	delta := `{"id":"x","choices":[{"index":0,"delta":{"content":"Six weeks [1]."},"finish_reason":"stop"}]}`
	for _, stream := range []bool{false, true} {
		answer := says("Six weeks [1].")
		if stream {
			answer = streams(delta, "[DONE]")
		}
		s := start(t, setup{upstreams: newUpstream(t, answer).list()})
		id, _ := s.newChat(t)
		later := []any{inline("How long?", "contract.md", contract), map[string]any{"role": "assistant", "content": "Six weeks [1]."}, userSays("In days?")}
		for name, c := range map[string]struct {
			chat     string
			messages []any
		}{
			"stateless":           {"", []any{inline("How long?", "contract.md", contract)}},
			"stateless, and then": {"", later},
			"kept":                {id, []any{inline("How long?", "contract.md", contract)}},
		} {
			r := ask(c.messages, "stream", stream)
			r["inlay"] = map[string]any{"context_length": 4096, "chat_id": c.chat}
			got := s.do("POST", "/v1/chat/completions", "", r)
			require.Equal(t, http.StatusOK, got.status, string(got.body))
			require.Regexp(t, `"annotations": ?\[\{"type": ?"file_citation".*"filename": ?"contract.md", ?"cited": ?true`, string(got.body), "%s, stream %v", name, stream)
		}
	}
}
