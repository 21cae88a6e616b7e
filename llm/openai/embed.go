package openai

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"inlay/embed"
	"inlay/llm/internal/embedding"
)

// Embedder embeds with a model behind an OpenAI-compatible API. It is safe for concurrent use.
type Embedder struct {
	*server

	spec  embed.Spec
	model embedding.Model
}

// defaultThreshold is SPEC INJ-10's for nomic-embed-text. Nothing is measured
// for other models.
const defaultThreshold = .5

// NewEmbedder embeds one word to learn the vectors' dimensions and returns the
// model as an embedder. Models of the nomic family get their task prefixes and
// lower-cased text. The API tells nothing of a model's window: Spec().MaxTokens
// is c.Length.
func NewEmbedder(ctx context.Context, c Config) (*Embedder, error) {
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	e := &Embedder{server: s}
	dimensions, err := embedding.Dimensions(ctx, e.send)
	if err != nil {
		return nil, fmt.Errorf("%s: learn the dimensions: %w", s.name(), err)
	}
	prefix := embedding.Prefix(c.Model, "")
	e.model = embedding.Model{
		Name: s.name(), Prefix: prefix, Lower: prefix != [2]string{} && !strings.Contains(c.Model, "v2"),
		Window: c.Length, Dimensions: dimensions, Send: e.send,
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%q\n%v", s.base.Host, c.Model, dimensions, prefix, e.model.Lower))
	e.spec = embed.Spec{
		Model: s.name(), Dimensions: dimensions, MaxTokens: c.Length, Threshold: defaultThreshold,
		Fingerprint: "openai-" + hex.EncodeToString(sum[:8]),
	}
	return e, nil
}

// ListedByLMStudio returns the embedding model that LM Studio lists and whose
// name holds part; empty if it has none or another kind of server answers.
func ListedByLMStudio(ctx context.Context, c Config, part string) (string, error) {
	s, err := newServer(c)
	if err != nil {
		return "", err
	}
	type model struct{ Key, ID, Type string }
	var list struct{ Models, Data []model }
	if err := s.ask(ctx, s.at("api/v1/models", true), nil, &list); err != nil {
		if !optional(err) {
			return "", err
		}
		if err := s.ask(ctx, s.at("api/v0/models", true), nil, &list); err != nil {
			return "", err
		}
	}
	for _, m := range slices.Concat(list.Models, list.Data) {
		if name := cmp.Or(m.Key, m.ID); strings.HasPrefix(m.Type, "embedding") && strings.Contains(name, part) {
			return name, nil
		}
	}
	return "", nil
}

// Spec implements [embed.Embedder].
func (e *Embedder) Spec() embed.Spec { return e.spec }

// Embed implements [embed.Embedder]. A text that is empty or longer than the
// model's window, and a vector of zeros or without a number, is an error that
// says which text it was, counted from 1.
func (e *Embedder) Embed(ctx context.Context, task embed.Task, texts []string) ([]embed.Vector, error) {
	return e.model.Embed(ctx, task, texts)
}

// indexed is one vector of an answer; servers may answer out of order.
type indexed struct {
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}

func (e *Embedder) send(ctx context.Context, texts []string) ([][]float32, error) {
	var out struct {
		Data []indexed `json:"data"`
	}
	err := e.ask(ctx, e.at("embeddings", false), map[string]any{
		"model": e.config.Model, "input": texts, "encoding_format": "float",
	}, &out)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(out.Data, func(a, b indexed) int { return cmp.Compare(a.Index, b.Index) })
	vectors := make([][]float32, len(out.Data))
	for i, d := range out.Data {
		vectors[i] = d.Embedding
	}
	return vectors, nil
}
