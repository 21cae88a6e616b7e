package service

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"inlay/cache"
	"inlay/chat"
	"inlay/eval"
	"inlay/fault"
	"inlay/internal/jobs"
	"inlay/internal/state"
	"inlay/internal/state/sqlite"
	"inlay/llm/completion"
	"inlay/turn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEvaluationThatEndsTheServer is given up after a few servers.
func TestEvaluationThatEndsTheServer(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "state.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	e := state.Evaluation{
		ID: "eval_1", Owner: "ann", Created: time.Now(), State: state.Running, Request: json.RawMessage(`{"files": [{"id": "x"}], "questions": [{"question": "q"}]}`),
		Progress: json.RawMessage(`{"begun": 7, "stuck": 3}`),
	}
	require.NoError(t, store.AddEvaluation(t.Context(), e, 1))
	s, err := Open(t.Context(), Config{
		Data: dir, State: store, Cache: &cache.Memory{}, Evaluator: func(string) eval.Options { t.Error("it was begun again"); return eval.Options{} },
	})
	require.NoError(t, err)
	over, err := s.WatchEvaluation(t.Context(), "ann", "eval_1", func(jobs.Evaluation) {})
	require.NoError(t, err)
	require.Equal(t, state.Broken, over.State)
	require.Contains(t, over.Why.Reason, "3 times in a row at the same place")
	_, err = s.Evaluation(t.Context(), "bob", "eval_1")
	require.True(t, fault.Is(err, fault.NotFound))

	_, err = Open(t.Context(), Config{Data: dir, State: store})
	require.ErrorContains(t, err, "another server works in this data folder")
	require.NoError(t, s.Close())
}

// TestWrite: what the turn left alone is the client's to the byte, what it
// changed keeps its other parts, what it made is written.
func TestWrite(t *testing.T) {
	given := `[{"role": "system", "content": [{"type": "text", "text": "Be brief.", "cache_control": {}}]},
		{"role": "user", "name": "ann", "content": [{"type": "image_url", "image_url": {"url": "data:"}}, {"type": "text", "text": "old"}]},
		{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
		{"role": "tool", "tool_call_id": "1", "content": "long result"}]`
	list, err := completion.ParseMessages(json.RawMessage(given))
	require.NoError(t, err)
	c := Completion{messages: list}
	prompt := turn.Prompt{Messages: []turn.Message{{Message: chat.Message{Role: chat.System, Text: "made"}}}}
	for i := range list {
		prompt.Messages = append(prompt.Messages, turn.Message{Message: list[i].Chat(), Ref: i + 1})
	}
	prompt.Messages[2].Text = "new"
	out, err := c.write(t.Context(), prompt)
	require.NoError(t, err)
	require.JSONEq(t, `[{"role": "system", "content": "made"},`+strings.Replace(given[1:], `"text": "old"`, `"text": "new"`, 1), string(out))
	require.Contains(t, string(out), `{"role": "tool", "tool_call_id": "1", "content": "long result"}`)
}
