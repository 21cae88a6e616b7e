package tokens

import (
	"math/bits"
	"sync"
)

// none is no token.
const none = ^uint32(0)

// pair is how the bytes of a token merge into it: the two tokens of the last
// merge. A token of one byte is a pair of itself; an id without a token, or
// with one that no merge reaches, has none.
type pair struct{ left, right uint32 }

// vocabulary is a byte pair encoding: ids are ranks. Tokens are found by their
// bytes, by the pair that makes them and as prefixes of a text. It does not
// change once built.
type vocabulary struct {
	bytes   string   // of all tokens, by id
	start   []uint32 // of token id in bytes; one more at the end
	pairs   []pair
	single  [256]uint32 // token of a byte
	longest int         // bytes of the longest token

	short  table[uint64]    // of at most 7 bytes, by key7
	medium table[[2]uint64] // of 8 to 15 bytes, by key15
	ids    func() ids       // of what lies in short and medium; made when first asked for
	long   []uint32         // the others, by hash; id+1
	merges []uint64         // by pair: mergeKey<<idBits | id, with the top bit set
	shift  uint             // of a hash, to its place in merges
	double [1 << 16]uint32  // token that two bytes make, or none

	isShort, isMerge filter // what short and merges may hold
}

// idBits holds any id: the largest vocabulary has 200,019.
const idBits = 18

// table is an open-addressed hash table of packed bytes. The zero key is not a key.
type table[K comparable] struct {
	keys  []K
	shift uint
}

// ids are the tokens at the places of the two tables. Counting does without.
type ids struct{ short, medium []uint32 }

func newTable[K comparable](entries int) table[K] {
	size := tableBits(entries)
	return table[K]{make([]K, 1<<size), 64 - size}
}

// tableBits is the size of a table at most half full, as a power of two.
func tableBits(entries int) uint { return uint(bits.Len(uint(2*entries + 1))) }

// filter is a set of hashes that errs to one side: what it does not have was
// not put in. It is small enough to stay in the processor's cache, so that most
// look-ups of what is not a token end there.
type filter [1 << (filterBits - 6)]uint64

const filterBits = 20

func (f *filter) put(hash uint64) {
	f[hash>>(64-filterBits+6)] |= 1 << (hash >> (64 - filterBits) & 63)
}

func (f *filter) has(hash uint64) bool {
	return f[hash>>(64-filterBits+6)]>>(hash>>(64-filterBits)&63)&1 != 0
}

// put stores a key that is not there yet at its hash or the next free place.
func (t *table[K]) put(hash uint64, key K) {
	var free K
	i := int(hash >> t.shift)
	for t.keys[i] != free {
		i = (i + 1) & (len(t.keys) - 1)
	}
	t.keys[i] = key
}

const mix, mix2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93

func hash7(k uint64) uint64     { return k * mix }
func hash15(k [2]uint64) uint64 { return (k[0] ^ bits.RotateLeft64(k[1]*mix2, 29)) * mix }

func hashLong(s string) uint64 {
	h := uint64(len(s)) * mix
	for ; len(s) >= 8; s = s[8:] {
		h = bits.RotateLeft64((h^load64(s, 0))*mix2, 31)
	}
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h ^ h>>29
}

// load64 reads eight bytes, little end first.
func load64(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// tail packs at most seven bytes and their number.
func tail(s string) uint64 {
	k := uint64(len(s)) << 56
	for i := range len(s) {
		k |= uint64(s[i]) << (8 * uint(i))
	}
	return k
}

// key7 packs s[i:i+n], 1 <= n <= 7.
func key7(s string, i, n int) uint64 {
	if i+8 <= len(s) {
		return load64(s, i)&(1<<(8*uint(n))-1) | uint64(n)<<56
	}
	return tail(s[i : i+n])
}

// key15 packs s[i:i+n], 8 <= n <= 15.
func key15(s string, i, n int) [2]uint64 {
	if i+16 <= len(s) {
		return [2]uint64{load64(s, i), load64(s, i+8)&(1<<(8*uint(n-8))-1) | uint64(n-8)<<56 | 1<<63}
	}
	return [2]uint64{load64(s, i), tail(s[i+8:i+n]) | 1<<63}
}

func (v *vocabulary) len() int { return len(v.start) - 1 }

func (v *vocabulary) text(id uint32) string { return v.bytes[v.start[id]:v.start[id+1]] }

func (v *vocabulary) size(id uint32) int { return int(v.start[id+1] - v.start[id]) }

// newVocabulary builds the tables. The text of an id without a token is empty.
func newVocabulary(bytes string, start []uint32, pairs []pair) *vocabulary {
	v := &vocabulary{bytes: bytes, start: start, pairs: pairs}
	var count [3]int
	for id := range v.len() {
		size := v.size(uint32(id))
		count[band(size)]++
		v.longest = max(v.longest, size)
	}
	v.short = newTable[uint64](count[0])
	v.medium = newTable[[2]uint64](count[1])
	v.long = make([]uint32, 1<<tableBits(count[2]))
	v.makeMerges()
	var group sync.WaitGroup
	group.Go(func() { // it shares nothing with what follows, and takes as long
		for id, p := range v.pairs {
			if p.left != none && v.size(uint32(id)) > 1 {
				v.addMerge(p, uint32(id))
			}
		}
	})
	for id := range v.len() {
		v.add(uint32(id))
	}
	group.Wait()
	v.ids = sync.OnceValue(v.makeIDs)
	return v
}

func (v *vocabulary) makeIDs() ids {
	out := ids{make([]uint32, len(v.short.keys)), make([]uint32, len(v.medium.keys))}
	for id := range v.len() {
		at, size := int(v.start[id]), v.size(uint32(id))
		switch {
		case size == 0:
		case size <= 7:
			out.short[v.placeShort(key7(v.bytes, at, size))] = uint32(id)
		case size <= 15:
			k := key15(v.bytes, at, size)
			out.medium[v.placeMedium(hash15(k), k)] = uint32(id)
		}
	}
	return out
}

// band tells which table a token of so many bytes is in.
func band(size int) int {
	switch {
	case size <= 7:
		return 0
	case size <= 15:
		return 1
	}
	return 2
}

func (v *vocabulary) add(id uint32) {
	at, size := int(v.start[id]), v.size(id)
	switch {
	case size == 0:
		return
	case size == 1:
		v.single[v.bytes[at]] = id
		fallthrough
	case size <= 7:
		k := key7(v.bytes, at, size)
		v.short.put(hash7(k), k)
		v.isShort.put(hash7(k))
	case size <= 15:
		k := key15(v.bytes, at, size)
		v.medium.put(hash15(k), k)
	default:
		i := int(hashLong(v.text(id))) & (len(v.long) - 1)
		for v.long[i] != 0 {
			i = (i + 1) & (len(v.long) - 1)
		}
		v.long[i] = id + 1
	}
}

func (v *vocabulary) makeMerges() {
	size := tableBits(v.len())
	v.merges, v.shift = make([]uint64, 1<<size), 64-size
	for i := range v.double {
		v.double[i] = none
	}
}

func mergeKey(left, right uint32) uint64 { return uint64(left)<<idBits | uint64(right) }

func (v *vocabulary) addMerge(p pair, id uint32) {
	k := mergeKey(p.left, p.right)
	v.isMerge.put((k + 1) * mix)
	i := int((k + 1) * mix >> v.shift)
	for v.merges[i] != 0 {
		i = (i + 1) & (len(v.merges) - 1)
	}
	v.merges[i] = 1<<63 | k<<idBits | uint64(id)
	if text := v.text(id); len(text) == 2 {
		v.double[uint(text[0])<<8|uint(text[1])] = id
	}
}

// merge returns the token that left and right make, or none. Lower ids merge
// first.
func (v *vocabulary) merge(left, right uint32) uint32 {
	k := mergeKey(left, right)
	hash := (k + 1) * mix
	if !v.isMerge.has(hash) {
		return none
	}
	for i := int(hash >> v.shift); ; i++ {
		m := v.merges[i&(len(v.merges)-1)]
		if m&^(1<<63)>>idBits == k && m != 0 {
			return uint32(m & (1<<idBits - 1))
		}
		if m == 0 {
			return none
		}
	}
}

// find returns the token that is s[i:j], or none.
func (v *vocabulary) find(s string, i, j int) uint32 {
	switch n := j - i; {
	case n <= 7:
		return v.findShort(key7(s, i, n))
	case n <= 15:
		return v.findMedium(key15(s, i, n))
	}
	return v.findLong(s[i:j])
}

func (v *vocabulary) findShort(k uint64) uint32 {
	if i := v.placeShort(k); i >= 0 {
		return v.ids().short[i]
	}
	return none
}

// placeShort returns where the key is, or -1.
func (v *vocabulary) placeShort(k uint64) int {
	t := &v.short
	for i := int(hash7(k) >> t.shift); ; i = (i + 1) & (len(t.keys) - 1) {
		switch t.keys[i] {
		case k:
			return i
		case 0:
			return -1
		}
	}
}

func (v *vocabulary) findMedium(k [2]uint64) uint32 {
	if i := v.placeMedium(hash15(k), k); i >= 0 {
		return v.ids().medium[i]
	}
	return none
}

// hasShort is findShort where the id does not matter.
func (v *vocabulary) hasShort(hash, k uint64) bool {
	if !v.isShort.has(hash) {
		return false
	}
	keys := v.short.keys
	for i := int(hash >> v.short.shift); ; i++ {
		switch keys[i&(len(keys)-1)] {
		case k:
			return true
		case 0:
			return false
		}
	}
}

// placeMedium returns where the key is, or -1.
func (v *vocabulary) placeMedium(hash uint64, k [2]uint64) int {
	keys := v.medium.keys
	for i := int(hash >> v.medium.shift); ; i++ {
		i &= len(keys) - 1
		switch at := &keys[i]; {
		case at[0] == k[0] && at[1] == k[1]:
			return i
		case at[1] == 0:
			return -1
		}
	}
}

func (v *vocabulary) findLong(s string) uint32 {
	if len(s) > v.longest {
		return none
	}
	for i := int(hashLong(s)) & (len(v.long) - 1); ; i = (i + 1) & (len(v.long) - 1) {
		switch id := v.long[i]; {
		case id == 0:
			return none
		case v.text(id-1) == s:
			return id - 1
		}
	}
}
