package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/injection"
	"inlay/intent"
)

// pasted is a question with a log beside it.
func pasted() string { return pastedLines(60) }

func pastedLines(n int) string {
	var log strings.Builder
	for i := range n {
		fmt.Fprintf(&log, "2024-05-01T10:%02d:%02dZ INFO worker-%d finished batch %d\n", i/60, i%60, i%4, 1000+i)
	}
	return "Which worker finished batch 1042?\n\n" + log.String()
}

// laidOut is what is looked at of a result.
type laidOut struct {
	Strategy injection.Strategy
	Prompt   string
	Message  chat.Message
	Failures []injection.Failure
	Intent   *struct {
		Text      string
		Documents []intent.Document
	}
}

// TestIntentInPreprocess: bulk becomes a document that later turns of a kept
// chat find again; off, nothing is touched.
func TestIntentInPreprocess(t *testing.T) {
	s := start(t, setup{})
	var kept struct{ ID string }
	s.do("POST", "/v1/chats", "", map[string]any{}).into(t, &kept)
	ask := func(text, how string) (res laidOut) {
		body := map[string]any{
			"messages": []any{map[string]any{"role": "user", "text": text}}, "context_length": 4500, "retrieval_limit": 1,
			"intent": how, "chat_id": kept.ID, "utf16": true, "mode": "retrieval", "retrieval_affinity_threshold": 0,
		}
		got := s.do("POST", "/v1/preprocess", "", body)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		got.into(t, &res)
		return res
	}
	res := ask(pastedLines(240), "builtin")
	require.Len(t, res.Intent.Documents, 1)
	require.Equal(t, pastedLines(240)[res.Intent.Documents[0].Start:res.Intent.Documents[0].End], res.Intent.Documents[0].Content)
	require.Equal(t, "Which worker finished batch 1042?", strings.TrimSpace(res.Intent.Text))
	require.Equal(t, injection.Retrieval, res.Strategy)
	require.Equal(t, "user_context", res.Message.Attachments[0].Label)

	again := ask("And batch 1017?", "off")
	require.Nil(t, again.Intent)
	require.Empty(t, again.Failures)
	require.Contains(t, again.Prompt, "batch 1017", "the document was cut from the kept message again")

	ask("Why?", "builtin")
	figures := string(s.do("GET", "/metrics", "", nil).body)
	require.Contains(t, figures, `inlay_intent_analyses_total{analyzer="builtin",outcome="moved"} 1`)
	require.Contains(t, figures, `inlay_intent_analyses_total{analyzer="builtin",outcome="whole"} 1`)
	require.Contains(t, figures, "inlay_intent_documents_total 1")

	for how, status := range map[string]int{"secret": http.StatusBadRequest, "model": http.StatusBadRequest} {
		got := s.do("POST", "/v1/preprocess", "", map[string]any{"messages": []any{map[string]any{"role": "user", "text": "q"}}, "context_length": 700, "intent": how})
		require.Equal(t, status, got.status, string(got.body))
		require.NotContains(t, string(got.body), "secret")
	}
}

// TestIntentInCompletions: what was moved is shown, the next turn sends the same
// history byte for byte, and off, the client's message goes on as it is.
func TestIntentInCompletions(t *testing.T) {
	up := newUpstream(t, says("worker-2"))
	s := start(t, setup{upstreams: up.list()})
	messages := []any{map[string]any{"role": "user", "content": pasted()}}
	send := func(how string) laidOut {
		got := s.do("POST", "/v1/chat/completions", "", map[string]any{
			"model": "m", "messages": messages, "inlay": map[string]any{"intent": how, "context_length": 4000, "mode": "full"},
		})
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		var answer struct {
			Inlay laidOut
		}
		got.into(t, &answer)
		return answer.Inlay
	}
	sent := func(i int) any { return up.last()["messages"].([]any)[i].(map[string]any)["content"] }
	require.Nil(t, send("off").Intent)
	require.Equal(t, pasted(), sent(0))

	require.Len(t, send("builtin").Intent.Documents, 1)
	first := sent(0)
	require.NotEqual(t, pasted(), first)
	require.Contains(t, first, "finished batch 1042")

	messages = append(messages, map[string]any{"role": "assistant", "content": "worker-2"}, map[string]any{"role": string(chat.User), "content": "And 1017?"})
	require.Empty(t, send("builtin").Intent.Documents)
	require.Equal(t, first, sent(0), "the history is as it was")
	require.Contains(t, sent(2), "And 1017?")
}

// TestIntentAsPreprocessor: where a request lets intent and files run, files
// sees what intent moved, and the answer shows it.
func TestIntentAsPreprocessor(t *testing.T) {
	up := newUpstream(t, says("worker-2"))
	s := start(t, setup{upstreams: up.list()})
	got := s.do("POST", "/v1/chat/completions", "", map[string]any{
		"model": "m", "messages": []any{map[string]any{"role": "user", "content": pasted()}},
		"inlay": map[string]any{"preprocessors": []string{"intent", "files"}, "context_length": 4000, "mode": "full"},
	})
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	var answer struct{ Inlay laidOut }
	got.into(t, &answer)
	require.Len(t, answer.Inlay.Intent.Documents, 1)
	sent, _ := up.last()["messages"].([]any)[0].(map[string]any)["content"].(string)
	require.Contains(t, sent, `begin [1] "user_context_1.txt"`)
	require.True(t, strings.HasSuffix(strings.TrimSpace(sent), "Which worker finished batch 1042?"))
	require.Equal(t, 1, strings.Count(sent, "finished batch 1017"))
}
