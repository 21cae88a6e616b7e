package service

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"inlay/embed"
	"inlay/fault"
	"inlay/internal/upstream"
	"inlay/llm"
)

// Bounds of one request for embeddings: as many texts as the OpenAI API takes.
const (
	maxEmbedded      = 2048
	maxEmbeddedBytes = 4 << 20
)

// Embedded are the vectors of texts.
type Embedded struct {
	Model   string // that made them
	Vectors []embed.Vector
	Tokens  int // of all texts, counted as OpenAI's newer models do
}

// Embed embeds texts by the configured embedder, or the built-in one where the
// model is [embed.BuiltinModel]. dimensions is what the caller expects; 0: any.
func (s *Service) Embed(ctx context.Context, model string, texts []string, task embed.Task, dimensions int) (Embedded, error) {
	e, err := s.embedder(model)
	if err != nil {
		return Embedded{}, err
	}
	spec := e.Spec()
	if dimensions != 0 && dimensions != spec.Dimensions {
		return Embedded{}, fault.Invalid("dimensions", fmt.Sprintf("%d, which is what %s has, or none", spec.Dimensions, spec.Model))
	}
	if err := checkEmbedded(texts); err != nil {
		return Embedded{}, err
	}
	out := Embedded{Model: spec.Model}
	if out.Vectors, err = e.Embed(ctx, task, texts); err != nil {
		return Embedded{}, err
	}
	counter, err := s.counters.Encoding("o200k_base")
	if err != nil {
		return Embedded{}, err
	}
	for _, text := range texts {
		out.Tokens += counter.Count(text).N
	}
	return out, nil
}

func checkEmbedded(texts []string) error {
	n := 0
	for i, text := range texts {
		if text == "" {
			return fault.Invalid(fmt.Sprintf("input[%d]", i), "a text that is not empty")
		}
		n += len(text)
	}
	switch {
	case len(texts) == 0:
		return fault.Invalid("input", "a text or a list of texts")
	case len(texts) > maxEmbedded:
		return &fault.Error{Code: fault.LimitExceeded, Subject: "input", Reason: fmt.Sprintf("has %d texts, at most %d are allowed", len(texts), maxEmbedded), Next: "send several requests"}
	case n > maxEmbeddedBytes:
		return &fault.Error{Code: fault.LimitExceeded, Subject: "input", Reason: fmt.Sprintf("has %d bytes, at most %d are allowed", n, maxEmbeddedBytes), Next: "send several requests"}
	}
	return nil
}

// embedder finds an embedder by its name, with or without its provider.
func (s *Service) embedder(name string) (embed.Embedder, error) {
	if err := upstream.CheckName(name); err != nil {
		return nil, err
	}
	configured := s.config.Embedder
	if configured == nil {
		configured = s.builtin
	}
	of := configured.Spec().Model
	_, model := llm.SplitModel(of)
	switch strings.TrimSuffix(name, ":latest") {
	case "":
		want := embed.BuiltinModel
		if of != want {
			want += " or " + of
		}
		return nil, &fault.Error{Code: fault.Usage, Subject: "model", Reason: "is missing", Next: "want " + want}
	case of, strings.TrimSuffix(of, ":latest"), strings.TrimSuffix(cmp.Or(model, of), ":latest"):
		return configured, nil
	case embed.BuiltinModel:
		return s.builtin, nil
	}
	next := "use builtin, or start the server with --embedder"
	if of != embed.BuiltinModel {
		next = "use " + of + " or builtin"
	}
	return nil, &fault.Error{Code: fault.ModelNotFound, Subject: "model " + name, Reason: "this server embeds with " + of, Next: next}
}
