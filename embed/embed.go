// Package embed turns texts into unit vectors.
//
// Its import path ends like the standard library's embed; files that carry
// data import that one under the name stdembed.
package embed

import "context"

// Vector is an embedding. Vectors that leave this module's embedders have unit
// length and no NaN.
type Vector []float32

// Task says what a text is embedded for; many models want another prefix for each.
type Task uint8

// The two tasks.
const (
	Document Task = iota
	Query
)

// Embedder embeds texts. Implementations are safe for concurrent use.
type Embedder interface {
	Spec() Spec
	// Embed returns one unit vector per text, in order, or an error; it never
	// returns fewer. Texts longer than Spec().MaxTokens are an error.
	Embed(ctx context.Context, task Task, texts []string) ([]Vector, error)
}

// Spec describes an embedder.
type Spec struct {
	Model       string  // "builtin", "ollama:nomic-embed-text"
	Dimensions  int     // of every vector
	MaxTokens   int     // of one text by the embedder's own measure; 0 means no limit
	Threshold   float64 // recommended affinity threshold, 0..1
	Fingerprint string  // changes whenever the same text would get another vector
	Lexical     bool    // vectors hold the letters of words and no meaning: affinity is judged by words, not by cosine
}
