package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// strictServer speaks the chat API as servers do, calls tools where the test
// asks it to, and refuses what a server would refuse: results without a call,
// calls without a result, tools without a schema, prompts over the window.
type strictServer struct{ t *testing.T }

type strictMessage struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID string `json:"id"`
	} `json:"tool_calls"`
}

func (s strictServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/chat/completions" {
		http.NotFound(w, r)
		return
	}
	var body struct {
		Model    string          `json:"model"`
		Messages []strictMessage `json:"messages"`
		Tools    []struct {
			Function struct {
				Name       string         `json:"name"`
				Parameters map[string]any `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		s.t.Errorf("the request is not valid JSON: %v", err)
	}
	if body.Model == "broken" {
		http.Error(w, `{"error":{"message":"overloaded"}}`, http.StatusServiceUnavailable)
		return
	}
	if body.Model == "refusing" {
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusBadRequest)
		return
	}
	open := map[string]bool{}
	for i, m := range body.Messages {
		if m.Role == "tool" && !open[m.ToolCallID] || m.Role != "tool" && len(open) > 0 {
			s.t.Errorf("message %d: calls and results are not paired", i)
		}
		delete(open, m.ToolCallID)
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
	}
	for _, tool := range body.Tools {
		if tool.Function.Parameters["type"] != "object" {
			s.t.Errorf("tool %s has no schema", tool.Function.Name)
		}
	}
	s.answer(w, body.Messages)
}

// answer calls a tool as the question says ("CALL name {arguments}"), and
// repeats the result when it has one.
func (s strictServer) answer(w http.ResponseWriter, messages []strictMessage) {
	last := messages[len(messages)-1]
	delta := map[string]any{"content": "You said: " + last.Content}
	if last.Role == "tool" {
		delta = map[string]any{"content": "I got: " + last.Content + " Ask ada@example.org [9]."}
	} else if _, rest, ok := strings.Cut(last.Content, "CALL "); ok {
		name, arguments, _ := strings.Cut(rest, " ")
		delta = map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": "c1", "function": map[string]any{"name": name, "arguments": arguments}}}}
	}
	event, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": delta, "finish_reason": "stop"}}})
	if err != nil {
		s.t.Error(err)
	}
	_, _ = io.WriteString(w, fmt.Sprintf("data: %s\n\ndata: [DONE]\n\n", event))
}

// TestAgentScript runs testdata/agent against a strict server.
func TestAgentScript(t *testing.T) {
	server := httptest.NewServer(strictServer{t})
	t.Cleanup(server.Close)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/agent", UpdateScripts: *update, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SERVER", server.URL+"/v1")
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CACHE_HOME", os.DevNull) // no folder: nothing is compiled ahead
			return nil
		},
	})
}

// TestAgentOnRealOllama walks all families with a model that is really asked.
func TestAgentOnRealOllama(t *testing.T) {
	url := ollamatest.Real(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/notes.md", []byte("Employees get 25 days of leave.\n"), 0o600))
	var out, errs strings.Builder
	args := []string{"agent", "--workspace", dir, "--model", "ollama:" + ollamatest.Chat, "--base-url", url, "--context-length", "2048", "--no-tools", "--trace", "How many days? See @notes.md"}
	none := func(string) string { return "" }
	require.NoError(t, run(t.Context(), args, none, strings.NewReader(""), &out, &errs), errs.String())
	require.Equal(t, ollamatest.Answer+"\n", out.String())
	for _, name := range []string{"message_modifiers ", "tool_modifiers/injection", "llm_steps/before", "llm_steps/after", "response_modifiers ", "AtFileProcessorModifier", "fits: "} {
		require.Contains(t, errs.String(), name)
	}
}

// TestToolCallOnRealOllama: a model that is really asked calls a tool, the
// server finds the call in its answer, the tool runs, and the model answers.
func TestToolCallOnRealOllama(t *testing.T) {
	url := ollamatest.Real(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/notes.md", []byte("Employees get 25 days of leave.\n"), 0o600))
	var out, errs strings.Builder
	none := func(string) string { return "" }
	args := []string{"agent", "--workspace", dir, "--model", "ollama:" + ollamatest.Caller, "--base-url", url, "--context-length", "4096", "--record", dir + "/tape.jsonl", "--trace", "How many days?"}
	require.NoError(t, run(t.Context(), args, none, strings.NewReader(""), &out, &errs), errs.String())
	require.Equal(t, ollamatest.Answer+"\n", out.String())
	tape, err := os.ReadFile(dir + "/tape.jsonl")
	require.NoError(t, err)
	require.Contains(t, string(tape), `"name":"read_file"`)
	require.Contains(t, string(tape), "25 days of leave", "the result went back to the model")
	require.Contains(t, errs.String(), "tool_modifiers/validation")
}
