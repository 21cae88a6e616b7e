package openai_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/embed"
	"inlay/fault"
	"inlay/llm"
	"inlay/llm/ollama/ollamatest"
	"inlay/llm/openai"
)

// These tests need the real server: `make integration`. It is Ollama's own
// OpenAI-compatible API.

func TestRealServerAnswers(t *testing.T) {
	m := open(t, openai.Config{Model: ollamatest.Chat, BaseURL: ollamatest.Real(t) + "/v1"})
	a, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("Where does the answer stand?")})
	require.NoError(t, err)
	require.Equal(t, ollamatest.Answer, a.Text)
	require.Equal(t, "stop", a.Done)
	require.Positive(t, a.Usage.Prompt)
	kind, err := m.Kind(t.Context())
	require.NoError(t, err)
	require.Equal(t, openai.Ollama, kind)
	n, err := m.Length(t.Context()) // it is loaded now
	require.NoError(t, err)
	require.Equal(t, "Ollama, as loaded", n.By)
	require.Positive(t, n.N)
}

// TestRealServerAnswersResponses asks Ollama's own Responses API: for text, for a
// call and its result, for little, and for a model that is not there.
func TestRealServerAnswersResponses(t *testing.T) {
	base := ollamatest.Real(t) + "/v1"
	a, err := llm.Collect(t.Context(), openResponses(t, openai.Config{Model: ollamatest.Chat, BaseURL: base}), llm.Request{Messages: user("Where does the answer stand?")})
	require.NoError(t, err)
	require.Equal(t, ollamatest.Answer, a.Text)
	require.Equal(t, "stop", a.Done)
	require.Positive(t, a.Usage.Prompt)
	require.NotEmpty(t, a.ID)

	caller := openResponses(t, openai.Config{Model: ollamatest.Caller, BaseURL: base})
	tools := []llm.Tool{{Name: "read_file", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}
	asked := user("What do the notes say?")
	a, err = llm.Collect(t.Context(), caller, llm.Request{Messages: asked, Tools: tools})
	require.NoError(t, err)
	require.Equal(t, "tool_calls", a.Done)
	require.Len(t, a.ToolCalls, 1)
	require.Equal(t, "read_file", a.ToolCalls[0].Name)
	require.JSONEq(t, `{"path":"notes.md"}`, a.ToolCalls[0].Arguments)
	asked = append(asked, chat.Message{Role: chat.Assistant, ToolCalls: a.ToolCalls}, chat.Message{Role: chat.Tool, ToolCallID: a.ToolCalls[0].ID, Text: "Buy tea."})
	a, err = llm.Collect(t.Context(), caller, llm.Request{Messages: asked, Tools: tools})
	require.NoError(t, err)
	require.Equal(t, ollamatest.Answer, a.Text)

	a, err = llm.Collect(t.Context(), openResponses(t, openai.Config{Model: ollamatest.Endless, BaseURL: base}), llm.Request{Messages: user("go on"), MaxTokens: 3})
	require.NoError(t, err)
	require.Equal(t, "on and on", a.Text)
	require.Equal(t, "length", a.Done)

	_, err = llm.Collect(t.Context(), openResponses(t, openai.Config{Model: "no-such-model", BaseURL: base}), llm.Request{Messages: user("hello")})
	require.True(t, fault.Is(err, fault.ModelNotFound), "%v", err)
}

func TestRealServerStopsWhenLeft(t *testing.T) {
	endless := func(base string) *openai.Model {
		return open(t, openai.Config{Model: ollamatest.Endless, BaseURL: base + "/v1"})
	}
	ollamatest.FreeAfter(t, func(base string) {
		for d, err := range endless(base).Generate(t.Context(), llm.Request{Messages: user("go on")}) {
			require.NoError(t, err)
			if strings.Contains(d.Text, "and") {
				break
			}
		}
	}, func(ctx context.Context, base string) error {
		a, err := llm.Collect(ctx, endless(base), llm.Request{Messages: user("go on"), MaxTokens: 3})
		if err == nil {
			require.Equal(t, "on and on", a.Text)
			require.Equal(t, "length", a.Done)
		}
		return err
	})
}

func TestRealServerHasNoSuchModel(t *testing.T) {
	m := open(t, openai.Config{Model: "no-such-model", BaseURL: ollamatest.Real(t) + "/v1"})
	_, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("hello")})
	require.True(t, fault.Is(err, fault.ModelNotFound), "%v", err)
}

func TestRealServerEmbeds(t *testing.T) {
	e, err := openai.NewEmbedder(t.Context(), openai.Config{Model: ollamatest.Embedder, BaseURL: ollamatest.Real(t) + "/v1"})
	require.NoError(t, err)
	require.Equal(t, 128, e.Spec().Dimensions)
	v, err := e.Embed(t.Context(), embed.Document, []string{"white rabbit tea party", "invoice total", "the white rabbit"})
	require.NoError(t, err)
	dot := func(a, b embed.Vector) (s float64) {
		for i := range a {
			s += float64(a[i]) * float64(b[i])
		}
		return s
	}
	require.Greater(t, dot(v[0], v[2]), dot(v[1], v[2])+.3)
}
