package stored

import (
	"crypto/sha256"
	"testing"

	"inlay/embed"
	"inlay/retrieve"
)

// A body with a right checksum may still be anything: it is read or refused,
// and what is read has a vector of one length for each chunk.
func FuzzDecodeBody(f *testing.F) {
	for _, r := range []*record{
		{Head: &head{Version: version, Fingerprint: "x"}},
		{Deleted: []string{"a", "b"}},
		{Chunks: []retrieve.Chunk{{ID: "1", FileID: "a", End: 3}}, Vectors: []embed.Vector{{1, 0}}},
	} {
		body, err := r.body()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Add([]byte("A\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("A\x00\x00\x00\x00\x00\x00\x00\x21{\"dimensions\":1,\"chunks\":[{},{}]}12345678"))
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		r, err := decodeBody(body, sum[:])
		if err != nil {
			return
		}
		if len(r.Chunks) != len(r.Vectors) {
			t.Fatalf("%d chunks, %d vectors", len(r.Chunks), len(r.Vectors))
		}
		for _, v := range r.Vectors {
			if len(v) != len(r.Vectors[0]) {
				t.Fatal("vectors of two lengths")
			}
		}
	})
}
