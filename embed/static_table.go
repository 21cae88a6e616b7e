package embed

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// staticTable is what model.safetensors holds: a vector for each row, and for
// each token a weight and a row where the table has been quantised by cluster.
type staticTable struct {
	dimensions int
	numbers    []float32 // row after row
	weights    []float32 // by token; nil means 1
	rows       []int32   // by token; nil means the token's own number
}

// tensor is an entry of a safetensors header.
type tensor struct {
	Type    string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
	data    []byte
}

// parseTable reads the safetensors format: the length of a JSON header in 8
// bytes, the header, the data it points into.
func parseTable(file []byte) (staticTable, error) {
	tensors, err := readTensors(file)
	if err != nil {
		return staticTable{}, err
	}
	vectors, ok := tensors["embeddings"]
	if !ok || len(vectors.Shape) != 2 || vectors.Shape[1] < 1 {
		return staticTable{}, errors.New("no tensor \"embeddings\" of two dimensions")
	}
	t := staticTable{dimensions: vectors.Shape[1]}
	if t.numbers, err = vectors.floats(); err != nil {
		return staticTable{}, fmt.Errorf("embeddings: %w", err)
	}
	for _, x := range t.numbers {
		if x != x || math.IsInf(float64(x), 0) {
			return staticTable{}, errors.New("embeddings: a number is not finite")
		}
	}
	if w, ok := tensors["weights"]; ok {
		if t.weights, err = w.floats(); err != nil {
			return staticTable{}, fmt.Errorf("weights: %w", err)
		}
	}
	if m, ok := tensors["mapping"]; ok {
		if t.rows, err = m.integers(); err != nil {
			return staticTable{}, fmt.Errorf("mapping: %w", err)
		}
	}
	return t, nil
}

func readTensors(file []byte) (map[string]tensor, error) {
	if len(file) < 8 || binary.LittleEndian.Uint64(file) > uint64(len(file)-8) {
		return nil, errors.New("not a safetensors file: its header is longer than the file")
	}
	end := 8 + int(binary.LittleEndian.Uint64(file))
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(file[8:end], &raw); err != nil {
		return nil, fmt.Errorf("safetensors header: %w", err)
	}
	body := file[end:]
	tensors := map[string]tensor{}
	for name, r := range raw {
		if name == "__metadata__" {
			continue
		}
		var t tensor
		if err := json.Unmarshal(r, &t); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		if t.Offsets[0] < 0 || t.Offsets[1] < t.Offsets[0] || t.Offsets[1] > int64(len(body)) {
			return nil, fmt.Errorf("tensor %q lies outside the file", name)
		}
		t.data = body[t.Offsets[0]:t.Offsets[1]]
		tensors[name] = t
	}
	return tensors, nil
}

// count is the number of elements, checked against the data.
func (t tensor) count(size int) (int, error) {
	n := 1
	for _, s := range t.Shape {
		if s < 0 || s > len(t.data) || n > len(t.data) {
			return 0, fmt.Errorf("shape %v does not fit its data", t.Shape)
		}
		n *= s
	}
	if n*size != len(t.data) {
		return 0, fmt.Errorf("shape %v does not fit its data", t.Shape)
	}
	return n, nil
}

func (t tensor) floats() ([]float32, error) {
	read, size := map[string]func(b []byte) float32{
		"F32": func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) },
		"F64": func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) },
		"F16": func(b []byte) float32 { return half(binary.LittleEndian.Uint16(b)) },
		"I8":  func(b []byte) float32 { return float32(int8(b[0])) },
	}[t.Type], map[string]int{"F32": 4, "F64": 8, "F16": 2, "I8": 1}[t.Type]
	if read == nil {
		return nil, fmt.Errorf("numbers of type %q", t.Type)
	}
	n, err := t.count(size)
	if err != nil {
		return nil, err
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = read(t.data[i*size:])
	}
	return out, nil
}

// half widens an IEEE 754 half-precision number.
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, int(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0:
		x := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(x) | sign)
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | uint32(exponent+112)<<23 | fraction<<13)
}

func (t tensor) integers() ([]int32, error) {
	size := map[string]int{"I32": 4, "I64": 8}[t.Type]
	if size == 0 {
		return nil, fmt.Errorf("numbers of type %q", t.Type)
	}
	n, err := t.count(size)
	if err != nil {
		return nil, err
	}
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(t.data[i*size:])) // the low half of an I64; covers checks its range
	}
	return out, nil
}

// covers reports whether every token has a weight and a row.
func (t staticTable) covers(ids map[string]int) error {
	have := len(t.numbers) / t.dimensions
	for _, row := range t.rows {
		if row < 0 || int(row) >= have {
			return fmt.Errorf("a token's row %d is not among %d", row, have)
		}
	}
	for _, id := range ids {
		if id < 0 || t.rows == nil && id >= have || t.rows != nil && id >= len(t.rows) || t.weights != nil && id >= len(t.weights) {
			return fmt.Errorf("token %d has no vector", id)
		}
	}
	return nil
}

// add adds a token's weighted vector to v.
func (t staticTable) add(v Vector, token int) {
	weight, row := float32(1), token
	if t.weights != nil {
		weight = t.weights[token]
	}
	if t.rows != nil {
		row = int(t.rows[token])
	}
	for i, x := range t.numbers[row*t.dimensions : (row+1)*t.dimensions] {
		v[i] += float32(weight * x)
	}
}
