package retrieve

import (
	"context"
	"fmt"
	"math"
	"unicode/utf8"

	"inlay/embed"
	"inlay/fault"
)

// embedTexts embeds passages and checks what comes back.
func (r *Retriever) embedTexts(ctx context.Context, texts []string) ([]embed.Vector, error) {
	vectors, err := r.embedder.Embed(ctx, embed.Document, texts)
	if err != nil {
		return nil, err
	}
	return vectors, r.check(vectors, len(texts))
}

// embedQuery embeds a query and checks its vector.
func (r *Retriever) embedQuery(ctx context.Context, query string) (embed.Vector, error) {
	vectors, err := r.embedder.Embed(ctx, embed.Query, []string{query})
	if err != nil {
		return nil, err
	}
	if err := r.check(vectors, 1); err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// check refuses what no index can hold, naming the embedder, and scales the
// vectors to unit length.
func (r *Retriever) check(vectors []embed.Vector, n int) error {
	spec := r.embedder.Spec()
	if len(vectors) != n {
		return brokenEmbedding("embedder "+spec.Model, fmt.Sprintf("gave %d vectors for %d texts", len(vectors), n))
	}
	for i, v := range vectors {
		unit(v)
		if err := CheckVector(fmt.Sprintf("vector %d of embedder %s", i+1, spec.Model), v, spec.Dimensions); err != nil {
			return err
		}
	}
	return nil
}

// unit scales v to length 1 if it has a finite length that is not 0.
func unit(v embed.Vector) {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) || math.Abs(length-1) < 1e-6 {
		return
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
}

// shortest is the length in bytes below which a text is not cut in two to
// please an embedder.
const shortest = 64

// embedHalves embeds a text that is too long for the embedder as the mean of
// its two halves, cut again where they are too long. Another cause than length
// is returned as it is.
func (r *Retriever) embedHalves(ctx context.Context, text string, cause error) (embed.Vector, error) {
	if !fault.Is(cause, fault.LimitExceeded) || len(text) < shortest {
		return nil, cause
	}
	cut := len(text) / 2
	for !utf8.RuneStart(text[cut]) {
		cut++
	}
	var sum embed.Vector
	for _, half := range []string{text[:cut], text[cut:]} {
		vectors, err := r.embedTexts(ctx, []string{half})
		var v embed.Vector
		if err == nil {
			v = vectors[0]
		} else if v, err = r.embedHalves(ctx, half, err); err != nil {
			return nil, err
		}
		if sum == nil {
			sum = make(embed.Vector, len(v))
		}
		for i, x := range v {
			sum[i] += x
		}
	}
	return sum, r.check([]embed.Vector{sum}, 1)
}
