package httpapi_test

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEmbeddings: vectors as numbers and as base64, which are the same.
func TestEmbeddings(t *testing.T) {
	s := start(t, setup{})
	var numbers struct {
		Model string
		Data  []struct {
			Index     int
			Embedding []float64
		}
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		}
	}
	got := s.do("POST", "/v1/embeddings", "", map[string]any{"model": "builtin", "input": []string{"the notice period", "a boat"}, "dimensions": 1024})
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	got.into(t, &numbers)
	require.Equal(t, "builtin", numbers.Model)
	require.Len(t, numbers.Data, 2)
	require.Len(t, numbers.Data[0].Embedding, 1024)
	require.Equal(t, 5, numbers.Usage.Prompt)

	var text struct{ Data []struct{ Embedding string } }
	s.do("POST", "/v1/embeddings", "", map[string]any{"model": "builtin", "input": "the notice period", "encoding_format": "base64"}).into(t, &text)
	raw, err := base64.StdEncoding.DecodeString(text.Data[0].Embedding)
	require.NoError(t, err)
	require.Len(t, raw, 4096)
	for i, want := range numbers.Data[0].Embedding {
		require.InDelta(t, want, math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])), 1e-7)
	}
}

func TestEmbeddingRefusals(t *testing.T) {
	s := start(t, setup{})
	for _, c := range []struct {
		body   map[string]any
		status int
		want   string
	}{
		{map[string]any{"model": "text-embedding-3-small", "input": "x"}, 404, "this server embeds with builtin"},
		{map[string]any{"input": "a"}, 400, "model: is missing (want builtin)"},
		{map[string]any{"model": "builtin", "input": []any{}}, 400, "input"},
		{map[string]any{"model": "builtin"}, 400, "input"},
		{map[string]any{"model": "builtin", "input": ""}, 400, "input[0]"},
		{map[string]any{"model": "builtin", "input": []any{[]int{1, 2}}}, 400, "ids of tokens"},
		{map[string]any{"model": "builtin", "input": "x", "dimensions": 256}, 400, "dimensions"},
		{map[string]any{"model": "builtin", "input": "x", "encoding_format": "int8"}, 400, "encoding_format"},
		{map[string]any{"model": "builtin", "input": "x", "inlay": map[string]any{"task": "x"}}, 400, "inlay.task"},
		{map[string]any{"model": "builtin", "input": strings.Split(strings.Repeat("x ", 2049), " ")[:2049]}, 400, "2048"},
		{map[string]any{"model": "builtin", "input": strings.Repeat("x ", 2<<20) + "y"}, 400, "4194304"},
	} {
		got := s.do("POST", "/v1/embeddings", "", c.body)
		require.Equal(t, c.status, got.status, string(got.body))
		require.Contains(t, string(got.body), c.want)
	}
}
