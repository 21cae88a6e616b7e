package tokens

import (
	_ "embed"
	"encoding/binary"
	"fmt"

	loader "github.com/pkoukk/tiktoken-go-loader"

	"github.com/pkoukk/tiktoken-go"
)

//go:generate go test -run ^TestTables$ -update .

// The two large vocabularies as pairs of tokens, six bytes an id, made from
// tiktoken-go's; they load an order of magnitude faster than its text form.
var (
	//go:embed data/cl100k_base.pairs
	pairsCL100K []byte
	//go:embed data/o200k_base.pairs
	pairsO200K []byte
)

// loadVocabulary returns the vocabulary of a named encoding.
func loadVocabulary(name string) (*vocabulary, error) {
	switch name {
	case tiktoken.MODEL_CL100K_BASE:
		return readPairs(pairsCL100K)
	case tiktoken.MODEL_O200K_BASE:
		return readPairs(pairsO200K)
	}
	tokens, err := rankedTokens(name)
	if err != nil {
		return nil, err
	}
	return derive(tokens), nil
}

// rankedTokens returns the tokens of a vocabulary of tiktoken-go by rank; ranks
// that are no token (the special ones) are empty.
func rankedTokens(name string) ([]string, error) {
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe(name + ".tiktoken")
	if err != nil {
		return nil, fmt.Errorf("load vocabulary %s: %w", name, err)
	}
	size := 0
	for _, rank := range ranks {
		size = max(size, rank+1)
	}
	tokens := make([]string, size)
	for token, rank := range ranks {
		tokens[rank] = token
	}
	return tokens, nil
}

// derive builds a vocabulary from the bytes of its tokens: the pair of each is
// what merging leaves when only lower ranks may merge.
func derive(tokens []string) *vocabulary {
	v := &vocabulary{
		start: make([]uint32, 1, len(tokens)+1),
		pairs: make([]pair, len(tokens)),
	}
	var bytes []byte
	for id, token := range tokens {
		bytes = append(bytes, token...)
		v.start = append(v.start, uint32(len(bytes)))
		if len(token) == 1 {
			v.single[token[0]] = uint32(id)
		}
	}
	v.bytes = string(bytes)
	v.makeMerges()
	var h heap
	var parts []uint32
	for id, token := range tokens {
		v.pairs[id] = pair{none, none}
		switch {
		case len(token) == 1:
			v.pairs[id] = pair{uint32(id), uint32(id)}
			continue
		case len(token) == 0:
			continue
		}
		if parts = h.merge(v, token, parts[:0]); len(parts) == 2 {
			v.pairs[id] = pair{parts[0], parts[1]}
			v.addMerge(v.pairs[id], uint32(id))
		}
	}
	return newVocabulary(v.bytes, v.start, v.pairs)
}

// noToken is in a pairs file for the right half of a token of one byte,
// whose left half is then that byte.
const noToken = 1<<24 - 1

// writePairs is the inverse of readPairs. Every id must be a token that merging
// reaches.
func writePairs(v *vocabulary) ([]byte, error) {
	out := make([]byte, 0, 6*v.len())
	for id, p := range v.pairs {
		switch {
		case p.left == none:
			return nil, fmt.Errorf("write vocabulary: no merge makes token %d", id)
		case p.left == uint32(id):
			p = pair{uint32(v.text(uint32(id))[0]), noToken}
		}
		for _, x := range []uint32{p.left, p.right} {
			out = append(out, byte(x), byte(x>>8), byte(x>>16))
		}
	}
	return out, nil
}

// readPairs builds a vocabulary from its file: both halves of every id, three
// bytes each, little end first.
func readPairs(file []byte) (*vocabulary, error) {
	if len(file) == 0 || len(file)%6 != 0 {
		return nil, fmt.Errorf("read vocabulary: %d bytes are not whole pairs", len(file))
	}
	n := len(file) / 6
	bytes, start, pairs := make([]byte, 0, 8*n), make([]uint32, n+1), make([]pair, n)
	for id := range n {
		f := file[6*id : 6*id+6]
		p := pair{uint32(f[0]) | uint32(f[1])<<8 | uint32(f[2])<<16, uint32(f[3]) | uint32(f[4])<<8 | uint32(f[5])<<16}
		switch {
		case p.right == noToken:
			bytes = append(bytes, byte(p.left))
			p = pair{uint32(id), uint32(id)}
		case max(p.left, p.right) >= uint32(id):
			return nil, fmt.Errorf("read vocabulary: token %d is made of a later one", id)
		default:
			bytes = appendSlice(bytes, start[p.left], start[p.left+1])
			bytes = appendSlice(bytes, start[p.right], start[p.right+1])
		}
		pairs[id], start[id+1] = p, uint32(len(bytes))
	}
	return newVocabulary(string(bytes), start, pairs), nil
}

// appendSlice appends b[from:to] to b. Most are of at most eight bytes: these
// are moved as one word, if there is room for one.
func appendSlice(b []byte, from, to uint32) []byte {
	n := len(b)
	if to-from > 8 || n+8 > cap(b) {
		return append(b, b[from:to]...)
	}
	b = b[:n+8]
	binary.LittleEndian.PutUint64(b[n:], binary.LittleEndian.Uint64(b[from:]))
	return b[:n+int(to-from)]
}

// Encodings lists the names that [NewEncoding] knows.
func Encodings() []string {
	return []string{tiktoken.MODEL_CL100K_BASE, tiktoken.MODEL_O200K_BASE, tiktoken.MODEL_P50K_BASE, tiktoken.MODEL_R50K_BASE}
}
