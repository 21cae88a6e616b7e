package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"inlay/fault"
)

// Static embeds texts as the mean of one vector for each of their tokens,
// looked up in a table: model2vec's layout, a folder with model.safetensors
// and tokenizer.json. It needs no server and is deterministic.
type Static struct {
	spec  Spec
	table staticTable
	words wordPieces
}

// staticThreshold is a cosine that separates related sentences from unrelated
// ones with the small table that inlay is tested with; docs/retrieval.md says
// how it was measured. Other tables may want another.
const staticThreshold = 0.7

// OpenStatic reads a static table from a folder. A missing file is
// fault.FileNotFound, a damaged or unknown one fault.Corrupt.
func OpenStatic(dir string) (*Static, error) {
	weights, err := readStatic(dir, "model.safetensors")
	if err != nil {
		return nil, err
	}
	vocabulary, err := readStatic(dir, "tokenizer.json")
	if err != nil {
		return nil, err
	}
	s := &Static{}
	if s.table, err = parseTable(weights); err != nil {
		return nil, damagedStatic(dir, "model.safetensors", err)
	}
	if s.words, err = parseWordPieces(vocabulary); err != nil {
		return nil, damagedStatic(dir, "tokenizer.json", err)
	}
	if err := s.table.covers(s.words.ids); err != nil {
		return nil, damagedStatic(dir, "tokenizer.json", err)
	}
	sum := sha256.New()
	sum.Write(weights)
	sum.Write(vocabulary)
	s.spec = Spec{
		Model: "static:" + filepath.Base(filepath.Clean(dir)), Dimensions: s.table.dimensions,
		Threshold: staticThreshold, Fingerprint: "static1 " + hex.EncodeToString(sum.Sum(nil)[:16]),
	}
	return s, nil
}

func readStatic(dir, name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, &fault.Error{
			Code: fault.CodeOf(err), Subject: "static embedder " + dir, Reason: name + " cannot be read",
			Next: "name a folder with model.safetensors and tokenizer.json", Err: err,
		}
	}
	return data, nil
}

func damagedStatic(dir, name string, err error) error {
	return &fault.Error{
		Code: fault.Corrupt, Subject: "static embedder " + dir, Reason: name + ": " + err.Error(),
		Next: "copy the table again, in model2vec's layout", Err: err,
	}
}

// Spec implements [Embedder].
func (s *Static) Spec() Spec { return s.spec }

// Embed implements [Embedder]. A text without any known token gets the vector
// of the first axis.
func (s *Static) Embed(ctx context.Context, _ Task, texts []string) ([]Vector, error) {
	vectors := make([]Vector, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed with %s: %w", s.spec.Model, err)
		}
		v := make(Vector, s.table.dimensions)
		s.words.each(text, func(id int) { s.table.add(v, id) })
		if !normalise(v) {
			clear(v)
			v[0] = 1
		}
		vectors[i] = v
	}
	return vectors, nil
}
