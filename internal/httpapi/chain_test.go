package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/llm"
	"inlay/processor"
	"inlay/processor/builtin"
	"inlay/route"
)

// chained makes chains from a configuration.
func chained(tb testing.TB, config string) func(string, llm.Generator) (*processor.Chains, error) {
	tb.Helper()
	recall := &builtin.Recall{}
	open := func(string, llm.Generator) (*processor.Chains, error) {
		return processor.Load("test.yaml", []byte(config), builtin.Registry(builtin.Host{Recall: recall}))
	}
	_, err := open("", nil)
	require.NoError(tb, err)
	return open
}

const redacting = `
processors:
  drop_defaults: true
  message_modifiers: [ArgumentProcessorModifier, RedactionMessageModifier]
  response_modifiers: [RedactionModifier, { name: SafetyCheckModifier, options: { deny: ["(?i)forbidden"] } }]
`

// answered is what is looked at of a completion.
type answered struct {
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      said
		Delta        said
	}
	Inlay struct {
		Processors []struct{ Name, Verdict string }
		Route      *struct {
			Routed   bool
			Saved    int
			Summary  string
			Retried  bool
			Warnings []string
			Stages   []route.Stage
		}
	}
}

type said struct {
	Content   string
	Thinking  string `json:"reasoning"`
	ToolCalls []struct {
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// TestChain: what goes to the model and what comes back walk the server's
// processors; what they did not change is the client's to the byte.
func TestChain(t *testing.T) {
	up := newUpstream(t, says("Write to ann@example.org."))
	s := start(t, setup{upstreams: up.list(), chains: chained(t, redacting)})
	body := map[string]any{"model": "m", "inlay": map[string]any{"context_length": 4000}, "messages": []any{
		map[string]any{"role": "system", "content": "Be brief.", "name": "kept"},
		map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "text", "text": "I am bob@example.org. Who is {who}?"}, map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,AA=="}},
		}},
	}}
	got := s.do("POST", "/v1/chat/completions", "", body)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	var a answered
	got.into(t, &a)
	require.NotContains(t, a.Choices[0].Message.Content, "ann@example.org")
	require.Len(t, a.Inlay.Processors, 4)
	sent := up.last()["messages"].([]any)
	require.Equal(t, body["messages"].([]any)[0], sent[0], "untouched, with fields that nobody knows")
	parts := sent[1].(map[string]any)["content"].([]any)
	require.NotContains(t, parts[0].(map[string]any)["text"], "bob@example.org")
	require.Equal(t, "image_url", parts[1].(map[string]any)["type"], "images stay")

	up.answer = streams(`{"id": "x", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "ann@exam", "reasoning": "secret"}}]}`,
		`{"choices": [{"index": 0, "delta": {"content": "ple.org"}, "finish_reason": "stop"}]}`, `{"choices": [], "usage": {"prompt_tokens": 5}}`)
	body["stream"] = true
	got = s.do("POST", "/v1/chat/completions", "", body)
	require.NotContains(t, string(got.body), "ann@exam", "nothing leaves before it was looked at")
	require.NotContains(t, string(got.body), "secret")
	require.Regexp(t, `"prompt_tokens": ?5`, string(got.body))
	require.True(t, strings.HasSuffix(strings.TrimSpace(string(got.body)), "[DONE]"))

	up.answer = streams(`{"choices": [{"index": 0, "delta": {"content": "this is forbid"}}]}`, `{"choices": [{"index": 0, "delta": {"content": "den"}, "finish_reason": "stop"}]}`)
	got = s.do("POST", "/v1/chat/completions", "", body)
	require.Equal(t, http.StatusBadRequest, got.status, string(got.body))
	require.Contains(t, string(got.body), "processor.halted")
	require.Contains(t, string(got.body), "ask otherwise", "what to do")
	require.NotContains(t, string(got.body), "forbid")
}

// TestChainAndWindow: clients know a question that has no room by its code,
// whoever finds it out.
func TestChainAndWindow(t *testing.T) {
	up := newUpstream(t, says("Four weeks."))
	for _, chain := range []string{shortened, `processors: { drop_defaults: true, message_modifiers: [ConversationCompactorModifier] }`} {
		s := start(t, setup{upstreams: up.list(), chains: chained(t, chain)})
		got := s.do("POST", "/v1/chat/completions", "", ask([]any{map[string]any{"role": "user", "content": strings.Repeat("how long is the notice period? ", 400)}}))
		require.Equal(t, http.StatusBadRequest, got.status, string(got.body))
		require.Contains(t, string(got.body), `"code":"context_length_exceeded"`)
		require.Contains(t, string(got.body), "the window has room for")
		require.Contains(t, string(got.body), "larger window", "what to do")
	}
	require.Empty(t, up.bodies)
}

// tools is a client's catalogue.
func tools(names ...string) (list []any) {
	for _, n := range names {
		schema := json.RawMessage(`{"type": "object"}`)
		for _, t := range route.Tools() {
			if t.Name == n {
				schema = t.Schema
			}
		}
		list = append(list, map[string]any{"type": "function", "function": map[string]any{"name": n, "description": strings.Repeat("what it does ", 50), "parameters": schema}})
	}
	return list
}

// TestRoute: a step that the ask tells is proposed without asking the model,
// anything else goes to it with the condensed prompt; a request without a tool
// that the router knows stays as it is.
func TestRoute(t *testing.T) {
	up := newUpstream(t, says("It is an idea."))
	mode, _ := route.FindMode("code")
	settings := route.Defaults()
	settings.EnablePromptPreprocessor, settings.RetryFullPrompt = true, true
	s := start(t, setup{upstreams: up.list(), router: &route.Router{Settings: settings}, mode: mode})
	ask := func(text string, stream bool, names ...string) (a answered) {
		body := map[string]any{"model": "m", "stream": stream, "inlay": map[string]any{"context_length": 8000}, "messages": []any{
			map[string]any{"role": "system", "content": "The whole prompt of the host."}, map[string]any{"role": "user", "content": text},
		}}
		if names != nil {
			body["tools"] = tools(names...)
		}
		got := s.do("POST", "/v1/chat/completions", "", body)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		data := got.body
		if stream {
			first, _, _ := strings.Cut(string(data), "\n\n")
			data = []byte(strings.TrimPrefix(first, "data: "))
		}
		require.NoError(t, json.Unmarshal(data, &a), string(data))
		return a
	}
	all := []string{"read_file", "search_files", "attempt_completion", "weather"}
	for _, stream := range []bool{false, true} {
		a := ask("Read src/tide.go", stream, all...)
		call := slices.Concat(a.Choices[0].Message.ToolCalls, a.Choices[0].Delta.ToolCalls)[0].Function
		require.Equal(t, "read_file", call.Name)
		require.JSONEq(t, `{"path": "src/tide.go"}`, call.Arguments)
		require.Equal(t, "tool_calls", a.Choices[0].FinishReason)
		require.Positive(t, a.Inlay.Route.Saved)
		require.Empty(t, up.bodies, "the model was not asked")
		require.Empty(t, a.Inlay.Processors)
	}

	a := ask("What is a monad, in principle?", false, all...)
	require.Equal(t, "attempt_completion", a.Choices[0].Message.ToolCalls[0].Function.Name, "wrapped once")
	require.Contains(t, a.Choices[0].Message.ToolCalls[0].Function.Arguments, "It is an idea.")
	require.Contains(t, a.Inlay.Route.Summary, "Saved ")
	require.Len(t, up.last()["tools"], 1, "the router's catalogue is left out")
	require.Contains(t, fmt.Sprint(up.last()["tools"]), "weather", "what it does not know stays")
	require.Contains(t, up.last()["messages"].([]any)[0].(map[string]any)["content"], "The whole prompt", "who the client said the model is")

	// A client that ran what was proposed and asks again comes to the model, which sees the result.
	read := map[string]any{
		"role": "assistant", "content": nil,
		"tool_calls": []any{map[string]any{"id": "1", "type": "function", "function": map[string]any{
			"name":      "read_file",
			"arguments": `{"path": "src/tide.go"}`,
		}}},
	}
	got := s.do("POST", "/v1/chat/completions", "", map[string]any{"model": "m", "inlay": map[string]any{"context_length": 8000}, "tools": tools(all...), "messages": []any{
		map[string]any{"role": "user", "content": "I sail. What are tides?"},
		map[string]any{"role": "assistant", "content": "Waves of the moon."},
		map[string]any{"role": "user", "content": "Read src/tide.go and explain it"},
		read,
		map[string]any{"role": "tool", "tool_call_id": "1", "content": "package tide // from the file"},
	}})
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	a = answered{}
	require.NoError(t, json.Unmarshal(got.body, &a))
	require.Equal(t, "attempt_completion", a.Choices[0].Message.ToolCalls[0].Function.Name)
	require.Equal(t, "preprocessor, big", a.Inlay.Route.Stages[0].Name+", "+a.Inlay.Route.Stages[1].Name, "each stage has its tokens and its time")
	require.Positive(t, a.Inlay.Route.Stages[1].Latency)
	system := up.last()["messages"].([]any)[0].(map[string]any)["content"]
	require.Contains(t, system, "package tide // from the file")
	require.Contains(t, system, "user: I sail.")
	require.Len(t, up.last()["messages"], 2)

	calls := 0
	up.answer = func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 1 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		says("It is an idea.")(w, r)
	}
	require.True(t, ask("What is a monad, in principle?", false, all...).Inlay.Route.Retried)
	require.Contains(t, up.last(), "tools", "the second call is the client's own")
	require.Contains(t, up.last()["messages"].([]any)[0].(map[string]any)["content"], "The whole prompt")

	up.answer = says("It is an idea.")
	for _, names := range [][]string{nil, {"weather"}} {
		a = ask("Read src/tide.go", false, names...)
		require.Nil(t, a.Inlay.Route)
		require.Equal(t, "It is an idea.", a.Choices[0].Message.Content)
	}
	figures := string(s.do("GET", "/metrics", "", nil).body)
	require.Contains(t, figures, `inlay_route_decisions_total{decision="tool"} 2`)
	require.Contains(t, figures, `inlay_route_decisions_total{decision="big"} 3`)
	require.Contains(t, figures, `inlay_route_reasons_total{code="tool"} 2`)
	require.Contains(t, figures, `inlay_route_reasons_total{code="conceptual"}`)
	require.Contains(t, figures, `inlay_route_tokens_total{direction="in",stage="preprocessor"} 0`)
	require.Regexp(t, `inlay_route_tokens_total\{direction="in",stage="big"\} [1-9]`, figures)
	require.Regexp(t, `inlay_route_tokens_total\{direction="in",stage="big-retry"\} [1-9]`, figures)
	require.Regexp(t, `inlay_route_saved_tokens_total [1-9]`, figures)
}
