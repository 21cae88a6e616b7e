package retrieve

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"inlay/embed"
	"inlay/fault"
)

// lengthTolerance is how far from 1 the length of a unit vector of float32 may
// be. Rounding a vector of 4096 numbers leaves it within 1e-6; models that
// answer in float16 within 1e-3.
const lengthTolerance = 2e-3

// CheckVectors is what every [Index] asks of the arguments of Add: a vector for
// each chunk, every chunk with an id and a file, every vector a unit vector of
// the given number of dimensions, or of one number when dimensions is 0. It
// returns the number of dimensions. Vectors of another number are
// fault.EmbedderMismatch; all else that is wrong is fault.Internal.
func CheckVectors(chunks []Chunk, vectors []embed.Vector, dimensions int) (int, error) {
	if len(chunks) != len(vectors) {
		return 0, brokenEmbedding("index", fmt.Sprintf("got %d chunks and %d vectors", len(chunks), len(vectors)))
	}
	for i, c := range chunks {
		if c.ID == "" || c.FileID == "" {
			return 0, brokenEmbedding("index", fmt.Sprintf("chunk number %d has no id or no file id", i))
		}
		if dimensions == 0 {
			dimensions = len(vectors[i])
		}
		if err := CheckVector("the vector of "+c.ID, vectors[i], dimensions); err != nil {
			return 0, err
		}
	}
	return dimensions, nil
}

// CheckVector reports whether v, which name names, is a unit vector of the
// given number of dimensions, with the codes of [CheckVectors]. Dimensions 0
// allows any number.
func CheckVector(name string, v embed.Vector, dimensions int) error {
	if dimensions != 0 && len(v) != dimensions {
		return &fault.Error{
			Code: fault.EmbedderMismatch, Subject: name,
			Reason: fmt.Sprintf("has %d dimensions, the index has %d", len(v), dimensions),
			Next:   "use the embedder the index was made with, or rebuild the index",
		}
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	switch length := math.Sqrt(sum); {
	case math.IsNaN(length), math.IsInf(length, 0):
		return brokenEmbedding(name, "holds a number that is not finite")
	case length == 0:
		return brokenEmbedding(name, "is zero or empty and points nowhere")
	case math.Abs(length-1) > lengthTolerance:
		return brokenEmbedding(name, fmt.Sprintf("has length %.3g, not 1", length))
	}
	return nil
}

func brokenEmbedding(subject, reason string) error {
	return &fault.Error{Code: fault.Internal, Subject: subject, Reason: reason, Next: "the embedder that made it is broken"}
}

// SearchOrder is what a [Query]'s Files ask for of the files an index holds,
// each once, in the order that breaks ties: as asked, or by id when nil asks for
// all.
func SearchOrder[T any](asked []string, held map[string]T) []string {
	if asked == nil {
		return slices.Sorted(maps.Keys(held))
	}
	var ids []string
	seen := map[string]bool{}
	for _, id := range asked {
		if _, ok := held[id]; ok && !seen[id] {
			ids = append(ids, id)
		}
		seen[id] = true
	}
	return ids
}
