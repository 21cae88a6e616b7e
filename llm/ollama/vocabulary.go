package ollama

import (
	"github.com/ollama/ollama/tokenizer"
)

// Pre-tokenizers of byte-level BPE vocabularies, as the models' own files and
// llama.cpp (src/llama-vocab.cpp) give them.
const (
	splitGPT2   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	splitQwen2  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	splitLlama3 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	splitTekken = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	splitGPT4o  = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// modelInfo is the model_info of a verbose show, which JSON leaves untyped.
type modelInfo map[string]any

func (i modelInfo) text(key string) string {
	s, _ := i[key].(string)
	return s
}

func (i modelInfo) number(key string) int {
	f, _ := i[key].(float64)
	return int(f)
}

func (i modelInfo) texts(key string) []string {
	list, _ := i[key].([]any)
	out := make([]string, 0, len(list))
	for _, v := range list {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

func (i modelInfo) flag(key string, otherwise bool) bool {
	if b, ok := i[key].(bool); ok {
		return b
	}
	return otherwise
}

// numbers reads a list of numbers, each as T.
func numbers[T int32 | float32](i modelInfo, key string) []T {
	list, _ := i[key].([]any)
	out := make([]T, 0, len(list))
	for _, v := range list {
		f, _ := v.(float64)
		out = append(out, T(f))
	}
	return out
}

// encoder turns text into ids.
type encoder interface {
	Encode(text string, first bool) ([]int32, error)
}

// vocabulary is a model's tokenizer in two readings: prompts, where the
// spelling of a special token is that token, and plain text, where it is text.
type vocabulary struct {
	prompts *stretches
	plain   *stretches
	ends    int // tokens around every prompt
	longest int // bytes of text in the longest token
}

// newVocabulary builds the tokenizer of a model; nil when its kind is not known.
func newVocabulary(i modelInfo) *vocabulary {
	values := i.texts("tokenizer.ggml.tokens")
	types := numbers[int32](i, "tokenizer.ggml.token_type")
	if len(values) < 5 || len(types) != len(values) {
		return nil
	}
	plain := make([]int32, len(types))
	for k, t := range types {
		plain[k] = t
		if t == tokenizer.TOKEN_TYPE_CONTROL || t == tokenizer.TOKEN_TYPE_USER_DEFINED {
			plain[k] = tokenizer.TOKEN_TYPE_NORMAL
		}
	}
	prompts := newTokenizer(i, values, types)
	if prompts == nil {
		return nil
	}
	byteLevel := i.text("tokenizer.ggml.model") == "gpt2"
	ends, err := prompts.Encode("", true)
	if err != nil {
		return nil
	}
	return &vocabulary{
		prompts: newStretches(prompts, cuttable(values, types, byteLevel, true)),
		plain:   newStretches(newTokenizer(i, values, plain), cuttable(values, types, byteLevel, false)),
		ends:    len(ends),
		longest: longest(values, types, byteLevel),
	}
}

func newTokenizer(i modelInfo, values []string, types []int32) encoder {
	pre := i.text("tokenizer.ggml.pre")
	v := &tokenizer.Vocabulary{
		Values: values, Types: types,
		Scores: numbers[float32](i, "tokenizer.ggml.scores"),
		Merges: i.texts("tokenizer.ggml.merges"),
		BOS:    []int32{int32(i.number("tokenizer.ggml.bos_token_id"))},
		EOS:    []int32{int32(i.number("tokenizer.ggml.eos_token_id"))},
		AddEOS: i.flag("tokenizer.ggml.add_eos_token", false),
	}
	switch i.text("tokenizer.ggml.model") {
	case "gpt2":
		v.AddBOS = i.flag("tokenizer.ggml.add_bos_token", pre == "llama-bpe" || pre == "llama3" || pre == "tekken")
		if newEngine(i.text("general.architecture")) {
			return tokenizer.NewBytePairEncoding(v, split(pre))
		}
		return newBytePairs(v, split(pre), pre == "llama-bpe" || pre == "llama3" || pre == "tekken")
	case "llama":
		if len(v.Scores) != len(values) {
			return nil
		}
		v.AddBOS = i.flag("tokenizer.ggml.add_bos_token", true)
		return tokenizer.NewSentencePiece(v)
	default:
		return nil
	}
}

// newEngine reports whether the server runs models of an architecture with its
// own engine and tokenizer instead of llama.cpp's: OllamaEngineRequired of
// fs/ggml, v0.24.
func newEngine(architecture string) bool {
	switch architecture {
	case "bert", "deepseek2", "deepseekocr", "gemma3", "gemma3n", "gemma4", "gptoss", "gpt-oss", "laguna", "llama4",
		"mistral3", "mllama", "nemotron_h", "nemotron_h_moe", "nemotron_h_omni", "nomic-bert", "olmo3", "qwen25vl",
		"qwen3", "qwen3moe", "qwen35", "qwen35moe", "qwen3next", "qwen3vl", "qwen3vlmoe", "glm4moelite", "glmocr", "lfm2", "lfm2moe":
		return true
	}
	return false
}

// split returns the pre-tokenizer that a vocabulary names. One it does not know
// gets the most common; the check against the server tells whether that was right.
func split(pre string) string {
	switch pre {
	case "", "default", "gpt-2", "gpt2", "olmo", "phi-2", "mpt", "exaone":
		return splitGPT2
	case "qwen2", "qwen35", "stablelm2", "deepseek-r1-qwen":
		return splitQwen2
	case "tekken":
		return splitTekken
	case "gpt-4o", "llama4":
		return splitGPT4o
	default:
		return splitLlama3
	}
}

// longest is how many bytes of text the longest token stands for.
func longest(values []string, types []int32, byteLevel bool) int {
	most := 0
	for k, value := range values {
		if types[k] == tokenizer.TOKEN_TYPE_CONTROL || types[k] == tokenizer.TOKEN_TYPE_BYTE {
			continue
		}
		n := 0
		for _, r := range value {
			n += textBytes(r, byteLevel)
		}
		most = max(most, n)
	}
	return most
}

// textBytes is how many bytes of text a character of a token stands for.
func textBytes(r rune, byteLevel bool) int {
	if byteLevel || r == '▁' {
		return 1
	}
	return len(string(r))
}

func isASCIILetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }
