package retrieve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/parse"
)

var entrySpec = embed.Spec{Fingerprint: "test", Dimensions: 2}

func TestEntry(t *testing.T) {
	d := parse.Document{FileID: "f", Text: "one two three"}
	chunks := []Chunk{
		{ID: "a", FileID: "f", Start: 0, End: 4, Text: "one ", Tokens: 1, Heading: "H"},
		{ID: "b", FileID: "f", Start: 4, End: 8, Text: "two ", Tokens: 1, Header: "| h |"},
		{ID: "c", FileID: "f", Start: 8, End: 13, Text: "three", Tokens: 1},
	}
	vectors := []embed.Vector{{1, 0}, nil, {0, 1}}
	data, err := encodeEntry(chunks, vectors, entrySpec)
	require.NoError(t, err)
	gotChunks, gotVectors, _, err := decodeEntry(data, d, entrySpec)
	require.NoError(t, err)
	require.Equal(t, chunks, gotChunks)
	require.Equal(t, vectors, gotVectors)

	for name, refuse := range map[string]func() error{
		"cut": func() error { _, _, _, err := decodeEntry(data[:len(data)-1], d, entrySpec); return err },
		"another embedder": func() error {
			_, _, _, err := decodeEntry(data, d, embed.Spec{Fingerprint: "other", Dimensions: 2})
			return err
		},
		"another file": func() error {
			_, _, _, err := decodeEntry(data, parse.Document{FileID: "g", Text: d.Text}, entrySpec)
			return err
		},
		"shorter text": func() error { _, _, _, err := decodeEntry(data, parse.Document{FileID: "f"}, entrySpec); return err },
	} {
		require.Error(t, refuse(), name)
	}
}

func FuzzDecodeEntry(f *testing.F) {
	d := parse.Document{FileID: "f", Text: "one two three"}
	good, err := encodeEntry([]Chunk{{ID: "a", FileID: "f", End: 4}}, []embed.Vector{{1, 0}}, entrySpec)
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte("\x02\x00\x00\x00{}"))
	x := newCompactVectors(1)
	x.setBlock(0, []embed.Vector{{1, 0}})
	small, err := encodeCompact([]Chunk{{ID: "a", FileID: "f", End: 4}}, x, entrySpec)
	require.NoError(f, err)
	f.Add(small)
	f.Fuzz(func(t *testing.T, data []byte) {
		chunks, vectors, compact, err := decodeEntry(data, d, entrySpec)
		if err != nil {
			return
		}
		if compact == nil {
			require.Len(t, vectors, len(chunks))
		} else {
			require.Len(t, compact.step, len(chunks))
			compact.nearest(embed.Vector{1, 0}, 3)
		}
		for _, c := range chunks {
			require.Equal(t, d.Text[c.Start:c.End], c.Text)
		}
	})
}

func FuzzAffinity(f *testing.F) {
	r := New(Options{})
	lex := r.lex
	f.Add("What is the leave of new employees?", "New employees get leave.", "Laptops and leave")
	f.Add("", "", "")
	f.Add("水 DiffExecutor", "東京 水 run_target", "x")
	f.Fuzz(func(t *testing.T, query, passage, other string) {
		analyse := func(text string) *lexicalFile {
			file, err := newLexicalFile(t.Context(), lex, parse.Document{Text: text}, []Chunk{{Text: text}})
			require.NoError(t, err)
			return file
		}
		file, set := analyse(passage), defaultSetting()
		alone := r.searchLexical([]*lexicalFile{file}, nil, query, &set)
		beside := r.searchLexical([]*lexicalFile{analyse(other), file}, nil, query, &set)
		a := alone.asked[file.terms.Lang].affinity(0, file, 0)
		require.True(t, a >= 0 && a <= 1, "%v", a)
		require.InDelta(t, a, beside.asked[file.terms.Lang].affinity(1, file, 0), 0, "it is the passage's own")
	})
}
