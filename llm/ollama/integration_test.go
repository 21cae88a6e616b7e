package ollama_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/llm/ollama"
	"inlay/llm/ollama/ollamatest"
)

// These tests need the real server: `make integration`.

// awkward are texts that tokenizers differ on.
func awkward() []string {
	return []string{
		"hello", "", " ", "five     spaces     \r\nseven =======", "\n", "the and the in", "naïve café 東京 🙂", "👩‍👩‍👧‍👦🏳️‍🌈 é́", "  leading   spaces\t\ttabs\r\n\r\n",
		"<|im_end|> literal special <|im_start|>user", "<|eot_id|><|start_header_id|>", "<|endoftext|", "don't DON'T we'll I'VE x'y",
		"1234567 3.14 1,000,000 2024-11-21", "for (i := 0; i < 10; i++) { fmt.Println(i) } // done", "a_b-c.d/e\\f", "привет мир", "مرحبا بالعالم",
		"हिन्दी भाषा", "한국어 문장", "ไทย", "\u00a0\u2003\u3000wide spaces", "zero\u200bwidth\ufeffmarks", "ﬁ ligature Å \u212b", "🇩🇪🇫🇷", "…—–‘’“”",
		"=====\n-----\n| a | b |\n|---|---|", "{\"key\": [1, 2, null]}", "x\x00y", strings.Repeat("a", 500), strings.Repeat(" ", 300), strings.Repeat("=", 300),
		strings.Repeat("东", 200), strings.Repeat("🙂", 60), strings.Repeat("And then the cat, in 2024, said: don't!\n\n", 60),
		strings.Repeat("\n", 50), "tab\tseparated\tvalues\n1\t2\t3", "ALL CAPITAL LETTERS HERE", "MixedCaseIdentifierNames", "https://example.org/a?b=c&d=%20#e",
	}
}

func conversations() map[string][]chat.Message {
	out := map[string][]chat.Message{
		"system": {{Role: chat.System, Text: "Be brief.\n"}, {Role: chat.User, Text: "Hi"}},
		"twice the same role": {
			{Role: chat.User, Text: "One"}, {Role: chat.User, Text: "Two"}, {Role: chat.Assistant, Text: "A"}, {Role: chat.Assistant, Text: "B"},
		},
		"tools": {
			{Role: chat.User, Text: "Weather?"},
			{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "1", Name: "weather", Arguments: `{"city":"Paris"}`}}},
			{Role: chat.Tool, Text: "rain", ToolCallID: "1"},
			{Role: chat.User, Text: "So?"},
		},
		"ends with the assistant": {{Role: chat.User, Text: "Hi"}, {Role: chat.Assistant, Text: "The answer"}},
	}
	var long []chat.Message
	for i := range 60 {
		long = append(long, chat.Message{Role: chat.User, Text: fmt.Sprintf("Question %d about the contract?", i)}, chat.Message{Role: chat.Assistant, Text: "Yes.\n"})
	}
	out["long"] = append(long, chat.Message{Role: chat.User, Text: "And now?"})
	for i, text := range awkward() {
		out[fmt.Sprintf("awkward %d", i)] = user(text)
	}
	return out
}

func TestCountsEqualTheServers(t *testing.T) {
	base := ollamatest.Real(t)
	for _, model := range []string{ollamatest.Chat, ollamatest.Llama3} {
		t.Run(model, func(t *testing.T) {
			m := open(t, ollama.Config{Model: model, URL: base, Length: 8192})
			compared := 0
			for name, messages := range conversations() {
				n, err := m.CountMessages(t.Context(), messages)
				require.NoError(t, err)
				require.Equal(t, "ollama:"+model, n.By, "counted in process")
				a, err := llm.Collect(t.Context(), m, llm.Request{Messages: messages, MaxTokens: 1})
				require.NoError(t, err, name)
				require.Equal(t, a.Usage.Prompt, n.N, name)
				compared++
			}
			t.Logf("%d of %d conversations counted as the server counts them", compared, compared)
		})
	}
}

// TestToolsAreCountedAsTheServerCountsThem offers tools with every
// conversation: they are part of the prompt.
func TestToolsAreCountedAsTheServerCountsThem(t *testing.T) {
	m := open(t, ollama.Config{Model: ollamatest.Tools, URL: ollamatest.Real(t), Length: 8192})
	tools := []llm.Tool{
		{
			Name: "weather", Description: "Tells the weather of a city, \"now\".",
			Parameters: []byte(`{"type":"object","properties":{"city":{"type":"string","description":"its name, 東京 too"}},"required":["city"]}`),
		},
		{Name: "now"},
	}
	some := conversations()
	maps.DeleteFunc(some, func(name string, _ []chat.Message) bool {
		return strings.HasPrefix(name, "awkward") && !strings.HasSuffix(name, "7") // each is a prompt to be run
	})
	for name, messages := range some {
		without, err := m.CountMessages(t.Context(), messages)
		require.NoError(t, err)
		with, err := m.CountRequest(t.Context(), llm.Request{Messages: messages, Tools: tools})
		require.NoError(t, err)
		require.Greater(t, with.N, without.N+40, "the tools are in the prompt")
		require.Equal(t, "ollama:"+ollamatest.Tools, with.By, "counted in process")
		a, err := llm.Collect(t.Context(), m, llm.Request{Messages: messages, Tools: tools, MaxTokens: 1})
		require.NoError(t, err, name)
		require.Equal(t, a.Usage.Prompt, with.N, name)
	}
}

func TestWindowIsUsedToTheLastToken(t *testing.T) {
	const window = 512
	m := open(t, ollama.Config{Model: ollamatest.Chat, URL: ollamatest.Real(t), Length: window})
	text := "the door"
	for count(t, m, text) < window {
		text += " the"
	}
	require.Equal(t, window, count(t, m, text))
	a, err := llm.Collect(t.Context(), m, llm.Request{Messages: user(text), MaxTokens: 1})
	require.NoError(t, err)
	require.Equal(t, window, a.Usage.Prompt)
	_, err = llm.Collect(t.Context(), m, llm.Request{Messages: user(text + " the"), MaxTokens: 1})
	require.True(t, fault.Is(err, fault.DoesNotFit), "%v", err)
	require.ErrorContains(t, err, "513 tokens, the window 512")
}

func count(t *testing.T, m *ollama.Model, text string) int {
	t.Helper()
	c, err := m.CountMessages(t.Context(), user(text))
	require.NoError(t, err)
	return c.N
}

func TestAnswerThatFillsTheWindowEndsAndForgetsNothing(t *testing.T) {
	m := open(t, ollama.Config{Model: ollamatest.Endless, URL: ollamatest.Real(t), Length: 128})
	a, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("go on")})
	require.NoError(t, err)
	require.Equal(t, "length", a.Done)
	require.LessOrEqual(t, a.Usage.Prompt+a.Usage.Completion, 129)
}

// TestRequestsOfOthersDoNotMoveOurWindow is about the reload trap: a request
// without num_ctx reloads the model at the server's default.
func TestRequestsOfOthersDoNotMoveOurWindow(t *testing.T) {
	base := ollamatest.Real(t)
	u, err := url.Parse(base)
	require.NoError(t, err)
	other := api.NewClient(u, http.DefaultClient)
	m := open(t, ollama.Config{Model: ollamatest.Chat, URL: base, Length: 2048})
	n, err := m.Length(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2048, n.N)
	require.NoError(t, other.Chat(t.Context(), &api.ChatRequest{Model: ollamatest.Chat}, func(api.ChatResponse) error { return nil }))
	require.NotEqual(t, 2048, inForce(t, other, ollamatest.Chat))
	_, err = llm.Collect(t.Context(), m, llm.Request{Messages: user("hello")})
	require.NoError(t, err)
	require.Equal(t, 2048, inForce(t, other, ollamatest.Chat))
}

// TestModelReplacedUnderItsNameIsLearnedAnew puts another model in the place of
// one that was measured: window and counts are the new one's.
func TestModelReplacedUnderItsNameIsLearnedAnew(t *testing.T) {
	base := ollamatest.Real(t)
	u, err := url.Parse(base)
	require.NoError(t, err)
	ollamatest.Alias(t, ollamatest.Chat, "replaced")
	m := open(t, ollama.Config{Model: "replaced", URL: base, Length: 4096, Fresh: time.Nanosecond})
	count := func(m *ollama.Model) int {
		n, err := m.CountMessages(t.Context(), user("Naïve café, 東京タワー 🙂 don't 1234567"))
		require.NoError(t, err)
		a, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("Naïve café, 東京タワー 🙂 don't 1234567"), MaxTokens: 1})
		require.NoError(t, err)
		require.Equal(t, a.Usage.Prompt, n.N)
		return n.N
	}
	before := count(m)
	require.NoError(t, api.NewClient(u, http.DefaultClient).Copy(t.Context(), &api.CopyRequest{Source: ollamatest.Llama3, Destination: "replaced"}))
	require.NotEqual(t, before, count(m))
	later := open(t, ollama.Config{Model: "replaced", URL: base, Length: 4096, Fresh: time.Hour})
	_, err = later.Length(t.Context())
	require.NoError(t, err)
	require.Equal(t, count(m), count(later))
}

func inForce(t *testing.T, c *api.Client, model string) int {
	t.Helper()
	list, err := c.ListRunning(t.Context())
	require.NoError(t, err)
	for _, m := range list.Models {
		if m.Model == model+":latest" {
			return m.ContextLength
		}
	}
	return 0
}

func TestWindowOfALoadedModelIsTaken(t *testing.T) {
	base := ollamatest.Real(t)
	first := open(t, ollama.Config{Model: ollamatest.Llama3, URL: base, Length: 1024})
	_, err := first.Length(t.Context())
	require.NoError(t, err)
	n, err := open(t, ollama.Config{Model: ollamatest.Llama3, URL: base}).Length(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1024, n.N)
}

func TestCancellingStopsTheModel(t *testing.T) {
	endless := func(base string) *ollama.Model {
		return open(t, ollama.Config{Model: ollamatest.Endless, URL: base, Length: 4096})
	}
	for name, leave := range map[string]func(base string){
		"cancelled": func(base string) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			pieces := 0
			var last error
			for _, err := range endless(base).Generate(ctx, llm.Request{Messages: user("go on")}) {
				last = err
				if pieces++; pieces == 5 {
					cancel()
				}
			}
			require.ErrorIs(t, last, context.Canceled)
			require.Less(t, pieces, 1000)
		},
		"left": func(base string) {
			for _, err := range endless(base).Generate(t.Context(), llm.Request{Messages: user("go on")}) {
				require.NoError(t, err)
				break
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ollamatest.FreeAfter(t, leave, func(ctx context.Context, base string) error {
				a, err := llm.Collect(ctx, endless(base), llm.Request{Messages: user("again"), MaxTokens: 2})
				if err == nil {
					require.Equal(t, "on and", a.Text)
				}
				return err
			})
		})
	}
}

func TestServerKilledInTheMiddleIsAnError(t *testing.T) {
	base, kill := ollamatest.Own(t)
	m := open(t, ollama.Config{Model: ollamatest.Endless, URL: base, Length: 4096})
	pieces := 0
	var last error
	for d, err := range m.Generate(t.Context(), llm.Request{Messages: user("go on")}) {
		last = err
		require.Empty(t, d.Done)
		if pieces++; pieces == 5 {
			kill()
		}
	}
	require.True(t, fault.Is(last, fault.BackendUnreachable), "%v", last)
	require.ErrorContains(t, last, "before the answer was complete")
	_, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("again")})
	require.True(t, fault.Is(err, fault.BackendUnreachable), "%v", err)
	require.ErrorContains(t, err, "ollama serve")
}
