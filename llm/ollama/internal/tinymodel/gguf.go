// Package tinymodel writes small, valid GGUF models for tests against real
// model servers: a bag-of-words embedder that truly retrieves, and chat models
// whose answer is known. They are a few hundred kilobytes, made from seeds, and
// the same bytes on every run.
package tinymodel

import (
	"bytes"
	"encoding/binary"
)

// The value types of GGUF version 3 that these models use, and its alignment.
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9

	alignment = 32
)

// gguf collects a model's settings and tensors in the order they are added.
// The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
type gguf struct {
	settings bytes.Buffer
	tensors  []tensor
	count    uint64
}

// tensor is a float32 matrix or vector; shape is fastest dimension first.
type tensor struct {
	name  string
	shape []int
	data  []float32
}

func (g *gguf) add(name string, data []float32, shape ...int) {
	g.tensors = append(g.tensors, tensor{name: name, shape: shape, data: data})
}

// set writes one key. The value's Go type names the GGUF type.
func (g *gguf) set(key string, value any) {
	g.count++
	putString(&g.settings, key)
	switch v := value.(type) {
	case uint32:
		put(&g.settings, uint32(typeUint32), v)
	case float32:
		put(&g.settings, uint32(typeFloat32), v)
	case bool:
		put(&g.settings, uint32(typeBool), v)
	case string:
		put(&g.settings, uint32(typeString))
		putString(&g.settings, v)
	case []int32:
		put(&g.settings, uint32(typeArray), uint32(typeInt32), uint64(len(v)), v)
	case []float32:
		put(&g.settings, uint32(typeArray), uint32(typeFloat32), uint64(len(v)), v)
	case []string:
		put(&g.settings, uint32(typeArray), uint32(typeString), uint64(len(v)))
		for _, s := range v {
			putString(&g.settings, s)
		}
	default:
		panic("tinymodel: no GGUF type for the value of " + key)
	}
}

// encode returns the whole file.
func (g *gguf) encode() []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	put(&b, uint32(3), uint64(len(g.tensors)), g.count)
	b.Write(g.settings.Bytes())
	offset := 0
	for _, t := range g.tensors {
		putString(&b, t.name)
		put(&b, uint32(len(t.shape)))
		for _, n := range t.shape {
			put(&b, uint64(n))
		}
		put(&b, uint32(0), uint64(offset)) // 0: float32
		offset += aligned(4 * len(t.data))
	}
	pad(&b)
	for _, t := range g.tensors {
		put(&b, t.data)
		pad(&b)
	}
	return b.Bytes()
}

func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

func pad(b *bytes.Buffer) { b.Write(make([]byte, aligned(b.Len())-b.Len())) }

func putString(b *bytes.Buffer, s string) {
	put(b, uint64(len(s)))
	b.WriteString(s)
}

// put writes fixed-size values; a bytes.Buffer cannot fail.
func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		if err := binary.Write(b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
}
