package openai_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/embed"
	"inlay/fault"
	"inlay/llm"
	"inlay/llm/openai"
	"inlay/tokens"
)

func open(t *testing.T, c openai.Config) *openai.Model {
	t.Helper()
	m, err := openai.New(c)
	require.NoError(t, err)
	return m
}

func user(text string) []chat.Message { return []chat.Message{{Role: chat.User, Text: text}} }

func TestWindowIsFoundByAsking(t *testing.T) {
	for name, c := range map[string]struct {
		model   string
		answers map[string]answer
		kind    openai.Kind
		want    tokens.Count
	}{
		"LM Studio": {
			"gemma-3-270m-it-qat",
			map[string]answer{"GET /api/v1/models": {body: lmStudioV1}},
			openai.LMStudio,
			tokens.Count{N: 4096, By: "LM Studio, as loaded"},
		},
		"older LM Studio": {
			"meta-llama-3.1-8b-instruct",
			map[string]answer{"GET /api/v0/models": {body: lmStudioV0}},
			openai.LMStudio,
			tokens.Count{N: 8192, By: "LM Studio, as loaded"},
		},
		"older LM Studio, not loaded": {
			"qwen2-vl-7b-instruct",
			map[string]answer{"GET /api/v0/models": {body: lmStudioV0}},
			openai.LMStudio,
			tokens.Count{N: 32768, By: "LM Studio, the most the model can take"},
		},
		"llama.cpp": {
			"m.gguf",
			map[string]answer{"GET /v1/models": {body: llamaModels}, "GET /props": {body: llamaProps}},
			openai.LlamaCPP,
			tokens.Count{N: 1024, By: "llama.cpp /props"},
		},
		"vLLM": {
			"Qwen/Qwen2.5-7B-Instruct",
			map[string]answer{"GET /v1/models": {body: vllmModels}},
			openai.VLLM,
			tokens.Count{N: 32768, By: "the server's list of models"},
		},
		"a field of the list": {
			"x/y",
			map[string]answer{"GET /v1/models": {body: `{"data":[{"id":"x/y","context_length":65536}]}`}},
			openai.Compatible,
			tokens.Count{N: 65536, By: "the server's list of models"},
		},
		"the table": {
			"gpt-4o-mini",
			map[string]answer{"GET /v1/models": {body: `{"data":[{"id":"gpt-4o-mini","object":"model","owned_by":"system"}]}`}},
			openai.Compatible,
			tokens.Count{N: 128000, By: "table of well-known models"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := serve(t, c.answers)
			m := open(t, openai.Config{Model: c.model, BaseURL: url})
			n, err := m.Length(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.want, n)
			kind, err := m.Kind(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.kind, kind)
		})
	}
}

func TestAGivenWindowWins(t *testing.T) {
	_, url := serve(t, map[string]answer{"GET /props": {body: llamaProps}})
	n, err := open(t, openai.Config{Model: "m.gguf", BaseURL: url, Length: 77}).Length(t.Context())
	require.NoError(t, err)
	require.Equal(t, tokens.Count{N: 77, By: "configuration"}, n)
}

func TestUnknownWindowSaysHowToSetIt(t *testing.T) {
	for name, c := range map[string]struct {
		model   string
		answers map[string]answer
		says    string
	}{
		"unknown model":            {"mystery", nil, "set the context length"},
		"LM Studio, not loaded":    {"openai/gpt-oss-20b", map[string]answer{"GET /api/v1/models": {body: lmStudioV1}}, "load the model in LM Studio"},
		"Ollama, not loaded there": {"llama3.2", map[string]answer{"GET /api/ps": {body: `{"models":[]}`}}, "ollama:llama3.2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := serve(t, c.answers)
			_, err := open(t, openai.Config{Model: c.model, BaseURL: url}).Length(t.Context())
			require.True(t, fault.Is(err, fault.WindowUnknown), "%v", err)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestMessagesAreCountedByTheServerThatCan(t *testing.T) {
	props := answer{body: llamaProps}
	for name, c := range map[string]struct {
		answers map[string]answer
		want    tokens.Count
	}{
		"llama.cpp": {
			map[string]answer{"GET /props": props, "POST /v1/chat/completions/input_tokens": {body: `{"input_tokens":17}`}},
			tokens.Count{N: 17, By: "llama.cpp /v1/chat/completions/input_tokens"},
		},
		"older llama.cpp": {
			map[string]answer{"GET /props": props, "POST /apply-template": {body: `{"prompt":"<|user|>hi"}`}, "POST /tokenize": {body: `{"tokens":[1,2,3]}`}},
			tokens.Count{N: 3, By: "llama.cpp /apply-template and /tokenize"},
		},
		"vLLM": {
			map[string]answer{"GET /v1/models": {body: strings.ReplaceAll(vllmModels, "Qwen/Qwen2.5-7B-Instruct", "m")}, "POST /tokenize": {body: vllmTokens}},
			tokens.Count{N: 4, By: "vLLM /tokenize"},
		},
		"LM Studio": {
			map[string]answer{"GET /api/v0/models": {body: strings.ReplaceAll(lmStudioV0, "meta-llama-3.1-8b-instruct", "m")}, "POST /v1/chat/completions": {body: stream}},
			tokens.Count{N: 23, By: "LM Studio by running it"},
		},
		"longer than the window": {
			map[string]answer{"GET /api/v0/models": {body: strings.ReplaceAll(lmStudioV0, "meta-llama-3.1-8b-instruct", "m")}, "POST /v1/chat/completions": {status: 400, body: openAITooLong}},
			tokens.Count{N: 8193, Method: tokens.AtLeast, By: "LM Studio by running it"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := serve(t, c.answers)
			n, err := open(t, openai.Config{Model: "m", BaseURL: url}).CountMessages(t.Context(), user("hi"))
			require.NoError(t, err)
			require.Equal(t, c.want, n)
		})
	}
}

func TestOtherServersAreEstimatedAndLearntFrom(t *testing.T) {
	s, url := serve(t, map[string]answer{"POST /v1/chat/completions": {body: strings.ReplaceAll(stream, `"prompt_tokens":23`, `"prompt_tokens":11`)}})
	m := open(t, openai.Config{Model: "mystery", BaseURL: url, Length: 8000})
	counter, err := m.Counter(t.Context())
	require.NoError(t, err)
	text := strings.Repeat("How many days of leave are there? ", 20)
	before := counter.Count(text)
	require.Equal(t, tokens.Estimated, before.Method)
	whole, err := m.CountMessages(t.Context(), user(text))
	require.NoError(t, err)
	require.Equal(t, tokens.Estimated, whole.Method)
	require.Greater(t, whole.N, before.N)
	for range 3 {
		_, err = llm.Collect(t.Context(), m, llm.Request{Messages: user(text)})
		require.NoError(t, err)
	}
	counter, err = m.Counter(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, counter.Count(text), "11 tokens cannot be true of this text")

	s.answers["POST /v1/chat/completions"] = answer{body: strings.ReplaceAll(stream, `"prompt_tokens":23`, `"prompt_tokens":190`)}
	_, err = llm.Collect(t.Context(), m, llm.Request{Messages: user(text)})
	require.NoError(t, err)
	counter, err = m.Counter(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, before, counter.Count(text))
}

func TestTextIsCountedOnTheServer(t *testing.T) {
	s, url := serve(t, map[string]answer{"GET /props": {body: llamaProps}, "POST /tokenize": {body: `{"tokens":[1,2,3]}`}})
	counter, err := open(t, openai.Config{Model: "m", BaseURL: url}).Counter(t.Context())
	require.NoError(t, err)
	require.Equal(t, tokens.Count{N: 3, By: "llama.cpp /tokenize"}, counter.Count("<|special|>"))
	require.Equal(t, false, s.bodies("POST /tokenize")[0]["parse_special"])
	over, n := counter.Exceeds(2, "abc")
	require.True(t, over)
	require.Equal(t, 3, n.N)
	over, n = counter.Exceeds(6, "abc", "", "def")
	require.False(t, over)
	require.Equal(t, 6, n.N)
	asked := len(s.bodies("POST /tokenize"))
	over, n = counter.Exceeds(10, strings.Repeat("x", 1<<20))
	require.True(t, over)
	require.Equal(t, tokens.AtLeast, n.Method)
	require.Len(t, s.bodies("POST /tokenize"), asked, "what is too long by its size is not sent")
}

func TestAnswerStreams(t *testing.T) {
	s, url := serve(t, map[string]answer{"POST /v1/chat/completions": {body: stream}})
	zero := 0.0
	var deltas []llm.Delta
	m := open(t, openai.Config{Model: "m", BaseURL: url, Key: "k-123"})
	for d, err := range m.Generate(t.Context(), llm.Request{
		Messages: []chat.Message{
			{Role: chat.System, Text: "s"},
			{
				Role:      chat.Assistant,
				ToolCalls: []chat.ToolCall{{ID: "1", Name: "f", Arguments: "{}"}},
			},
			{Role: chat.Tool, Text: "r", ToolCallID: "1"},
			{Role: chat.User, Text: "u"},
		},
		MaxTokens: 9, Temperature: &zero, Stop: []string{"!"}, Schema: []byte(`{"type":"object"}`),
	}) {
		require.NoError(t, err)
		deltas = append(deltas, d)
	}
	require.Equal(t, []llm.Delta{{Text: "Twenty"}, {Text: " days"}, {Done: "stop", Usage: llm.Usage{Prompt: 23, Completion: 2}}}, deltas)
	require.Equal(t, "Bearer k-123", s.asked[len(s.asked)-1].Key)
	body := s.bodies("POST /v1/chat/completions")[0]
	require.EqualValues(t, 9, body["max_tokens"])
	require.Zero(t, body["temperature"])
	require.Contains(t, body, "temperature")
	require.Equal(t, true, body["stream"])
	require.Len(t, body["messages"], 4)
	require.Equal(t, "json_schema", body["response_format"].(map[string]any)["type"])
}

func TestFailuresHaveCodesAndHoldNoContent(t *testing.T) {
	half, _, _ := strings.Cut(stream, ": a comment")
	for name, c := range map[string]struct {
		answer answer
		code   fault.Code
	}{
		"key":               {answer{401, `{"error":{"message":"SECRET"}}`}, fault.Unauthorized},
		"no such model":     {answer{404, `{"error":{"message":"SECRET"}}`}, fault.ModelNotFound},
		"limit":             {answer{429, `{"error":{"message":"SECRET"}}`}, fault.RateLimited},
		"server":            {answer{500, `SECRET`}, fault.Internal},
		"bad request":       {answer{400, `{"error":"SECRET"}`}, fault.BackendRefused},
		"unprocessable":     {answer{422, `{"detail":[{"loc":["SECRET"]}]}`}, fault.BackendRefused},
		"llama.cpp's roles": {answer{500, `{"error":{"code":500,"message":"SECRET Jinja Exception: SECRET","type":"server_error"}}`}, fault.BackendRefused},
		"OpenAI's length":   {answer{400, openAITooLong}, fault.DoesNotFit},
		"llama.cpp's":       {answer{400, llamaTooLong}, fault.DoesNotFit},
		"vLLM's":            {answer{400, vllmTooLong}, fault.DoesNotFit},
		"older vLLM's":      {answer{400, vllmTooLongOld}, fault.DoesNotFit},
		"breaks off":        {answer{200, half}, fault.AnswerUnfinished},
		"empty":             {answer{200, ""}, fault.AnswerUnfinished},
		"error in a stream": {answer{200, half + `data: {"error":{"message":"SECRET"}}` + "\n"}, fault.Internal},
		"not JSON":          {answer{200, half + "data: SECRET\n"}, fault.BackendUnreachable},
		"no stream":         {answer{200, "<html>SECRET</html>"}, fault.BackendUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			_, url := serve(t, map[string]answer{"POST /v1/chat/completions": c.answer})
			m := open(t, openai.Config{Model: "m", BaseURL: url, Key: "SECRET", Backoff: time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			_, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("SECRET")})
			require.True(t, fault.Is(err, c.code), "%v", err)
			require.NotContains(t, err.Error()+log.String(), "SECRET")
		})
	}
}

// TestNamesInLogs: the name of a model is written only if the server lists it;
// any other may be whatever a stranger sent.
func TestNamesInLogs(t *testing.T) {
	for name, listed := range map[string]bool{"known-model": true, "a stranger's text": false} {
		var log bytes.Buffer
		_, url := serve(t, map[string]answer{"GET /v1/models": {body: `{"data":[{"id":"known-model","max_model_len":4096}]}`}})
		m := open(t, openai.Config{Model: name, BaseURL: url, Fallback: tokens.Count{N: 4096}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		_, err := m.Length(t.Context())
		require.NoError(t, err)
		require.Contains(t, log.String(), "asked what serves the model")
		require.Equal(t, listed, strings.Contains(log.String(), name), log.String())
	}
}

func TestServerDownIsSaid(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	m := open(t, openai.Config{Model: "m", BaseURL: gone.URL + "/v1"})
	_, err := m.Length(t.Context())
	require.True(t, fault.Is(err, fault.BackendUnreachable), "%v", err)
}

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []openai.Config{{}, {Model: "m", BaseURL: "localhost:1234"}} {
		_, err := openai.New(c)
		require.True(t, fault.Is(err, fault.Usage), "%v", err)
	}
}

func TestEmbedderSortsPrefixesAndNormalises(t *testing.T) {
	s, url := serve(t, map[string]answer{"POST /v1/embeddings": {body: `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[3,4]}],"model":"m"}`}})
	e, err := openai.NewEmbedder(t.Context(), openai.Config{Model: "text-embedding-nomic-embed-text-v1.5", BaseURL: url})
	require.NoError(t, err)
	require.Equal(t, 2, e.Spec().Dimensions)
	s.answers["POST /v1/embeddings"] = answer{body: `{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}]}`}
	v, err := e.Embed(t.Context(), embed.Document, []string{"One", "Two"})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float32{.6, .8}, []float32(v[0]), 1e-6)
	require.InDeltaSlice(t, []float32{0, 1}, []float32(v[1]), 1e-6)
	require.Equal(t, []any{"search_document: one", "search_document: two"}, s.bodies("POST /v1/embeddings")[1]["input"])
	_, err = e.Embed(t.Context(), embed.Query, []string{"One"})
	require.ErrorContains(t, err, "2 vectors for 1 texts")
}

// TestToolCallsArePutTogether reads calls that come in pieces, two at once.
func TestToolCallsArePutTogether(t *testing.T) {
	stream := `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a1","type":"function","function":{"name":"read_file","arguments":""}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a.md\"}"}},{"index":1,"function":{"name":"list","arguments":"{}"}}]}}]}

data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

`
	s, url := serve(t, map[string]answer{"POST /v1/chat/completions": {body: stream}})
	m := open(t, openai.Config{Model: "m", BaseURL: url, Length: 4096})
	tools := []llm.Tool{{Name: "read_file", Description: "Reads.", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}, {Name: "list"}}
	a, err := llm.Collect(t.Context(), m, llm.Request{Messages: user("hi"), Tools: tools})
	require.NoError(t, err)
	require.Equal(t, "tool_calls", a.Done)
	require.Equal(t, []chat.ToolCall{{ID: "a1", Name: "read_file", Arguments: `{"path":"a.md"}`}, {ID: "call_2", Name: "list", Arguments: "{}"}}, a.ToolCalls)
	sent := s.bodies("POST /v1/chat/completions")[0]["tools"].([]any)
	require.Len(t, sent, 2)
	require.Equal(t, "read_file", sent[0].(map[string]any)["function"].(map[string]any)["name"])
}
