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
const entryVersion = "entry2"

// entry is the head of a cache entry: JSON of its own length, before the
// vectors' float32 numbers in little-endian order. Compact vectors are the step of
// each chunk as a float32, then the 16-bit numbers of each block.
type entry struct {
	Embedder   string  `json:"embedder"` // fingerprint
	Dimensions int     `json:"dimensions"`
	Chunks     []Chunk `json:"chunks"`            // without Text
	Missing    []int   `json:"missing,omitempty"` // chunks without a vector, ascending
	Compact    bool    `json:"compact,omitempty"`
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
	data, err := encodeHead(e, 4*e.Dimensions*len(chunks))
	if err != nil {
		return nil, err
	}
	for _, v := range vectors {
		for _, x := range v {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
	}
	return data, nil
}

// encodeHead writes the head, with room for size bytes of vectors.
func encodeHead(e entry, size int) ([]byte, error) {
	head, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode passages: %w", err)
	}
	data := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(head)+size), uint32(len(head)))
	return append(data, head...), nil
}

// encodeCompact is encodeEntry for compact vectors.
func encodeCompact(chunks []Chunk, x *compactVectors, spec embed.Spec) ([]byte, error) {
	e := entry{Embedder: spec.Fingerprint, Chunks: make([]Chunk, len(chunks)), Compact: true}
	for i, c := range chunks {
		c.Text = ""
		e.Chunks[i] = c
	}
	if len(x.blocks) > 0 {
		e.Dimensions = len(x.blocks[0]) / blockChunks
	}
	data, err := encodeHead(e, 4*len(chunks)+2*e.Dimensions*blockChunks*len(x.blocks))
	if err != nil {
		return nil, err
	}
	for _, step := range x.step {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(step))
	}
	for _, block := range x.blocks {
		for _, code := range block {
			data = binary.LittleEndian.AppendUint16(data, uint16(code))
		}
	}
	return data, nil
}

// readCompact reads what encodeCompact wrote behind the head.
func readCompact(data []byte, e entry) (*compactVectors, error) {
	x := newCompactVectors(len(e.Chunks))
	block := 2 * e.Dimensions * blockChunks
	if e.Dimensions <= 0 || e.Dimensions > 1<<20 || len(data) != 4*len(x.step)+block*len(x.blocks) {
		return nil, errEntry
	}
	for i := range x.step {
		x.step[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if step := float64(x.step[i]); step < 0 || math.IsNaN(step) || math.IsInf(step, 0) {
			return nil, errEntry
		}
	}
	data = data[4*len(x.step):]
	for b := range x.blocks {
		codes := make([]int16, block/2)
		for i := range codes {
			codes[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
		}
		x.blocks[b], data = codes, data[block:]
	}
	return x, nil
}

// decodeHead reads the head of an entry, whose chunks get their texts, and returns
// what is behind it. An entry of another embedder or document is an error.
func decodeHead(data []byte, d parse.Document, spec embed.Spec) (e entry, rest []byte, err error) {
	if len(data) < 4 || uint64(len(data)-4) < uint64(binary.LittleEndian.Uint32(data)) {
		return e, nil, errEntry
	}
	n := 4 + int(binary.LittleEndian.Uint32(data))
	if err := json.Unmarshal(data[4:n], &e); err != nil {
		return e, nil, fmt.Errorf("decode passages: %w", err)
	}
	if e.Embedder != spec.Fingerprint || spec.Dimensions != 0 && e.Dimensions != spec.Dimensions && len(e.Missing) < len(e.Chunks) {
		return e, nil, errEntry
	}
	for i := range e.Chunks {
		c := &e.Chunks[i]
		if c.FileID != d.FileID || !c.fits(len(d.Text)) {
			return e, nil, errEntry
		}
		c.Text = c.textOf(d.Text)
	}
	return e, data[n:], nil
}

// decodeEntry reads an entry back: the chunks, and their vectors of either kind.
// One of another embedder, another document or another length is an error.
func decodeEntry(data []byte, d parse.Document, spec embed.Spec) ([]Chunk, []embed.Vector, *compactVectors, error) {
	e, rest, err := decodeHead(data, d, spec)
	if err != nil {
		return nil, nil, nil, err
	}
	if e.Compact {
		x, err := readCompact(rest, e)
		return e.Chunks, nil, x, err
	}
	vectors, err := readVectors(rest, e, spec)
	return e.Chunks, vectors, nil, err
}

// readVectors reads the vectors of the chunks that have one.
func readVectors(rest []byte, e entry, spec embed.Spec) ([]embed.Vector, error) {
	present := len(e.Chunks) - len(e.Missing)
	if present < 0 || e.Dimensions < 0 || e.Dimensions > 1<<20 || len(rest) != 4*e.Dimensions*present {
		return nil, errEntry
	}
	missing := map[int]bool{}
	for _, i := range e.Missing {
		missing[i] = true
	}
	if len(missing) != len(e.Missing) {
		return nil, errEntry
	}
	vectors := make([]embed.Vector, len(e.Chunks))
	for i := range vectors {
		if missing[i] {
			continue
		}
		if len(rest) < 4*e.Dimensions {
			return nil, errEntry
		}
		vectors[i], rest = readVector(rest, e.Dimensions)
		if err := CheckVector("a cached vector", vectors[i], spec.Dimensions); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

func readVector(data []byte, dimensions int) (embed.Vector, []byte) {
	v := make(embed.Vector, dimensions)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return v, data[4*dimensions:]
}
