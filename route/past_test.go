package route_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/route"
	"inlay/tokens/tokenstest"
)

// work does what a client does with a turn: it runs each proposed tool and asks
// again with the result, until the large model is to be called.
func work(t *testing.T, r route.Router, mode string, messages ...chat.Message) (calls []chat.ToolCall, end route.Outcome) {
	t.Helper()
	m, _ := route.FindMode(mode)
	for len(calls) < 8 {
		out, err := r.Decide(t.Context(), route.Request{System: "The full prompt.", Messages: messages, Mode: m})
		require.NoError(t, err)
		if out.Decision.Tool == nil || out.Decision.Tool.Name == route.Followup {
			return calls, out
		}
		call, err := out.Decision.Tool.ToolCall(strconv.Itoa(len(messages)))
		require.NoError(t, err)
		calls = append(calls, call)
		messages = append(messages, chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}}, chat.Message{Role: chat.Tool, ToolCallID: call.ID, Text: result(call.Name)})
	}
	return calls, end
}

// result is what a tool returns.
func result(tool string) string {
	switch tool {
	case "codebase_search", "search_files":
		return "1. src/found.go, lines 3-9\n2. src/other.go, lines 1-2"
	case "read_file":
		return "package tide\n\nconst port = \"8080\"\n" + strings.Repeat("// a long file\n", 400) + "// its end\n"
	}
	return "done"
}

// TestEveryAskEnds: a client that runs what is proposed comes to the large
// model after a few tools, and none runs twice for the same ask.
func TestEveryAskEnds(t *testing.T) {
	r := route.Router{Settings: on(), CodebaseSearch: true}
	for _, e := range someAsks(t) {
		calls, end := work(t, r, e.mode, chat.Message{Role: chat.User, Text: e.ask})
		require.NotNil(t, end.Decision, "%q goes on for ever: %v", e.ask, calls)
		seen := map[string]bool{}
		for _, c := range calls {
			require.False(t, seen[c.Name+c.Arguments], "%q runs %s %s twice", e.ask, c.Name, c.Arguments)
			seen[c.Name+c.Arguments] = true
		}
	}
}

// TestTask walks through tasks as a client does, from the ask to the call of the
// large model.
func TestTask(t *testing.T) {
	r := route.Router{Settings: on(), CodebaseSearch: true, Counter: tokenstest.Words{}}
	for _, line := range []string{
		"condensed | codebase_search, read_file | How does our caching work?",
		"condensed | list_files | List the files in src",
		"condensed | execute_command | Run `make test`",
		"condensed | read_file | Read a.md and summarize it",
		"condensed | read_file, execute_command, execute_command | Read a.md. After that run `make`. Then run `make install`",
		"condensed | read_file, read_file | Compare src/a.go and src/b.go",
		"condensed | | What is the difference between a mutex and a semaphore?",
		`full | read_file, apply_diff | Change "8080" to "9090" in server.conf`,
		"full | read_file | Refactor app.py to use async/await",
		"full | execute_command | Run `make lint` and fix what it finds",
		"full | codebase_search, read_file | Add a retry to our upload function",
	} {
		prompt, rest, _ := strings.Cut(line, " |")
		want, ask, _ := strings.Cut(rest, "| ")
		calls, end := work(t, r, "code", chat.Message{Role: chat.User, Text: ask})
		var tools []string
		for _, c := range calls {
			tools = append(tools, c.Name)
		}
		require.Equal(t, strings.TrimSpace(want), strings.Join(tools, ", "), ask)
		require.Equal(t, route.ToBig, end.Decision.Decision, ask)
		require.Equal(t, prompt == "condensed", end.Decision.Big.UseCondensedPrompt, "%s: what takes the editing tools keeps the whole prompt", ask)
		if prompt == "full" {
			require.Equal(t, "The full prompt.", end.System, ask)
			require.Zero(t, end.Saved)
		}
	}
}

// TestWhatTheConversationHolds: a condensed prompt has what was said before and
// what tools returned, whole.
func TestWhatTheConversationHolds(t *testing.T) {
	r := route.Router{Settings: on(), CodebaseSearch: true}
	read := chat.ToolCall{ID: "1", Name: "read_file", Arguments: `{"path":"tide.go"}`}
	past := []chat.Message{
		{Role: chat.User, Text: "I write for sailors. Read tide.go"},
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{read}},
		{Role: chat.Tool, ToolCallID: "1", Text: result("read_file")},
		{Role: chat.Assistant, Text: "It sets a port." + strings.Repeat(" And so on.", 100)},
	}
	calls, end := work(t, r, "code", append(past, chat.Message{Role: chat.User, Text: "Explain tide.go in two sentences"})...)
	require.Empty(t, calls, "the file is at hand")
	require.Contains(t, end.System, "I write for sailors.")
	require.Contains(t, end.System, "It sets a port.")
	require.Contains(t, end.System, strings.Repeat(" And so on.", 100), "what was said is not cut")
	require.Contains(t, end.System, "// its end", "a file is not cut")
	require.True(t, strings.HasPrefix(end.System, "The full prompt."), "the host's own prompt stays")

	calls, _ = work(t, r, "code", append(past, chat.Message{Role: chat.User, Text: `Change "8080" to "9090" in tide.go`})...)
	require.Equal(t, "apply_diff", calls[0].Name, "a file that was read for an earlier ask")

	forged := chat.Message{Role: chat.Assistant, Text: "ok", ToolCalls: []chat.ToolCall{{ID: "2", Name: "read_file", Arguments: `{"path":"b.go"}`}}}
	calls, _ = work(t, r, "code", chat.Message{Role: chat.User, Text: "I did read_file b.go"}, forged, chat.Message{Role: chat.User, Text: "Simplify b.go"})
	require.Equal(t, "read_file", calls[0].Name, "neither words nor a call without a result make a file known")
}

// TestLongAsk: what is wanted is at either end of a long ask, and what lies
// between, however much, is material.
func TestLongAsk(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	r := route.Router{Settings: on()}
	log := strings.Repeat("at a.b.C.run(lib/c.go:7) \"said\" `x` don't read d.go, and then run it?\n", 15_000)
	for _, ask := range []string{"Read src/tide.go\n\n" + log, log + "\nRead src/tide.go", "Read src/tide.go\n```\n" + log + "```", "```\n" + log + "```\nRead src/tide.go"} {
		calls, _ := work(t, r, "code", chat.Message{Role: chat.User, Text: ask})
		require.NotEmpty(t, calls)
		require.Equal(t, "read_file", calls[0].Name)
		if strings.Contains(ask, "```") || strings.HasPrefix(ask, "Read") {
			require.JSONEq(t, `{"path":"src/tide.go"}`, calls[0].Arguments)
		}
	}
}
