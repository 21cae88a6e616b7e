package llm

import (
	"slices"
	"strings"

	"inlay/internal/lazy"

	"inlay/tokens"
)

// Model is what is known of a model without asking a server.
type Model struct {
	Name     string        // as its maker writes it
	Length   int           // tokens of the longest context it was made for; a server may load it with less
	Encoding string        // its vocabulary, where that is one of OpenAI's published ones; else empty
	Family   tokens.Family // otherwise: whose vocabulary it counts like, as far as measured
	Open     bool          // anybody may serve it, and the server decides how much context it has
}

// Models lists the well-known models, each name standing for its dated and
// sized variants too ([LookupModel]). Lengths are those the makers state, in
// their documentation or the model's own configuration.
func Models() []Model {
	var all []Model
	add := func(length int, encoding string, family tokens.Family, names string) {
		for name := range strings.FieldsSeq(names) {
			all = append(all, Model{Name: name, Length: length, Encoding: encoding, Family: family})
		}
	}
	addOpenAI(add)
	addHosted(add)
	hosted := len(all)
	addOpen(add)
	for i := range all[hosted:] {
		all[hosted+i].Open = true
	}
	return all
}

type addModels func(length int, encoding string, family tokens.Family, names string)

func addOpenAI(add addModels) {
	const o200k, cl100k, p50k, r50k = "o200k_base", "cl100k_base", "p50k_base", "r50k_base"
	add(400_000, o200k, "", "gpt-5 gpt-5-mini gpt-5-nano gpt-5-pro gpt-5-codex gpt-5.1")
	add(128_000, o200k, "", "gpt-5-chat gpt-4.5 gpt-4o gpt-4o-mini chatgpt-4o o1-mini o1-preview")
	add(1_047_576, o200k, "", "gpt-4.1 gpt-4.1-mini gpt-4.1-nano")
	add(200_000, o200k, "", "o1 o1-pro o3 o3-mini o3-pro o4-mini")
	add(131_072, o200k, "", "gpt-oss")
	add(128_000, cl100k, "", "gpt-4-turbo gpt-4-1106-preview gpt-4-0125-preview gpt-4-vision-preview")
	add(8_192, cl100k, "", "gpt-4")
	add(32_768, cl100k, "", "gpt-4-32k")
	add(16_385, cl100k, "", "gpt-3.5-turbo gpt-3.5-turbo-16k")
	add(4_096, cl100k, "", "gpt-3.5-turbo-instruct gpt-3.5-turbo-0301 gpt-3.5-turbo-0613")
	add(4_097, p50k, "", "text-davinci-002 text-davinci-003")
	add(2_049, r50k, "", "davinci curie babbage ada")
}

func addHosted(add addModels) {
	add(200_000, "", "", "claude-2.1 claude-3-haiku claude-3-sonnet claude-3-opus claude-3-5-haiku claude-3-5-sonnet claude-3-7-sonnet")
	add(200_000, "", "", "claude-sonnet-4 claude-sonnet-4-5 claude-opus-4 claude-opus-4-0 claude-opus-4-1 claude-opus-4-5 claude-haiku-4-5 claude-sonnet-4-0")
	add(100_000, "", "", "claude-2 claude-2.0 claude-instant-1.2")
	add(2_097_152, "", tokens.Gemma, "gemini-1.5-pro")
	add(1_048_576, "", tokens.Gemma, "gemini-1.5-flash gemini-1.5-flash-8b gemini-2.0-flash gemini-2.0-flash-lite gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite")
	add(131_072, "", tokens.DeepSeek, "deepseek-chat deepseek-reasoner")
	add(131_072, "", "", "command-r command-r-plus")
}

func addOpen(add addModels) {
	add(8_192, "", tokens.Llama3, "llama-3")
	add(131_072, "", tokens.Llama3, "llama-3.1 llama-3.2 llama-3.3 deepseek-r1-distill-llama")
	add(4_096, "", tokens.Llama2, "llama-2")
	add(16_384, "", tokens.Llama2, "codellama")
	add(32_768, "", tokens.Qwen, "qwen-2.5 qwen-2.5-coder qwen-3")
	add(262_144, "", tokens.Qwen, "qwen-3-coder")
	add(131_072, "", tokens.Qwen, "qwq deepseek-r1-distill-qwen")
	add(32_768, "", tokens.Llama2, "mistral mixtral-8x7b codestral")
	add(65_536, "", tokens.Llama2, "mixtral-8x22b")
	add(131_072, "", "", "mistral-nemo mistral-small-3.1 mistral-small-3.2 mistral-small-2503 mistral-small-2506 mistral-large-2407 mistral-large-2411")
	add(32_768, "", "", "mistral-small-2501")
	add(8_192, "", tokens.Gemma, "gemma gemma-2")
	add(131_072, "", tokens.Gemma, "gemma-3-4b gemma-3-12b gemma-3-27b")
	add(32_768, "", tokens.Gemma, "gemma-3-270m gemma-3-1b gemma-3n")
	add(131_072, "", tokens.DeepSeek, "deepseek-v3 deepseek-v3.1 deepseek-r1")
	add(4_096, "", tokens.Llama2, "phi-3-mini-4k")
	add(131_072, "", tokens.Llama2, "phi-3-mini-128k phi-3.5-mini")
	add(16_384, "", "", "phi-4")
}

// LookupModel finds a well-known model by "provider:name" or its name alone.
// Case, an organisation before a slash, Ollama's tags, dates, sizes,
// quantisations and words like "instruct" and "latest" make no difference; a
// variant that the table does not know is not taken for another.
func LookupModel(name string) (Model, bool) {
	_, name = SplitModel(name)
	name = plainName(name)
	var best Model
	for _, m := range Models() {
		rest, ok := strings.CutPrefix(name, m.Name)
		if ok && harmless().MatchString(rest) && len(m.Name) > len(best.Name) {
			best = m
		}
	}
	return best, best.Name != ""
}

// SplitModel splits "provider:name" at the first colon if what is before
// it is a provider that inlay knows; otherwise the provider is empty and the
// name whole, for names have colons too ("llama3.1:8b").
func SplitModel(name string) (provider, rest string) {
	provider, rest, ok := strings.Cut(name, ":")
	if ok && slices.Contains(Providers(), strings.ToLower(provider)) {
		return strings.ToLower(provider), rest
	}
	return "", name
}

// Providers are the names that may be before a model's, "ollama:llama3.2".
func Providers() []string {
	return []string{"ollama", "openai", "openai-responses", "lmstudio", "llamacpp", "vllm", "anthropic", "google", "gemini", "mistralai", "deepseek", "azure", "openrouter"}
}

// plainName lowers a model's name and brings the ways to write it together:
// "meta-llama/Llama-3.1-8B", "llama3.1:8b" and "llama-3.1-8b" are the same.
func plainName(name string) string {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	name = strings.NewReplacer("_", "-", ":", "-", "@", "-", " ", "-").Replace(name)
	name = strings.TrimPrefix(name, "meta-")
	return joined().ReplaceAllString(name, "$1-$2")
}

var (
	// joined is the name of a family written without a dash before its number.
	joined = lazy.Regexp(`^(llama|qwen|gemma|phi|claude)(\d)`)
	// harmless is what may follow a name without making it another model:
	// sizes, dates, quantisations, file formats and words of no weight.
	harmless = lazy.Regexp(`^(-(\d+(\.\d+)?[bm]|\d+x\d+b|a\d+b|e\d+b|v0\.[23]|v1|20\d{6}|20\d\d-\d\d-\d\d|[01]\d{3}|[01]\d-\d\d|00[12]` +
		`|latest|preview|exp|instruct|it|chat|text|hf|mlx|gguf|awq|gptq|qat|fp16|bf16|fp8|int[48]|[48]bit|i?q\d(-[0-9a-z]{1,2}){0,3}))*$`)
)
