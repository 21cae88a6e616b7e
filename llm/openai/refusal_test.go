package openai_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/llm/completion"
	"inlay/llm/openai"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/retrieve"
	"inlay/tokens"
)

// TestRefusalsKeepTheirStatus: what a server says of a request is for whoever
// made it, with the server's status and without its words.
func TestRefusalsKeepTheirStatus(t *testing.T) {
	for name, c := range map[string]struct {
		answer answer
		status int
		says   string
	}{
		"OpenAI's":        {answer{400, `{"error":{"message":"SECRET","type":"invalid_request_error","param":"tools[0].function.SECRET","code":"invalid_value"}}`}, 400, "refuses the request (400), for its field tools"},
		"another field":   {answer{400, `{"error":{"message":"SECRET","param":"SECRET"}}`}, 400, "refuses the request (400) ("},
		"FastAPI's":       {answer{422, `{"detail":"SECRET"}`}, 422, "refuses the request (422)"},
		"no JSON":         {answer{402, `SECRET`}, 402, "refuses the request (402)"},
		"llama.cpp roles": {answer{500, `{"error":{"code":500,"message":"Error: Jinja Exception: SECRET","type":"server_error"}}`}, 400, "chat template"},
		"vLLM's roles":    {answer{400, `{"object":"error","message":"Conversation roles must alternate user/assistant SECRET","type":"BadRequestError","param":null,"code":400}`}, 400, "chat template"},
		"in a stream":     {answer{200, `data: {"error":{"message":"Error rendering prompt with jinja template: SECRET"}}` + "\n\n"}, 400, "chat template"},
		"with its code":   {answer{200, `data: {"error":{"message":"SECRET","code":422}}` + "\n\n"}, 422, "refuses the request (422)"},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := serve(t, map[string]answer{"POST /v1/chat/completions": c.answer})
			m := open(t, openai.Config{Model: "m", BaseURL: url})
			var failed error
			for _, err := range m.Relay(t.Context(), fields(t, `{"stream":true,"messages":[{"role":"user","content":"SECRET"}]}`)) {
				failed = err
			}
			f, ok := errors.AsType[*fault.Error](failed)
			require.True(t, ok, "%v", failed)
			require.Equal(t, fault.BackendRefused, f.Code)
			require.Equal(t, c.status, f.Status)
			require.ErrorContains(t, f, c.says)
			require.NotContains(t, f.Error(), "SECRET")
		})
	}
}

// TestEndsOfStreamsAreToldApart: none of them is a model that repeats itself.
func TestEndsOfStreamsAreToldApart(t *testing.T) {
	const piece = `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n"
	for name, c := range map[string]struct {
		stream, says string
		code         fault.Code
	}{
		"nothing":         {"", "the server's answer is empty", fault.AnswerUnfinished},
		"a page":          {"<html>\n<body>data</body></html>", "not a stream of events", fault.BackendUnreachable},
		"a completion":    {`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "not a stream of events", fault.BackendUnreachable},
		"garbage":         {piece + "data: \x00\xff{\n\n", "an event of the answer is not JSON", fault.BackendUnreachable},
		"half an event":   {piece + `data: {"choices":[{"del`, "an event of the answer is not JSON", fault.BackendUnreachable},
		"other JSON":      {piece + "data: 7\n\n", "not a JSON object", fault.BackendUnreachable},
		"another format":  {`data: {"choices":[{"delta":{"content":{"a":1}}}]}` + "\n\n", "delta is invalid", fault.BackendUnreachable},
		"cut off":         {": hello\nevent: x\n" + piece, "cut off: it ends without a finish_reason", fault.AnswerUnfinished},
		"without reason":  {piece + "data: [DONE]\n\n", "ended the answer without a finish_reason", fault.AnswerUnfinished},
		"an endless line": {piece + "data: " + strings.Repeat("x", 9<<20), "longer than 8 MiB", fault.BackendUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := serve(t, map[string]answer{"POST /v1/chat/completions": {body: c.stream}})
			m := open(t, openai.Config{Model: "m", BaseURL: url})
			var failed error
			for _, err := range m.Relay(t.Context(), fields(t, `{"stream":true,"messages":[]}`)) {
				require.NoError(t, failed, "nothing follows an error")
				failed = err
			}
			require.Equal(t, c.code, fault.CodeOf(failed), "%v", failed)
			require.ErrorContains(t, failed, c.says)
			require.NotContains(t, failed.Error(), "repeats itself")
		})
	}
}

// templated is a server whose template wants a message of the user's, as the
// templates of Qwen and Mistral do.
func templated(t *testing.T, get map[string]string, refuse func(http.ResponseWriter), count func(http.ResponseWriter)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, ok := get[r.Method+" "+r.URL.Path]; ok {
			_, _ = io.WriteString(w, body)
			return
		}
		var body struct{ Messages json.RawMessage }
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&body) != nil || body.Messages == nil {
			http.NotFound(w, r)
			return
		}
		messages, err := completion.ParseMessages(body.Messages)
		if err != nil {
			t.Error(err)
		}
		for _, m := range messages {
			if m.Role == "user" {
				count(w)
				return
			}
		}
		refuse(w)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// TestATemplateThatWantsAUserGetsOne is INJ-3: the placeholder is added only where
// the refusal is told, not estimated over.
func TestATemplateThatWantsAUserGetsOne(t *testing.T) {
	says := func(status int, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		get    map[string]string
		refuse func(http.ResponseWriter)
		count  func(http.ResponseWriter)
	}{
		"vLLM": {
			map[string]string{"GET /v1/models": strings.ReplaceAll(vllmModels, "Qwen/Qwen2.5-7B-Instruct", "m")},
			says(400, `{"error":{"message":"No user query found in messages.","type":"BadRequestError","code":400}}`),
			says(200, `{"count":19}`),
		},
		"vLLM, in its own words": {
			map[string]string{"GET /v1/models": strings.ReplaceAll(vllmModels, "Qwen/Qwen2.5-7B-Instruct", "m")},
			says(400, `{"error":{"message":"Where is the human?","type":"BadRequestError","code":400}}`),
			says(200, `{"count":19}`),
		},
		"llama.cpp": {
			map[string]string{"GET /props": llamaProps},
			says(500, `{"error":{"code":500,"message":"Jinja Exception: No user query found in messages.","type":"server_error"}}`),
			says(200, `{"input_tokens":19}`),
		},
		"LM Studio": {
			map[string]string{"GET /api/v0/models": strings.ReplaceAll(lmStudioV0, "meta-llama-3.1-8b-instruct", "m")},
			says(200, "event: error\n"+`data: {"error":{"message":"Error rendering prompt with jinja template: No user query found in messages."}}`+"\n\n"),
			says(200, strings.ReplaceAll(stream, `"prompt_tokens":23`, `"prompt_tokens":19`)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := open(t, openai.Config{Model: "m", BaseURL: templated(t, c.get, c.refuse, c.count)})
			history := []chat.Message{{Role: chat.System, Text: "Be brief."}}
			_, err := m.CountMessages(t.Context(), history)
			require.Equal(t, fault.BackendRefused, fault.CodeOf(err), "%v", err)

			parsers, err := parse.NewRegistry(plain.All(parse.Limits{})...)
			require.NoError(t, err)
			res, err := (&injection.Injector{Reader: parsers, Retriever: retrieve.New(retrieve.Options{})}).Inject(t.Context(), injection.Request{
				Text: "How long?", Messages: history, Model: m, Options: injection.Options{DryRun: true},
				Files: []injection.File{{Name: "notes.md", Data: []byte("Two months.")}},
			})
			require.NoError(t, err)
			require.Equal(t, 19, res.Decision.Window.InContext.N)
			require.Equal(t, tokens.Exact, res.Decision.Window.InContext.Method)
		})
	}
}

// TestARefusedUserIsEstimated: what no placeholder can mend is estimated, as for a
// server that cannot count.
func TestARefusedUserIsEstimated(t *testing.T) {
	_, url := serve(t, map[string]answer{
		"GET /v1/models": {body: strings.ReplaceAll(vllmModels, "Qwen/Qwen2.5-7B-Instruct", "m")},
		"POST /tokenize": {400, `{"object":"error","message":"Field required: prompt","type":"BadRequestError"}`},
	})
	n, err := open(t, openai.Config{Model: "m", BaseURL: url}).CountMessages(t.Context(), user("How long?"))
	require.NoError(t, err)
	require.Equal(t, tokens.Estimated, n.Method)
}
