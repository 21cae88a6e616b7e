package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The answers below are shortened to few models and name where their form was
// read: a server's documentation or source, or an answer that others published.
// None of these servers ran in these tests. Values are examples.
const (
	// LM Studio 0.4, GET /api/v1/models. Its documentation of the REST API v1 could not be opened; the
	// fields are those that programs which read it and published answers of 0.4 show.
	lmStudioV1 = `{"models":[
		{"type":"llm","publisher":"lmstudio-community","key":"gemma-3-270m-it-qat","display_name":"Gemma 3 270m Instruct Qat","architecture":"gemma3",
		 "quantization":{"name":"Q4_0","bits_per_weight":4},"size_bytes":241410208,"params_string":"270M",
		 "loaded_instances":[{"id":"gemma-3-270m-it-qat","config":{"context_length":4096,"eval_batch_size":512,"flash_attention":false,"num_experts":0,"offload_kv_cache_to_gpu":true}}],
		 "max_context_length":32768,"format":"gguf","capabilities":{"vision":false,"trained_for_tool_use":false}},
		{"type":"llm","publisher":"openai","key":"openai/gpt-oss-20b","display_name":"Gpt Oss 20b","architecture":"gpt-oss","quantization":null,"size_bytes":1,
		 "params_string":"20B","loaded_instances":[],"max_context_length":131072,"format":"gguf"},
		{"type":"embedding","publisher":"nomic-ai","key":"text-embedding-nomic-embed-text-v1.5","display_name":"Nomic Embed Text v1.5","quantization":{"name":"F16","bits_per_weight":16},
		 "size_bytes":274290560,"params_string":null,"loaded_instances":[],"max_context_length":2048,"format":"gguf"}]}`

	// LM Studio 0.3.6, GET /api/v0/models: https://www.lmstudio.ai/docs/api/rest-api, and
	// loaded_context_length, which that page lacks and published answers of later versions have.
	lmStudioV0 = `{"object":"list","data":[
		{"id":"qwen2-vl-7b-instruct","object":"model","type":"vlm","publisher":"mlx-community","arch":"qwen2_vl","compatibility_type":"mlx","quantization":"4bit","state":"not-loaded","max_context_length":32768},
		{"id":"meta-llama-3.1-8b-instruct","object":"model","type":"llm","publisher":"lmstudio-community","arch":"llama","compatibility_type":"gguf","quantization":"Q4_K_M","state":"loaded","max_context_length":131072,"loaded_context_length":8192}]}`

	// llama.cpp, GET /props: https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
	llamaProps = `{"default_generation_settings":{"id":0,"id_task":-1,"n_ctx":1024,"speculative":false,"is_processing":false,"params":{"n_predict":-1,"seed":4294967295,"temperature":0.8}},
		"total_slots":1,"model_path":"models/m.gguf","chat_template":"...","modalities":{"vision":false},"build_info":"b(build number)-(build commit hash)"}`

	// llama.cpp, GET /v1/models: the same README; newer versions add an "architecture"
	llamaModels = `{"object":"list","data":[{"id":"m.gguf","object":"model","created":1735142223,"owned_by":"llamacpp","meta":{"vocab_type":2,"n_vocab":128256,"n_ctx_train":131072,"n_embd":4096,"n_params":8030261312,"size":4912898304}}]}`

	// llama.cpp, an overlong prompt: as answers of running servers were published (5,274 tokens for 4,096)
	llamaTooLong = `{"error":{"code":400,"message":"request (5274 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5274,"n_ctx":4096}}`

	// vLLM, GET /v1/models: class ModelCard in its vllm/entrypoints/openai
	vllmModels = `{"object":"list","data":[{"id":"Qwen/Qwen2.5-7B-Instruct","object":"model","created":1735142223,"owned_by":"vllm","root":"Qwen/Qwen2.5-7B-Instruct","parent":null,"max_model_len":32768,"permission":[]}]}`

	// vLLM, POST /tokenize: class TokenizeResponse there; newer versions add token_strs
	vllmTokens = `{"tokens":[151644,8948,198,2610],"count":4,"max_model_len":32768}`

	// vLLM, an overlong prompt: class ErrorResponse as it was, its fields at the top
	vllmTooLongOld = `{"object":"error","message":"This model's maximum context length is 32768 tokens. However, you requested 40000 tokens in the messages, Please reduce the length of the messages.","type":"BadRequestError","param":null,"code":400}`

	// vLLM, the same since ErrorResponse holds an ErrorInfo; the words are those of version 0.25
	vllmTooLong = `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 1 output tokens and your prompt contains at least 8192 input tokens, for a total of at least 8193 tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`

	// OpenAI, a stream with usage, as its reference describes it; not compared with a recorded answer: https://platform.openai.com/docs/api-reference/chat-streaming
	stream = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}

data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Twenty"},"finish_reason":null}],"usage":null}

: a comment

data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" days"},"finish_reason":null}],"usage":null}

data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}

data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":23,"completion_tokens":2,"total_tokens":25}}

data: [DONE]

`
	// OpenAI, an overlong prompt: the code is what clients branch on; the words are as published by its users: https://platform.openai.com/docs/guides/error-codes
	openAITooLong = `{"error":{"message":"This model's maximum context length is 128000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`
)

// answer is what the strict server says at one address.
type answer struct {
	status int // 200 if 0
	body   string
}

// strict serves fixtures: it answers what it knows, 404 to every other
// address, refuses bodies that are not JSON, and keeps what it was asked.
type strict struct {
	t       *testing.T
	answers map[string]answer // by "METHOD /path"
	mu      sync.Mutex
	asked   []request
}

type request struct {
	Address string
	Key     string
	Body    map[string]any
}

func serve(t *testing.T, answers map[string]answer) (*strict, string) {
	t.Helper()
	s := &strict{t: t, answers: answers}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return s, srv.URL + "/v1"
}

func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := request{Address: r.Method + " " + r.URL.Path, Key: r.Header.Get("Authorization")}
	if r.Method == http.MethodPost {
		data, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(data, &asked.Body); err != nil {
			s.t.Errorf("%s: the body is not JSON", asked.Address)
		}
	}
	s.mu.Lock()
	s.asked = append(s.asked, asked)
	s.mu.Unlock()
	a, ok := s.answers[asked.Address]
	if !ok {
		http.Error(w, `{"error":{"message":"not found"}}`, http.StatusNotFound)
		return
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = io.WriteString(w, a.body)
}

// bodies returns what was posted to an address.
func (s *strict) bodies(address string) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []map[string]any
	for _, r := range s.asked {
		if r.Address == address {
			out = append(out, r.Body)
		}
	}
	return out
}

func TestFixturesAreJSON(t *testing.T) {
	for _, f := range []string{lmStudioV1, lmStudioV0, llamaProps, llamaModels, llamaTooLong, vllmModels, vllmTokens, vllmTooLong, vllmTooLongOld, openAITooLong} {
		require.True(t, json.Valid([]byte(f)))
	}
}
