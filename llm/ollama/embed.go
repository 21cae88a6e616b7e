package ollama

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ollama/ollama/api"

	"inlay/embed"
	"inlay/llm/internal/embedding"
)

// Embedder embeds with a model on an Ollama server. It is safe for concurrent use.
type Embedder struct {
	*server

	spec  embed.Spec
	model embedding.Model
}

const (
	// longestEmbedding bounds num_ctx of embedding models trained on very long
	// texts: the server reserves memory for all of it.
	longestEmbedding = 8192
	// overhead is kept free of a text's tokens for the prefix and the two
	// tokens around every text.
	overhead = 12
	// defaultThreshold is SPEC INJ-10's for nomic-embed-text. Nothing is
	// measured for other models.
	defaultThreshold = .5
)

// NewEmbedder asks the server about the model and returns it as an embedder.
// Models of the nomic family get their task prefixes; models whose vocabulary
// has no capital letters get lower-cased text, since the server does not
// lower-case for them and would read every capitalised word as unknown.
func NewEmbedder(ctx context.Context, c Config) (*Embedder, error) {
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	show, err := s.api.Show(ctx, &api.ShowRequest{Model: c.Model})
	if err != nil {
		return nil, s.explain(err)
	}
	info := modelInfo(show.ModelInfo)
	arch := info.text("general.architecture")
	e := &Embedder{server: s}
	e.model = embedding.Model{
		Name: s.name(), Prefix: embedding.Prefix(c.Model, arch), Send: e.send, Window: c.Length,
		Lower:      (arch == "nomic-bert" || arch == "bert") && info.text("tokenizer.ggml.model") == "bert",
		Dimensions: info.number(arch + ".embedding_length"),
	}
	if c.Length == 0 {
		e.model.Window = min(info.number(arch+".context_length"), longestEmbedding)
	}
	digest, err := s.listedDigest(ctx)
	if err != nil {
		return nil, err
	}
	e.spec = embed.Spec{
		Model: s.name(), Dimensions: e.model.Dimensions, Threshold: defaultThreshold,
		MaxTokens: max(0, e.model.Window-overhead), Fingerprint: e.fingerprint(digest),
	}
	return e, nil
}

// Listed returns the name under which the server has the model c.Model, whatever
// its tag; empty if it has none.
func Listed(ctx context.Context, c Config) (string, error) {
	s, err := newServer(c)
	if err != nil {
		return "", err
	}
	list, err := s.api.List(ctx)
	if err != nil {
		return "", s.explain(err)
	}
	for _, m := range list.Models {
		if name, _, _ := strings.Cut(m.Model, ":"); name == c.Model {
			return strings.TrimSuffix(m.Model, ":latest"), nil
		}
	}
	return "", nil
}

// listedDigest names the model's bytes.
func (s *server) listedDigest(ctx context.Context) (string, error) {
	list, err := s.api.List(ctx)
	if err != nil {
		return "", s.explain(err)
	}
	for _, m := range list.Models {
		if sameModel(m.Model, s.config.Model) {
			return m.Digest, nil
		}
	}
	return "", nil
}

func (e *Embedder) fingerprint(digest string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%q\n%v\n%d", e.config.Model, digest, e.model.Prefix, e.model.Lower, e.model.Window))
	return "ollama-" + hex.EncodeToString(sum[:8])
}

// Spec implements [embed.Embedder].
func (e *Embedder) Spec() embed.Spec { return e.spec }

// Embed implements [embed.Embedder]. A text that is empty or longer than the
// model's window, and a vector of zeros or without a number, is an error that
// says which text it was, counted from 1.
func (e *Embedder) Embed(ctx context.Context, task embed.Task, texts []string) ([]embed.Vector, error) {
	return e.model.Embed(ctx, task, texts)
}

func (e *Embedder) send(ctx context.Context, texts []string) ([][]float32, error) {
	never := false
	resp, err := e.api.Embed(ctx, &api.EmbedRequest{
		Model: e.config.Model, Input: texts, Truncate: &never, KeepAlive: e.keepAlive(),
		Options: map[string]any{"num_ctx": e.model.Window},
	})
	if err != nil {
		return nil, e.explain(err)
	}
	return resp.Embeddings, nil
}
