package retrieve

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"inlay/embed"
	"inlay/parse"
)

// entryVersion changes with the form of cache entries.
const entryVersion = "entry1"

// entry is the head of a cache entry: JSON of its own length, before the
// vectors' float32 numbers in little-endian order.
type entry struct {
	Embedder   string  `json:"embedder"` // fingerprint
	Dimensions int     `json:"dimensions"`
	Chunks     []Chunk `json:"chunks"`            // without Text
	Missing    []int   `json:"missing,omitempty"` // chunks without a vector, ascending
}

var errEntry = errors.New("entry does not fit its document")

func encodeEntry(chunks []Chunk, vectors []embed.Vector, spec embed.Spec) ([]byte, error) {
	e := entry{Embedder: spec.Fingerprint, Chunks: make([]Chunk, len(chunks))}
	for i, c := range chunks {
		c.Text = ""
		e.Chunks[i] = c
		if vectors[i] == nil {
			e.Missing = append(e.Missing, i)
		} else {
			e.Dimensions = len(vectors[i])
		}
	}
	head, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode passages: %w", err)
	}
	data := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(head)+4*e.Dimensions*len(chunks)), uint32(len(head)))
	data = append(data, head...)
	for _, v := range vectors {
		for _, x := range v {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
	}
	return data, nil
}

// decodeEntry reads an entry back. An entry of another embedder, another
// document or another length is an error.
func decodeEntry(data []byte, d parse.Document, spec embed.Spec) ([]Chunk, []embed.Vector, error) {
	if len(data) < 4 || uint64(len(data)-4) < uint64(binary.LittleEndian.Uint32(data)) {
		return nil, nil, errEntry
	}
	n := 4 + int(binary.LittleEndian.Uint32(data))
	var e entry
	if err := json.Unmarshal(data[4:n], &e); err != nil {
		return nil, nil, fmt.Errorf("decode passages: %w", err)
	}
	rest := data[n:]
	if e.Embedder != spec.Fingerprint || spec.Dimensions != 0 && e.Dimensions != spec.Dimensions && len(e.Missing) < len(e.Chunks) {
		return nil, nil, errEntry
	}
	present := len(e.Chunks) - len(e.Missing)
	if present < 0 || e.Dimensions < 0 || e.Dimensions > 1<<20 || len(rest) != 4*e.Dimensions*present {
		return nil, nil, errEntry
	}
	missing := map[int]bool{}
	for _, i := range e.Missing {
		missing[i] = true
	}
	if len(missing) != len(e.Missing) {
		return nil, nil, errEntry
	}
	vectors := make([]embed.Vector, len(e.Chunks))
	for i := range e.Chunks {
		c := &e.Chunks[i]
		if c.FileID != d.FileID || c.Start < 0 || c.End < c.Start || c.End > len(d.Text) {
			return nil, nil, errEntry
		}
		c.Text = d.Text[c.Start:c.End]
		if missing[i] {
			continue
		}
		if len(rest) < 4*e.Dimensions {
			return nil, nil, errEntry
		}
		vectors[i], rest = readVector(rest, e.Dimensions)
		if err := CheckVector("a cached vector", vectors[i], spec.Dimensions); err != nil {
			return nil, nil, err
		}
	}
	return e.Chunks, vectors, nil
}

func readVector(data []byte, dimensions int) (embed.Vector, []byte) {
	v := make(embed.Vector, dimensions)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return v, data[4*dimensions:]
}
