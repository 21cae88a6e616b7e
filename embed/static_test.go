package embed_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/embed/embedtest"
	"inlay/fault"
	"inlay/internal/refdata"
)

// writeTable makes a small static table: three words and one inner piece.
func writeTable(t *testing.T, header map[string]any, data []byte, vocabulary string) string {
	t.Helper()
	dir := t.TempDir()
	head, err := json.Marshal(header)
	require.NoError(t, err)
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	file = append(append(file, head...), data...)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "model.safetensors"), file, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(vocabulary), 0o600))
	return dir
}

func floats(values ...float32) []byte {
	var out []byte
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

const pieces = `{"model": {"type": "WordPiece", "vocab": {"cat": 0, "dog": 1, "##s": 2, "cafe": 3}}}`

func TestStatic(t *testing.T) {
	dir := writeTable(t, map[string]any{"embeddings": map[string]any{"dtype": "F32", "shape": []int{4, 2}, "data_offsets": []int{0, 32}}},
		floats(3, 4, 0, 2, 0, 0, -1, 0), pieces)
	e, err := embed.OpenStatic(dir)
	require.NoError(t, err)
	require.Equal(t, 2, e.Spec().Dimensions)
	v, err := e.Embed(t.Context(), embed.Document, []string{"Cats", "cat DOG", "unknown", "", "café!"})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float32{.6, .8}, v[0], 1e-6)
	require.InDeltaSlice(t, []float32{3 / float32(math.Sqrt(45)), 6 / float32(math.Sqrt(45))}, v[1], 1e-6)
	require.Equal(t, embed.Vector{1, 0}, v[2])
	require.Equal(t, embed.Vector{1, 0}, v[3])
	require.Equal(t, embed.Vector{-1, 0}, v[4])
	embedtest.Run(t, e)
}

func TestStaticClustered(t *testing.T) {
	header := map[string]any{
		"embeddings": map[string]any{"dtype": "I8", "shape": []int{2, 2}, "data_offsets": []int{0, 4}},
		"weights":    map[string]any{"dtype": "F32", "shape": []int{4}, "data_offsets": []int{4, 20}},
		"mapping":    map[string]any{"dtype": "I32", "shape": []int{4}, "data_offsets": []int{20, 36}},
	}
	data := append([]byte{1, 0, 0, 0xff}, floats(1, 3, 0, 1)...)
	for _, row := range []uint32{0, 1, 0, 0} {
		data = binary.LittleEndian.AppendUint32(data, row)
	}
	e, err := embed.OpenStatic(writeTable(t, header, data, pieces))
	require.NoError(t, err)
	v, err := e.Embed(t.Context(), embed.Query, []string{"cat dog"})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float32{1 / float32(math.Sqrt(10)), -3 / float32(math.Sqrt(10))}, v[0], 1e-6)
}

func TestStaticDamaged(t *testing.T) {
	good := map[string]any{"embeddings": map[string]any{"dtype": "F32", "shape": []int{4, 2}, "data_offsets": []int{0, 32}}}
	wide := map[string]any{"embeddings": map[string]any{"dtype": "F32", "shape": []int{4, 2}, "data_offsets": []int{0, 99}}}
	few := map[string]any{"embeddings": map[string]any{"dtype": "F32", "shape": []int{2, 4}, "data_offsets": []int{0, 32}}}
	other := map[string]any{"embeddings": map[string]any{"dtype": "F4", "shape": []int{4, 2}, "data_offsets": []int{0, 32}}}
	for name, dir := range map[string]string{
		"outside":       writeTable(t, wide, make([]byte, 32), pieces),
		"too few rows":  writeTable(t, few, make([]byte, 32), pieces),
		"unknown type":  writeTable(t, other, make([]byte, 32), pieces),
		"no tensor":     writeTable(t, map[string]any{}, nil, pieces),
		"no vocabulary": writeTable(t, good, make([]byte, 32), `{}`),
		"not JSON":      writeTable(t, good, make([]byte, 32), `{`),
		"not finite":    writeTable(t, good, floats(1, 2, 3, 4, 5, 6, 7, float32(math.NaN())), pieces),
	} {
		_, err := embed.OpenStatic(dir)
		require.True(t, fault.Is(err, fault.Corrupt), "%s: %v", name, err)
	}
	_, err := embed.OpenStatic(t.TempDir())
	require.True(t, fault.Is(err, fault.FileNotFound), "%v", err)
}

func FuzzStatic(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"), []byte(pieces), "cats")
	f.Fuzz(func(t *testing.T, table, vocabulary []byte, text string) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "model.safetensors"), table, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "tokenizer.json"), vocabulary, 0o600))
		e, err := embed.OpenStatic(dir)
		if err != nil {
			return
		}
		v, err := e.Embed(t.Context(), embed.Document, []string{text})
		require.NoError(t, err)
		require.Len(t, v[0], e.Spec().Dimensions)
	})
}

// TestStaticParaphrases checks that a real table knows meaning: each sentence
// is nearer to its paraphrase than to most of the others.
func TestStaticParaphrases(t *testing.T) {
	e, err := embed.OpenStatic(refdata.Path(t, "models", "model2vec-vocab-quantized"))
	require.NoError(t, err)
	pairs := [][2]string{
		{"How do I reset my password?", "I forgot my login credentials, how can I recover them?"},
		{"The cat sat on the mat.", "A kitten was resting on the rug."},
		{"The lawyer reviewed the contract.", "The attorney examined the agreement."},
		{"He bought a new car.", "He purchased a new vehicle."},
		{"Children are playing in the park.", "Kids have fun outdoors in the playground."},
	}
	nearest := 0
	for i, p := range pairs {
		best, at := -1.0, -1
		for j, q := range pairs {
			if c := cosine(t, e, p[0], q[1]); c > best {
				best, at = c, j
			}
		}
		if at == i {
			nearest++
		}
	}
	require.GreaterOrEqual(t, nearest, 4)
}

func BenchmarkStatic(b *testing.B) {
	dir := refdata.Path(b, "models", "model2vec-vocab-quantized")
	e, err := embed.OpenStatic(dir)
	require.NoError(b, err)
	var text strings.Builder
	for range 12 {
		text.WriteString("The White Rabbit was late for the queen's tea party in the garden. ")
	}
	for b.Loop() {
		_, err := e.Embed(b.Context(), embed.Document, []string{text.String()})
		require.NoError(b, err)
	}
}
