package main

import (
	"context"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/intent"
	"inlay/internal/wire"
	"inlay/llm"
	"inlay/llm/ollama"
	"inlay/llm/ollama/ollamatest"
	"inlay/route"
)

// bounded holds every request to a bound, here a low one, and every answer to its request's.
type bounded struct {
	*ollama.Model
	t *testing.T
}

func (b bounded) Generate(ctx context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	require.Positive(b.t, r.MaxTokens)
	r.MaxTokens = min(r.MaxTokens, 64) // a grammar makes tokens slow
	return func(yield func(llm.Delta, error) bool) {
		for d, err := range b.Model.Generate(ctx, r) {
			require.LessOrEqual(b.t, d.Usage.Completion, r.MaxTokens)
			if !yield(d, err) {
				return
			}
		}
	}
}

func constrained(t *testing.T) bounded {
	t.Helper()
	m, err := ollama.New(ollama.Config{Model: ollamatest.Chat, URL: ollamatest.Real(t), Length: 4096})
	require.NoError(t, err)
	return bounded{m, t}
}

// TestConstrainedDecisions holds whatever the weights: a decision that follows
// the rules, or the host's prompt byte for byte with a warning that says why.
func TestConstrainedDecisions(t *testing.T) {
	g := constrained(t)
	asks := []string{"Read src/tide.go"}
	valid := 0
	for _, ask := range asks {
		req := route.Request{System: "You are the host.\r\n\x00 {keep} \u00a0", Messages: []chat.Message{{Role: chat.User, Text: ask}}, Mode: routeMode(t)}
		s := route.Settings{
			EnablePromptPreprocessor: true, PreprocessorProvider: "ollama", PreprocessorModelID: ollamatest.Chat,
			CondensedPromptEnabled: true, PreprocessorMaxContextChars: 2000,
		}
		out, err := route.Router{Settings: s, Decider: route.Model{Generator: g}}.Decide(t.Context(), req)
		require.NoError(t, err)
		if out.Routed {
			valid++
			require.Equal(t, out.Decision.Decision == route.ToTool, out.Decision.Tool != nil)
			continue
		}
		require.Equal(t, req.System, out.System)
		require.Equal(t, req.Messages, out.Messages)
		named(t, strings.Join(out.Warnings, "\n"))
	}
	t.Logf("%d of %d decisions were valid", valid, len(asks))
}

// TestResponsesPath is the seed's way of a turn whose large model is asked through
// the Responses API: condensed, answered by a real server, wrapped once.
func TestResponsesPath(t *testing.T) {
	big, err := wire.OpenAnswerer(wire.ModelSettings{Model: "openai-responses:" + ollamatest.Chat, BaseURL: ollamatest.Real(t) + "/v1"}, os.Getenv)
	require.NoError(t, err)
	s := route.Defaults()
	s.EnablePromptPreprocessor = true
	req := route.Request{System: "You are the host.", Messages: []chat.Message{{Role: chat.User, Text: "What is a goroutine?"}}, Mode: routeMode(t), Thread: &llm.Thread{}}
	turn, err := route.Router{Settings: s}.Run(t.Context(), req, big)
	require.NoError(t, err)
	require.Equal(t, route.ToBig, turn.Decision.Decision)
	require.Equal(t, route.Completion, turn.Answer.ToolCalls[0].Name)
	require.Contains(t, turn.Answer.ToolCalls[0].Arguments, ollamatest.Answer)
	require.NotEmpty(t, turn.AnswerID)
	require.Positive(t, turn.Stages[1].In)
}

func routeMode(t *testing.T) route.Mode {
	t.Helper()
	m, ok := route.FindMode("code")
	require.True(t, ok)
	return m
}

// TestConstrainedAnalyses is the same for messages: split without loss, or whole.
func TestConstrainedAnalyses(t *testing.T) {
	g := constrained(t)
	texts := []string{"Why did it stop?\r\n\n" + strings.Repeat("08:00:01 INFO row 7 of 9 written\n", 8)}
	valid := 0
	for _, text := range texts {
		res, err := intent.Extractor{Analyzer: intent.Model{Generator: g}}.Extract(t.Context(), intent.Request{MessageID: "m", Text: text, Model: g})
		require.NoError(t, err)
		require.Equal(t, text, res.Raw)
		if res.Valid {
			valid++
			for _, d := range res.Documents {
				require.Equal(t, text[d.Start:d.End], d.Content)
			}
			continue
		}
		require.Equal(t, text, res.Text)
		require.Empty(t, res.Documents)
		named(t, res.Reason)
	}
	t.Logf("%d of %d analyses were valid", valid, len(texts))
}

// named: a server that answers is never called unreachable, and the reason is told.
func named(t *testing.T, reason string) {
	t.Helper()
	t.Log(reason)
	require.NotContains(t, reason, "backend_unreachable")
	require.NotContains(t, reason, "it failed")
	require.Contains(t, reason, "the ")
}
