package tokens

const (
	shortMemoBits  = 15
	middleMemoBits = 12
	countShift     = 59 // four bits of the second word that key15 leaves free
)

// memo remembers how many tokens pieces have that are no token themselves: a
// text repeats its rare words. A place holds one piece, the last.
type memo struct {
	short  [1 << shortMemoBits][2]uint64 // of at most 15 bytes: key and, at countShift, number
	middle [1 << middleMemoBits]struct { // of 16 to 31 bytes
		key   [4]uint64
		count int
	}
}

// rememberShort counts a piece of at most 15 bytes that is not a token; k is key7
// or key15 of it.
func (w *worker) rememberShort(hash uint64, k [2]uint64, s string) int {
	m := &w.memo.short[hash>>(64-shortMemoBits)]
	if m[0] != k[0] || m[1]&^(15<<countShift) != k[1] {
		n := len(w.v.mergeShort(s, &w.short))
		*m = [2]uint64{k[0], k[1] | uint64(n)<<countShift}
		return n
	}
	return int(m[1] >> countShift & 15)
}

// rememberMiddle counts a piece of 16 to 31 bytes that is not a token; k is key31
// of it.
func (w *worker) rememberMiddle(k [4]uint64, s string) int {
	hash := hash15([2]uint64{k[0] ^ k[2]*mix2, k[1] ^ k[3]*mix})
	m := &w.memo.middle[hash>>(64-middleMemoBits)]
	if m.key != k {
		m.key, m.count = k, len(w.encode(s))
	}
	return m.count
}

// key31 packs s[i:i+n], 16 <= n <= 31, with n in the last byte.
func key31(s string, i, n int) [4]uint64 {
	k := [4]uint64{load64(s, i), load64(s, i+8), 0, 0}
	switch {
	case i+32 > len(s):
		for at := 16; at < n; at++ {
			k[at/8] |= uint64(s[i+at]) << (8 * uint(at%8))
		}
	case n < 24:
		k[2] = load64(s, i+16) & (1<<(8*uint(n-16)) - 1)
	default:
		k[2] = load64(s, i+16)
		k[3] = load64(s, i+24) & (1<<(8*uint(n-24)) - 1)
	}
	k[3] |= uint64(n) << 56
	return k
}
