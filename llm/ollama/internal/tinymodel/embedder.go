package tinymodel

import "strings"

// EmbedderWindow is the embedder's context length in tokens.
const EmbedderWindow = 512

const embedderSize = 128

// Embedder returns a nomic-bert model of one block that does nothing: a text's
// vector is the mean of its word vectors. Words of one meaning share a vector,
// stop words have none, and unknown words are spelled in letter pairs with
// vectors of their own, so nearness of texts means shared words.
func Embedder() []byte {
	const arch, d = "nomic-bert", embedderSize
	tokens, vectors := embedderVocabulary()
	g := &gguf{}
	g.set("general.architecture", arch)
	g.set("general.name", "tiny bag of words")
	g.set("general.file_type", uint32(0))
	g.set(arch+".block_count", uint32(1))
	g.set(arch+".context_length", uint32(EmbedderWindow))
	g.set(arch+".embedding_length", uint32(d))
	g.set(arch+".feed_forward_length", uint32(d))
	g.set(arch+".attention.head_count", uint32(2))
	g.set(arch+".attention.layer_norm_epsilon", float32(1e-12))
	g.set(arch+".attention.causal", false)
	g.set(arch+".pooling_type", uint32(1)) // mean
	g.set(arch+".rope.freq_base", float32(1000))
	embedderTokenizer(g, tokens)

	zeros := func(n int) []float32 { return make([]float32, n) }
	g.add("token_embd.weight", vectors, d, len(tokens))
	g.add("token_types.weight", zeros(2*d), d, 2)
	g.add("token_embd_norm.weight", ones(d), d)
	g.add("token_embd_norm.bias", zeros(d), d)
	g.add("blk.0.attn_qkv.weight", zeros(3*d*d), d, 3*d)
	g.add("blk.0.attn_output.weight", zeros(d*d), d, d)
	g.add("blk.0.attn_output_norm.weight", ones(d), d)
	g.add("blk.0.attn_output_norm.bias", zeros(d), d)
	g.add("blk.0.ffn_up.weight", zeros(d*d), d, d)
	g.add("blk.0.ffn_gate.weight", zeros(d*d), d, d)
	g.add("blk.0.ffn_down.weight", zeros(d*d), d, d)
	g.add("blk.0.layer_output_norm.weight", ones(d), d)
	g.add("blk.0.layer_output_norm.bias", zeros(d), d)
	return g.encode()
}

// embedderTokenizer declares a BERT vocabulary with its five special tokens first.
func embedderTokenizer(g *gguf, tokens []string) {
	types := make([]int32, len(tokens))
	for i := range types {
		types[i] = tokenNormal
		if i < 5 {
			types[i] = tokenControl
		}
	}
	g.set("tokenizer.ggml.model", "bert")
	g.set("tokenizer.ggml.pre", "jina-v2-en")
	g.set("tokenizer.ggml.token_type_count", uint32(2))
	g.set("tokenizer.ggml.tokens", tokens)
	g.set("tokenizer.ggml.scores", make([]float32, len(tokens)))
	g.set("tokenizer.ggml.token_type", types)
	for i, name := range []string{"padding", "unknown", "cls", "separator", "mask"} {
		g.set("tokenizer.ggml."+name+"_token_id", uint32(i))
	}
	g.set("tokenizer.ggml.bos_token_id", uint32(2))
	g.set("tokenizer.ggml.eos_token_id", uint32(3))
	g.set("tokenizer.ggml.seperator_token_id", uint32(3)) // older readers know this spelling
}

// embedderVocabulary returns the tokens and, flat, their vectors.
func embedderVocabulary() (tokens []string, vectors []float32) {
	const start = "\u2581" // marks the beginning of a word
	seen := map[string]bool{}
	add := func(token, direction string) {
		if seen[token] {
			return
		}
		seen[token] = true
		tokens = append(tokens, token)
		v := make([]float32, embedderSize)
		if direction != "" {
			v = normals(direction, embedderSize)
		}
		vectors = append(vectors, v...)
	}
	for _, special := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} {
		add(special, "")
	}
	for w := range strings.FieldsSeq(stopWords) {
		add(start+w, "")
	}
	words, direction := directions()
	for _, w := range words {
		add(start+w, "word "+direction[w])
	}
	for c := byte('!'); c <= '~'; c++ {
		add(start+string(c), "")
		add(string(c), "")
	}
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			pair := string(a) + string(b)
			add(start+pair, "start "+pair)
			add(pair, "pair "+pair)
		}
	}
	return tokens, vectors
}
