package tinymodel

import (
	"slices"
	"strings"
)

// ChatWindow is the chat models' trained context length in tokens.
const ChatWindow = 8192

// Answer is what [Chat] and [Llama3] say to every prompt.
const Answer = "The answer stands in passage [1]."

const chatSize = 64

// Chat returns a llama model with ChatML turns and GPT-2's pre-tokenizer that
// says [Answer] and stops.
func Chat() []byte {
	return chatModel(chatML(), saying(Answer))
}

// Endless returns a model like [Chat] that never stops on its own.
func Endless() []byte {
	return chatModel(chatML(), saying("on and on and"))
}

// Llama3 returns a model like [Chat] with the turns, special tokens,
// beginning-of-text token and pre-tokenizer of Llama 3.
func Llama3() []byte {
	return chatModel(llama3(), saying(Answer))
}

func llama3() family {
	return family{
		pre: "llama-bpe", bos: "<|begin_of_text|>", eos: "<|eot_id|>", last: "\n\n",
		specials: []string{"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"},
		template: `{{ bos_token }}{% for message in messages %}{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' + message['content'] + '<|eot_id|>' }}{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}`,
	}
}

// Call is what [Caller] says until it is shown a tool's result.
const Call = `{"name": "read_file", "parameters": {"path": "notes.md"}}`

// afterResult ends a prompt whose last message is a tool's result.
const afterResult = "<|result|>"

// Caller returns a model like [Llama3] that calls a tool, and says [Answer] once
// it has the result. Its prompts are made by [CallerTemplate].
func Caller() []byte {
	f := llama3()
	f.specials = append(f.specials, afterResult)
	says := saying(Answer)
	answer := append([]string{afterResult}, chain(f, says)[1:]...)
	return chainModel(f, says, []string{Call}, []string{visible(f.last), Call, f.eos}, answer)
}

// Llama3Template is the model's turns in Ollama's own template language.
const Llama3Template = `{{- range .Messages }}<|start_header_id|>{{ .Role }}<|end_header_id|>

{{ .Content }}<|eot_id|>{{ end }}<|start_header_id|>assistant<|end_header_id|>

`

// family is what tells one line of chat models from another.
type family struct {
	pre, bos, eos string
	last          string   // the last text of every prompt, one token: the answer follows it
	specials      []string // tokens that no text merges into
	template      string   // Jinja
}

func chatML() family {
	return family{
		pre: "gpt-2", eos: "<|im_end|>", last: "\n",
		specials: []string{"<|endoftext|>", "<|im_start|>", "<|im_end|>"},
		template: `{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`,
	}
}

// saying splits a sentence into the pieces that a model says one by one.
func saying(sentence string) []string {
	var out []string
	for i, w := range strings.Fields(sentence) {
		if i > 0 {
			w = " " + w
		}
		if head, tail, ok := strings.Cut(w, "[1]"); ok {
			out = append(out, head+"[", "1", "]"+tail)
			continue
		}
		out = append(out, w)
	}
	return out
}

// chatModel is a chain of tokens in the form of a llama: attention and feed
// forward add nothing, so what follows a token depends on that token alone.
func chatModel(f family, says []string) []byte {
	return chainModel(f, says, nil, chain(f, says))
}

// chainModel has the words and the defined tokens in its vocabulary, and follows
// the orders, which must not share a token.
func chainModel(f family, words, defined []string, orders ...[]string) []byte {
	v := train(trainingWords(append(slices.Clone(words), f.last)), 600)
	v.addSpecials(f.specials...)
	v.addDefined(defined...)
	const arch = "llama"
	g := &gguf{}
	g.set("general.architecture", arch)
	g.set("general.name", "tiny chat")
	g.set("general.file_type", uint32(0))
	g.set(arch+".block_count", uint32(1))
	g.set(arch+".context_length", uint32(ChatWindow))
	g.set(arch+".embedding_length", uint32(chatSize))
	g.set(arch+".feed_forward_length", uint32(chatSize))
	g.set(arch+".attention.head_count", uint32(2))
	g.set(arch+".attention.head_count_kv", uint32(2))
	g.set(arch+".attention.layer_norm_rms_epsilon", float32(1e-5))
	g.set(arch+".rope.dimension_count", uint32(chatSize/2))
	g.set(arch+".rope.freq_base", float32(10000))
	g.set(arch+".vocab_size", uint32(len(v.tokens)))
	g.set("tokenizer.ggml.model", "gpt2")
	g.set("tokenizer.ggml.pre", f.pre)
	g.set("tokenizer.ggml.tokens", v.tokens)
	g.set("tokenizer.ggml.token_type", v.types)
	g.set("tokenizer.ggml.merges", v.merges)
	g.set("tokenizer.ggml.add_bos_token", f.bos != "")
	bos := f.bos
	if bos == "" {
		bos = f.specials[0]
	}
	g.set("tokenizer.ggml.bos_token_id", uint32(v.id(bos)))
	g.set("tokenizer.ggml.eos_token_id", uint32(v.id(f.eos)))
	g.set("tokenizer.chat_template", f.template)
	addLayers(g, v, orders)
	return g.encode()
}

// chain is the order of tokens: the prompt's last, then the saying, then the end.
// A saying that comes back to its beginning has no end.
func chain(f family, says []string) []string {
	out := []string{visible(f.last)}
	for _, s := range says {
		out = append(out, visible(s))
	}
	if !slices.Contains(out[:len(out)-1], out[len(out)-1]) {
		out = append(out, f.eos)
	}
	return out
}

// addLayers writes the weights. A token's output row is the vector of the token
// before it, so its score is highest exactly there.
func addLayers(g *gguf, v *vocabulary, orders [][]string) {
	const d = chatSize
	vectors := normals("tokens", d*len(v.tokens))
	output := make([]float32, d*len(v.tokens))
	for _, order := range orders {
		for i := range len(order) - 1 {
			from, to := v.id(order[i]), v.id(order[i+1])
			for k := range d {
				output[to*d+k] += vectors[from*d+k]
			}
		}
	}
	g.add("token_embd.weight", vectors, d, len(v.tokens))
	g.add("output_norm.weight", ones(d), d)
	g.add("output.weight", output, d, len(v.tokens))
	g.add("blk.0.attn_norm.weight", ones(d), d)
	g.add("blk.0.ffn_norm.weight", ones(d), d)
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"} {
		g.add("blk.0."+name+".weight", make([]float32, d*d), d, d)
	}
}

// trainingWords is the text that the vocabulary is learned from. What must be
// one token weighs most.
func trainingWords(whole []string) map[string]int {
	words := map[string]int{}
	for _, w := range whole {
		words[w] += 1000
	}
	content, _ := directions()
	for _, w := range append(strings.Fields(stopWords), content...) {
		words[" "+w] += 4
		words[w] += 2
		words[strings.ToUpper(w[:1])+w[1:]] += 2
	}
	for _, w := range []string{"é", "ü", "東", "京", "的", "…", "—", "2024", "1000", " =", "==", "():", "\n\n", "    ", " //", "ing", "tion"} {
		words[w] += 3
	}
	return words
}

// ToolsTemplate is Llama3Template with the tools of a request in front.
const ToolsTemplate = `{{- if .Tools }}<|start_header_id|>system<|end_header_id|>

You may call:{{ range .Tools }}
{{ . }}{{ end }}<|eot_id|>{{ end }}
{{- range .Messages }}<|start_header_id|>{{ .Role }}<|end_header_id|>

{{ .Content }}{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "parameters": {{ .Function.Arguments }}}{{ end }}<|eot_id|>{{ end }}<|start_header_id|>assistant<|end_header_id|>

`

// CallerTemplate is ToolsTemplate with a mark behind a tool's result.
const CallerTemplate = `{{- if .Tools }}<|start_header_id|>system<|end_header_id|>

You may call:{{ range .Tools }}
{{ . }}{{ end }}<|eot_id|>{{ end }}
{{- $last := "" }}{{ range .Messages }}{{ $last = .Role }}<|start_header_id|>{{ .Role }}<|end_header_id|>

{{ .Content }}{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "parameters": {{ .Function.Arguments }}}{{ end }}<|eot_id|>{{ end }}<|start_header_id|>assistant<|end_header_id|>

{{ if eq $last "tool" }}<|result|>{{ end }}`
