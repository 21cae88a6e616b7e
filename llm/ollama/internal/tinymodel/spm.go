package tinymodel

import "fmt"

// Sentence returns a llama model with a SentencePiece vocabulary, as Llama 2
// had. Its server puts a space before the text, which counting in process
// does not know: it is here to prove that such a count is not called exact.
func Sentence() []byte {
	v := &vocabulary{}
	add := func(token string, kind int32) {
		v.tokens = append(v.tokens, token)
		v.types = append(v.types, kind)
	}
	add("<unk>", tokenUnknown)
	add("<s>", tokenControl)
	add("</s>", tokenControl)
	for c := range 256 {
		add(fmt.Sprintf("<0x%02X>", c), tokenByte)
	}
	for c := byte('!'); c <= '~'; c++ {
		add(string(c), tokenNormal)
	}
	for _, t := range []string{"▁", "▁t", "he", "▁the", "an", "in", "er", "▁an", "▁and", "on", "▁is"} {
		add(t, tokenNormal)
	}
	scores := make([]float32, len(v.tokens))
	for i := range scores {
		scores[i] = -float32(i)
	}
	const arch = "llama"
	g := &gguf{}
	g.set("general.architecture", arch)
	g.set("general.name", "tiny sentence")
	g.set("general.file_type", uint32(0))
	g.set(arch+".block_count", uint32(1))
	g.set(arch+".context_length", uint32(2048))
	g.set(arch+".embedding_length", uint32(chatSize))
	g.set(arch+".feed_forward_length", uint32(chatSize))
	g.set(arch+".attention.head_count", uint32(2))
	g.set(arch+".attention.head_count_kv", uint32(2))
	g.set(arch+".attention.layer_norm_rms_epsilon", float32(1e-5))
	g.set(arch+".rope.dimension_count", uint32(chatSize/2))
	g.set(arch+".vocab_size", uint32(len(v.tokens)))
	g.set("tokenizer.ggml.model", "llama")
	g.set("tokenizer.ggml.tokens", v.tokens)
	g.set("tokenizer.ggml.scores", scores)
	g.set("tokenizer.ggml.token_type", v.types)
	g.set("tokenizer.ggml.bos_token_id", uint32(1))
	g.set("tokenizer.ggml.eos_token_id", uint32(2))
	g.set("tokenizer.ggml.unknown_token_id", uint32(0))
	addLayers(g, v, [][]string{{"<0x0A>", "▁is", "</s>"}})
	return g.encode()
}
