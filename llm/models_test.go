package llm_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/llm"
	"inlay/tokens"
)

func TestLookupModel(t *testing.T) {
	for _, c := range []struct {
		name   string
		length int
		want   string // encoding or family
	}{
		{"openai:gpt-4o", 128_000, "o200k_base"},
		{"gpt-4o-2024-08-06", 128_000, "o200k_base"},
		{"GPT-4o-mini-2024-07-18", 128_000, "o200k_base"},
		{"chatgpt-4o-latest", 128_000, "o200k_base"},
		{"gpt-4.1-nano-2025-04-14", 1_047_576, "o200k_base"},
		{"gpt-5-mini", 400_000, "o200k_base"},
		{"gpt-5-chat-latest", 128_000, "o200k_base"},
		{"o3-mini-2025-01-31", 200_000, "o200k_base"},
		{"o1-preview", 128_000, "o200k_base"},
		{"openai/gpt-oss-20b", 131_072, "o200k_base"},
		{"gpt-4", 8_192, "cl100k_base"},
		{"gpt-4-0613", 8_192, "cl100k_base"},
		{"gpt-4-1106-preview", 128_000, "cl100k_base"},
		{"gpt-4-turbo-2024-04-09", 128_000, "cl100k_base"},
		{"gpt-3.5-turbo-0125", 16_385, "cl100k_base"},
		{"gpt-3.5-turbo-0613", 4_096, "cl100k_base"},
		{"text-davinci-003", 4_097, "p50k_base"},
		{"anthropic:claude-3-5-sonnet-20241022", 200_000, ""},
		{"claude-opus-4-20250514", 200_000, ""},
		{"gemini:models/gemini-2.5-flash", 1_048_576, "gemma"},
		{"gemini-1.5-pro-002", 2_097_152, "gemma"},
		{"meta-llama/Meta-Llama-3-8B-Instruct", 8_192, "llama3"},
		{"ollama:llama3.1:8b-instruct-q4_K_M", 131_072, "llama3"},
		{"llama3.2", 131_072, "llama3"},
		{"Llama-3.3-70B-Instruct-GGUF", 131_072, "llama3"},
		{"ollama:llama2:7b-chat", 4_096, "llama2"},
		{"qwen2.5:7b", 32_768, "qwen"},
		{"Qwen/Qwen3-30B-A3B", 32_768, "qwen"},
		{"qwen3-coder:30b", 262_144, "qwen"},
		{"gemma3:1b", 32_768, "gemma"},
		{"google/gemma-3-27b-it", 131_072, "gemma"},
		{"mistralai/Mistral-7B-Instruct-v0.3", 32_768, "llama2"},
		{"mixtral:8x22b", 65_536, "llama2"},
		{"deepseek:deepseek-chat", 131_072, "deepseek"},
		{"DeepSeek-R1-Distill-Qwen-7B", 131_072, "qwen"},
		{"phi4:14b", 16_384, ""},
	} {
		m, ok := llm.LookupModel(c.name)
		require.True(t, ok, c.name)
		require.Equal(t, c.length, m.Length, c.name)
		require.Equal(t, c.want, m.Encoding+string(m.Family), c.name)
	}
}

// What the table does not know is not taken for something that looks like it.
func TestLookupModelDoesNotGuess(t *testing.T) {
	for _, name := range []string{
		"", "gpt", "gpt-6", "gpt-4o-audio-preview", "gpt-40", "claude-opus-4-9", "claude-4", "llama3.9", "llama4", "qwen3-4b-instruct-2507",
		"gemma3:80b", "mistral-small", "my-finetune", "phi-4-mini", "davinci-resolve", "gpt-4-yarn-1m",
	} {
		m, ok := llm.LookupModel(name)
		require.False(t, ok, "%s taken for %s", name, m.Name)
	}
}

func TestModelsAreWhole(t *testing.T) {
	var names []string
	for _, m := range llm.Models() {
		require.Positive(t, m.Length, m.Name)
		require.NotContains(t, names, m.Name)
		names = append(names, m.Name)
		if m.Encoding != "" {
			require.True(t, slices.Contains(tokens.Encodings(), m.Encoding), m.Name)
			require.Empty(t, m.Family, m.Name)
		}
		found, ok := llm.LookupModel(m.Name)
		require.True(t, ok, m.Name)
		require.Equal(t, m, found)
	}
}
