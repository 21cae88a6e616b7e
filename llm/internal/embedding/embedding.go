// Package embedding is what embedding with any model server has in common:
// prefixes, batches, finding the text that is too long, and checking vectors.
package embedding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"inlay/embed"
	"inlay/fault"
)

// Model embeds texts through Send.
type Model struct {
	Name       string    // for errors
	Prefix     [2]string // put before each text, by embed.Task
	Lower      bool      // send lower-cased text, for vocabularies without capital letters
	Window     int       // tokens of the longest text, for errors; 0: unknown
	Dimensions int       // of every vector; 0: not checked
	Send       Send
}

// Send has a server embed a few texts. A refusal for length is fault.DoesNotFit.
type Send func(ctx context.Context, texts []string) ([][]float32, error)

// BatchSize is how many texts go into one request.
const BatchSize = 32

// Prefix returns the task prefixes that models of the nomic family were
// trained with; other models get none.
func Prefix(model, architecture string) [2]string {
	if strings.HasPrefix(architecture, "nomic-bert") || strings.Contains(strings.ToLower(model), "nomic-embed") {
		return [2]string{embed.Document: "search_document: ", embed.Query: "search_query: "}
	}
	return [2]string{}
}

// Embed embeds texts in order. A text that is empty or longer than the model's
// window, and a vector of zeros or without a number, is an error that says
// which text it was, counted from 1.
func (m Model) Embed(ctx context.Context, task embed.Task, texts []string) ([]embed.Vector, error) {
	input := make([]string, len(texts))
	for i, t := range texts {
		if strings.TrimSpace(t) == "" {
			return nil, m.fault(fault.Usage, fmt.Sprintf("text %d of %d is empty", i+1, len(texts)), "leave empty texts out")
		}
		input[i] = m.Prefix[task] + t
		if m.Lower {
			input[i] = strings.ToLower(input[i])
		}
	}
	out := make([]embed.Vector, 0, len(input))
	for batch := range slices.Chunk(input, BatchSize) {
		vectors, err := m.batch(ctx, batch, len(out), len(input))
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
	}
	return out, nil
}

// batch embeds texts of a list whose first done are embedded. A batch refused
// for length is halved until the text that is too long is found.
func (m Model) batch(ctx context.Context, texts []string, done, all int) ([]embed.Vector, error) {
	raw, err := m.Send(ctx, texts)
	switch {
	case err == nil:
		return m.check(raw, len(texts), done, all)
	case !fault.Is(err, fault.DoesNotFit):
		return nil, err
	case len(texts) == 1:
		return nil, m.tooLong(err, done+1, all)
	}
	half := len(texts) / 2
	left, err := m.batch(ctx, texts[:half], done, all)
	if err != nil {
		return nil, err
	}
	right, err := m.batch(ctx, texts[half:], done+half, all)
	return append(left, right...), err
}

func (m Model) tooLong(err error, n, all int) error {
	window := "window"
	if m.Window > 0 {
		window = fmt.Sprintf("window of %d tokens", m.Window)
	}
	f := m.fault(fault.DoesNotFit, fmt.Sprintf("text %d of %d is longer than the embedding model's %s", n, all, window),
		"use smaller chunks, or an embedding model with a larger window")
	f.Err = err
	return f
}

func (m Model) check(raw [][]float32, asked, done, all int) ([]embed.Vector, error) {
	if len(raw) != asked {
		return nil, m.fault(fault.Internal, fmt.Sprintf("the server gave %d vectors for %d texts", len(raw), asked), "the server's log says more")
	}
	out := make([]embed.Vector, asked)
	for i, v := range raw {
		if why := unit(v, m.Dimensions); why != "" {
			return nil, m.fault(fault.Internal, fmt.Sprintf("the vector of text %d of %d %s", done+i+1, all, why),
				"the model does not know this text; use another embedding model")
		}
		out[i] = v
	}
	return out, nil
}

func (m Model) fault(code fault.Code, reason, next string) *fault.Error {
	return &fault.Error{Code: code, Subject: m.Name, Reason: reason, Next: next}
}

// unit scales v to length 1, or says why it cannot.
func unit(v []float32, dimensions int) (why string) {
	if dimensions > 0 && len(v) != dimensions {
		return fmt.Sprintf("has %d dimensions, not %d", len(v), dimensions)
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return "is not a number"
	}
	if sum == 0 {
		return "is all zeros"
	}
	scale := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * scale)
	}
	return ""
}

// ErrEmpty is what [Dimensions] returns for a server that gives no vector.
var ErrEmpty = errors.New("the server gave no vector")

// Dimensions asks for the vector of one word to learn how long vectors are.
func Dimensions(ctx context.Context, send Send) (int, error) {
	raw, err := send(ctx, []string{"word"})
	if err != nil {
		return 0, err
	}
	if len(raw) != 1 || len(raw[0]) == 0 {
		return 0, ErrEmpty
	}
	return len(raw[0]), nil
}
