package embed

import (
	"context"
	"math"
	"sync"

	"inlay/internal/lexis"
)

// BuiltinModel is the name of the built-in embedder.
const BuiltinModel = "builtin"

// Builtin embeds by the letters of words: every word is cut into overlapping
// groups of four letters, which are hashed into the vector with signs, weighted
// by how rare the word is in ordinary text. It has no notion of meaning, but
// inflected forms, compounds and misspellings get similar vectors. It needs no
// model and no network and gives the same vector everywhere.
type Builtin struct {
	lex     *lexis.Lexicon
	hashers sync.Pool // of *hasher: a batch goes on with the words of those before
}

const (
	builtinDimensions = 1024
	builtinThreshold  = 0.25 // see docs/retrieval.md for how it was measured
	builtinVersion    = "builtin2"
	gramRunes         = 4
	ordinaryWords     = 200     // of a passage of ordinary text
	remembered        = 100_000 // terms beyond which a hasher is not used again
)

// NewBuiltin returns the built-in embedder.
func NewBuiltin() *Builtin { return &Builtin{lex: lexis.Shared()} }

// Spec implements [Embedder].
func (b *Builtin) Spec() Spec {
	return Spec{
		Model: BuiltinModel, Dimensions: builtinDimensions, Threshold: builtinThreshold,
		Fingerprint: builtinVersion, Lexical: true,
	}
}

// Embed implements [Embedder]. Texts without a word all get one and the same
// vector, which is orthogonal to every other.
func (b *Builtin) Embed(ctx context.Context, _ Task, texts []string) ([]Vector, error) {
	h, ok := b.hashers.Get().(*hasher)
	if !ok || len(h.features) > remembered {
		h = &hasher{terms: b.lex.Analyzer(lexis.English), lex: b.lex}
	}
	defer b.hashers.Put(h)
	vectors := make([]Vector, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = h.embed(text)
	}
	return vectors, nil
}

// hasher embeds one batch and remembers the features of its terms.
type hasher struct {
	lex      *lexis.Lexicon
	terms    *lexis.Analyzer
	sequence []uint32
	features [][]feature // by term number
	counts   []float32   // by term number, zero between texts
}

// feature is one coordinate of a term.
type feature struct {
	at     uint16
	weight float32
}

func (h *hasher) embed(text string) Vector {
	h.sequence = h.terms.Append(h.sequence[:0], text)
	for len(h.features) < len(h.terms.Terms) {
		h.features = append(h.features, h.hash(h.terms.Terms[len(h.features)]))
		h.counts = append(h.counts, 0)
	}
	for _, id := range h.sequence {
		h.counts[id]++
	}
	v := make(Vector, builtinDimensions)
	for _, id := range h.sequence {
		n := h.counts[id]
		if n == 0 {
			continue // already added
		}
		h.counts[id] = 0
		often := 1 + float32(math.Log(float64(n)))
		for _, f := range h.features[id] {
			v[f.at] += float32(often * f.weight)
		}
	}
	if !normalise(v) {
		v[0] = 1
	}
	return v
}

// hash returns a term's groups of letters as coordinates 1 and up; coordinate 0
// is kept for texts without words. Together they have the length of the term's
// weight, its inverse document frequency in ordinary text.
func (h *hasher) hash(term string) []feature {
	common := 1000 * h.lex.Common(lexis.English, term, ordinaryWords)
	weight := math.Log(1 + (1000-common+.5)/(common+.5))
	runes := []rune("^" + term + "$")
	groups := max(1, len(runes)-gramRunes+1)
	each := float32(weight / math.Sqrt(float64(groups)))
	features := make([]feature, groups)
	for i := range features {
		x := fnv32(runes[i:min(i+gramRunes, len(runes))])
		f := feature{at: uint16(1 + x%(builtinDimensions-1)), weight: each}
		if x&(1<<31) != 0 {
			f.weight = -each
		}
		features[i] = f
	}
	return features
}

// fnv32 is FNV-1a over runes, its bits mixed once more.
func fnv32(runes []rune) uint32 {
	x := uint32(2166136261)
	for _, r := range runes {
		x = (x ^ uint32(r)) * 16777619
	}
	x ^= x >> 15
	x *= 0x2c1b3c6d
	return x ^ x>>12
}

// normalise scales v to unit length and reports whether it could: false for a
// zero vector or one with NaN or infinity.
func normalise(v Vector) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return true
}
