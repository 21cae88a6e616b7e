package disk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/library"
	"inlay/parse"
	"inlay/retrieve"
)

// written is a segment of two documents with vectors.
func written(tb testing.TB) (path string, unzip *zstd.Decoder) {
	tb.Helper()
	dir := tb.TempDir()
	require.NoError(tb, os.MkdirAll(filepath.Join(dir, segmentsName), 0o700))
	w, err := newSegmentWriter(dir)
	require.NoError(tb, err)
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	require.NoError(tb, err)
	for i, text := range []string{"The blue whale eats krill.", "Foxes dig burrows in dry soil, and their burrows have many doors."} {
		d := parse.Document{FileID: string(rune('a' + i)), Name: "x.txt", MediaType: "text/plain", Text: text}
		x, err := retrieve.New(retrieve.Options{}).Index(tb.Context(), d)
		require.NoError(tb, err)
		x.Vectors = make([]embed.Vector, len(x.Chunks))
		for k := range x.Vectors {
			x.Vectors[k] = embed.Vector{1, 0}
		}
		made, err := prepare(library.Document{Document: d, Extension: ".txt", Indexed: x}, zip)
		require.NoError(tb, err)
		require.NoError(tb, w.add(made))
	}
	name, err := finishSegment(dir, w)
	require.NoError(tb, err)
	unzip, err = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(1<<24))
	require.NoError(tb, err)
	tb.Cleanup(unzip.Close)
	return filepath.Join(dir, segmentsName, name), unzip
}

// everything reads all of a segment; damage is an error, whatever it is.
func everything(s *segment) {
	_ = s.verify()
	for i := range s.docs {
		t, err := s.readTable(i)
		if err != nil {
			continue
		}
		all := make([]int, len(t.chunks))
		for k := range all {
			all[k] = k
		}
		_ = s.fill(i, t.chunks, all)
	}
	t := newTerms(s, "en")
	_ = t.Has("whale")
	for range t.Beginning("b") {
		break
	}
}

// FuzzSegment puts bytes in the place of one part of a segment, with a checksum
// that matches them: what a checksum would find is not what is looked for.
func FuzzSegment(f *testing.F) {
	path, unzip := written(f)
	whole, err := os.ReadFile(path)
	require.NoError(f, err)
	s, err := openSegment(path, unzip)
	require.NoError(f, err)
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	require.NoError(f, err)
	plain := func(p part) []byte {
		data, err := s.unpack(p)
		require.NoError(f, err)
		return data
	}
	const parts = 6
	for i, data := range [parts][]byte{
		whole, plain(s.docs[0].record), plain(s.docs[0].table), plain(s.docs[1].blocks[0]),
		whole[s.vector[0].at:][:s.vector[0].length], whole[s.groups[0].place.at:][:s.groups[0].place.length],
	} {
		f.Add(i, data)
	}
	_ = s.file.Close()
	f.Fuzz(func(t *testing.T, which int, data []byte) {
		at := filepath.Join(t.TempDir(), "x.seg")
		if which = max(which, 0) % parts; which == 0 {
			require.NoError(t, os.WriteFile(at, data, 0o600))
			if s, err := openSegment(at, unzip); err == nil {
				everything(s)
				_ = s.file.Close()
			}
			return
		}
		if which < 4 {
			data = zip.EncodeAll(data, nil)
		}
		require.NoError(t, os.WriteFile(at, append(append([]byte{}, whole...), data...), 0o600))
		s, err := openSegment(path, unzip)
		require.NoError(t, err)
		defer func() { _ = s.file.Close() }()
		other, err := os.Open(at)
		require.NoError(t, err)
		defer func() { _ = other.Close() }()
		_ = s.file.Close()
		s.file = other
		p := part{at: int64(len(whole)), length: len(data), sum: checksum(data)}
		switch which {
		case 1:
			s.docs[0].record = p
		case 2:
			s.docs[0].table = p
		case 3:
			s.docs[1].blocks[0] = p
		case 4:
			s.vector[0] = p
		case 5:
			s.groups[0].place = p
		}
		everything(s)
	})
}
