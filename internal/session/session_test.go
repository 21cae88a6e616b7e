package session

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"inlay/cache"
	"inlay/chat"
	"inlay/eval"
	"inlay/fault"
	"inlay/internal/state"
	"inlay/internal/state/sqlite"
	"inlay/llm/completion"
	"inlay/turn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestQueue: work is done in the order it came unless pick says otherwise;
// stopping ends what is under way and leaves what waits.
func TestQueue(t *testing.T) {
	done := make(chan int, 10)
	gate := make(chan struct{})
	q := startQueue(1, func(waiting []int) int { return len(waiting) - 1 }, func(_ context.Context, n int) {
		<-gate
		done <- n
	})
	q.add(1)
	require.Eventually(t, func() bool { q.mu.Lock(); defer q.mu.Unlock(); return len(q.items) == 0 }, 10*time.Second, time.Millisecond)
	for n := range 3 {
		q.add(n + 2)
	}
	close(gate)
	require.Equal(t, []int{1, 4, 3, 2}, []int{<-done, <-done, <-done, <-done})
	q.stop()

	var ended atomic.Bool
	began := make(chan struct{})
	q = startQueue(1, nil, func(ctx context.Context, _ int) {
		close(began)
		<-ctx.Done()
		ended.Store(true)
	})
	q.add(1)
	q.add(2)
	<-began
	q.stop()
	require.True(t, ended.Load())
	require.Len(t, q.items, 1)
}

// TestEvaluationsTakeTurns: a key that queues many does not hold up another.
func TestEvaluationsTakeTurns(t *testing.T) {
	var s evaluations
	waiting := []state.Evaluation{{ID: "1", Owner: "ann"}, {ID: "2", Owner: "ann"}, {ID: "3", Owner: "bob"}, {ID: "4", Owner: "ann"}}
	var order strings.Builder
	for len(waiting) > 0 {
		i := s.turn(waiting)
		order.WriteString(waiting[i].ID)
		waiting = append(waiting[:i:i], waiting[i+1:]...)
	}
	require.Equal(t, "1324", order.String())
}

// TestEvaluationThatEndsTheServer is given up after a few servers.
func TestEvaluationThatEndsTheServer(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "state.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	e := state.Evaluation{
		ID: "eval_1", Owner: "ann", Created: time.Now(), State: state.Running, Request: json.RawMessage(`{"files": [{"id": "x"}], "questions": [{"question": "q"}]}`),
		Progress: json.RawMessage(`{"begun": 3}`),
	}
	require.NoError(t, store.AddEvaluation(t.Context(), e))
	s, err := Open(t.Context(), Config{
		Data: dir, State: store, Cache: &cache.Memory{}, Evaluator: func(string) eval.Options { t.Error("it was begun again"); return eval.Options{} },
	})
	require.NoError(t, err)
	over, err := s.WatchEvaluation(t.Context(), "ann", "eval_1", func(Evaluation) {})
	require.NoError(t, err)
	require.Equal(t, state.Broken, over.State)
	require.Contains(t, over.Why.Reason, "each time the server was ended")
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

// TestRouter: a name goes to the first upstream that lists it, one upstream that
// is down hides none of the others, and names of upstreams tell twins apart.
func TestRouter(t *testing.T) {
	down := false
	up := func(name string, models ...string) Upstream {
		return Upstream{Name: name, Models: func(context.Context) ([]string, error) {
			if down && name == "a" {
				return nil, errors.New("down")
			}
			return models, nil
		}}
	}
	r := router{upstreams: Upstreams{up("a", "m", "only-a"), up("b", "m", "tag:latest")}, observe: nobody{}}
	at := func(name string) string {
		u, model, err := r.route(t.Context(), name)
		if err != nil {
			return string(fault.CodeOf(err))
		}
		return u.Name + "/" + model
	}
	for name, want := range map[string]string{"m": "a/m", "b/m": "b/m", "tag": "b/tag:latest", "none": "model_not_found", "": "usage", "c/m": "model_not_found"} {
		require.Equal(t, want, at(name), name)
	}
	down, r.lists = true, nil
	require.Equal(t, "b/m", at("m"))
	_, _, err := r.route(t.Context(), "only-a")
	var u *UpstreamError
	require.ErrorAs(t, err, &u, "it may well be served there: not the same as not found")
	require.Equal(t, "a", u.Upstream)
}

// TestNamesOfFiles never lead anywhere.
func TestNamesOfFiles(t *testing.T) {
	for name, want := range map[string]string{"a.txt": "a.txt", "../../etc/passwd": "passwd", `C:\x\b.pdf`: "b.pdf", "": "", "..": "", "a\x00b": "", "\xff": "", strings.Repeat("x", 300): ""} {
		got, err := cleanName(name)
		require.Equal(t, want, got)
		require.Equal(t, want == "", err != nil, name)
	}
}
