package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeysDoNotCross: chat completions of one key never reach what another one
// has, by file, chat or call, nor by the attachments of a conversation.
func TestKeysDoNotCross(t *testing.T) {
	u := calling(t)
	s := start(t, setup{keys: true, upstreams: u.list()})
	ann, bob := s.key("ann"), s.key("bob")
	mine := s.upload(ann, "secret.txt", "The password is marmalade.\n")
	var made struct{ ID string }
	s.do("POST", "/v1/chats", ann, map[string]any{}).into(t, &made)
	turn := func(secret, chat string, message any) answer {
		r := ask([]any{message}, "tools", weather)
		if chat != "" {
			r["inlay"].(map[string]any)["chat_id"] = chat
		}
		return s.do("POST", "/v1/chat/completions", secret, r)
	}
	question := withFile("What is the password?", mine)
	require.Equal(t, http.StatusOK, turn(ann, made.ID, question).status)
	require.Equal(t, http.StatusOK, turn(ann, "", question).status)
	asked := len(u.bodies)

	result := map[string]any{"role": "tool", "tool_call_id": "call_1", "content": "It rains."}
	for name, got := range map[string]answer{
		"chat":           turn(bob, made.ID, map[string]any{"role": "user", "content": "Which word is it?"}),
		"result":         turn(bob, made.ID, result),
		"file":           turn(bob, "", question),
		"file of a turn": s.do("POST", "/v1/chat/completions", bob, ask([]any{question, map[string]any{"role": "assistant", "content": "x"}, map[string]any{"role": "user", "content": "And?"}})),
		"strategy": s.do("POST", "/v1/chat/completions", bob, map[string]any{
			"model": "m", "messages": []any{question},
			"inlay": map[string]any{"context_length": 1024, "preprocessors": []string{"files"}},
		}),
	} {
		require.Equal(t, http.StatusNotFound, got.status, "%s: %s", name, got.body)
		require.NotContains(t, string(got.body), "secret.txt", name)
	}
	require.Len(t, u.bodies, asked, "nothing went to the model")

	past := []map[string]any{{"role": "user", "text": "q", "attachments": []any{map[string]any{"file_id": mine, "name": "x.txt"}}}, {"role": "assistant", "text": "a"}, user("What is the password?")[0]}
	foreign := s.do("POST", "/v1/preprocess", bob, map[string]any{"messages": past, "context_length": 1024})
	require.Equal(t, http.StatusOK, foreign.status, string(foreign.body))
	require.NotContains(t, string(foreign.body), "marmalade")
	past[0]["attachments"] = []any{map[string]any{"file_id": "file-nobodys", "name": "x.txt"}}
	missing := s.do("POST", "/v1/preprocess", bob, map[string]any{"messages": past, "context_length": 1024})
	require.Equal(t, masked(missing.body, "file-nobodys"), masked(foreign.body, mine), "as what is nobody's")
	require.Contains(t, string(missing.body), "file_gone")
}
