package llm_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/tokens"
)

func ExampleStatic() {
	m, _ := llm.NewStatic(llm.StaticOptions{Model: "openai:gpt-4o"})
	length, _ := m.Length(context.Background())
	count, _ := m.CountMessages(context.Background(), []chat.Message{{Role: chat.User, Text: "How many days of leave?"}})
	fmt.Println(length.N, count.N, count.Method, count.By)
	// Output: 128000 13 estimated o200k_base
}

func TestStaticLength(t *testing.T) {
	l := &tokens.Library{}
	for _, c := range []struct {
		options llm.StaticOptions
		want    int
	}{
		{llm.StaticOptions{Model: "gpt-4"}, 8_192},
		{llm.StaticOptions{Model: "gpt-4", Length: 1000}, 1000},
		{llm.StaticOptions{Model: "ollama:llama3.1", Length: 4096}, 4096},
		{llm.StaticOptions{Model: "vendor:something-new", Length: 50_000}, 50_000},
		{llm.StaticOptions{Length: 700}, 700},
	} {
		c.options.Library = l
		m, err := llm.NewStatic(c.options)
		require.NoError(t, err)
		n, err := m.Length(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.want, n.N)
		require.Equal(t, tokens.Exact, n.Method)
	}
}

func TestStaticUnknownWindow(t *testing.T) {
	for _, name := range []string{"", "something-new", "ollama:llama3.1", "lmstudio:qwen2.5-7b", "ollama:something-new"} {
		_, err := llm.NewStatic(llm.StaticOptions{Model: name})
		require.True(t, fault.Is(err, fault.WindowUnknown), "%s: %v", name, err)
		require.ErrorContains(t, err, "set the context length")
	}
	_, err := llm.NewStatic(llm.StaticOptions{Model: "gpt-4", Length: -1})
	require.True(t, fault.Is(err, fault.Usage))
}

// OpenAI's own recipe: three tokens for each message, its role and text, three
// for the answer's opening.
func TestStaticCountsAsOpenAISays(t *testing.T) {
	m, err := llm.NewStatic(llm.StaticOptions{Model: "gpt-4"})
	require.NoError(t, err)
	messages := []chat.Message{
		{Role: chat.System, Text: "You are a helpful, pattern-following assistant that translates corporate jargon into plain English."},
		{Role: chat.User, Text: "This late pivot means we don't have time to boil the ocean for the client deliverable."},
	}
	n, err := m.CountMessages(t.Context(), messages)
	require.NoError(t, err)
	c, err := m.Counter(t.Context())
	require.NoError(t, err)
	text := c.Count(messages[0].Text).N + c.Count(messages[1].Text).N
	require.Equal(t, tokens.Count{N: text + 2*(3+1) + 3, Method: tokens.Estimated, By: "cl100k_base"}, n)

	none, err := m.CountMessages(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, none.N)

	messages[1].ToolCalls = []chat.ToolCall{{ID: "call_1", Name: "lookup", Arguments: `{"term":"boil the ocean"}`}}
	more, err := m.CountMessages(t.Context(), messages)
	require.NoError(t, err)
	require.Greater(t, more.N, n.N+8)

	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = m.CountMessages(canceled, messages)
	require.True(t, fault.Is(err, fault.Canceled))
}

func TestStaticCounters(t *testing.T) {
	l := &tokens.Library{}
	for name, want := range map[string]string{
		"gpt-4o": "o200k_base", "gpt-3.5-turbo": "cl100k_base", "llama3.1": "llama3, estimated by cl100k_base",
		"new": "unknown vocabulary, estimated by cl100k_base", "gemini-2.0-flash": "gemma, estimated by cl100k_base",
	} {
		m, err := llm.NewStatic(llm.StaticOptions{Model: name, Length: 1000, Library: l})
		require.NoError(t, err)
		c, err := m.Counter(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, c.Count("text").By)
	}
	own, err := l.Encoding("r50k_base")
	require.NoError(t, err)
	m, err := llm.NewStatic(llm.StaticOptions{Model: "gpt-4", Counter: own, Overhead: &llm.MessageOverhead{}})
	require.NoError(t, err)
	n, err := m.CountMessages(t.Context(), []chat.Message{{Role: chat.User, Text: "text"}})
	require.NoError(t, err)
	require.Equal(t, 2, n.N)
}
