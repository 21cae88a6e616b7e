package tokens

// shortPiece is the longest piece, in bytes, that is merged by looking for the
// best pair again after each merge.
const shortPiece = 15

// mergeShort merges a piece of at most shortPiece bytes into out and returns
// the tokens.
func (v *vocabulary) mergeShort(s string, out *[shortPiece]uint32) []uint32 {
	var rank [shortPiece]uint32
	n := len(s)
	t, r := out[:n], rank[:n]
	for i := range n {
		t[i] = v.single[s[i]]
	}
	for i := range n - 1 {
		r[i] = v.double[uint(s[i])<<8|uint(s[i+1])]
	}
	for n > 1 {
		best, at := none, 0
		for i, x := range r[:n-1] {
			if x < best {
				best, at = x, i
			}
		}
		if best == none {
			break
		}
		t[at] = best
		n--
		for i := at + 1; i < n; i++ { // too few for copy to pay
			t[i], r[i] = t[i+1], r[i+1]
		}
		if at+1 < n {
			r[at] = v.merge(best, t[at+1])
		}
		if at > 0 {
			r[at-1] = v.merge(t[at-1], best)
		}
	}
	return t[:n]
}

// heap merges pieces of any length in n log n, with the open merges in a
// binary heap: rank<<32 | position.
type heap struct {
	token      []uint32
	prev, next []int32
	open       []uint64
}

// dead marks the right half of a merge that was made.
const dead = none - 1

// merge appends the tokens of s to out.
func (h *heap) merge(v *vocabulary, s string, out []uint32) []uint32 {
	n := len(s)
	h.start(v, s)
	for len(h.open) > 0 {
		top := h.pop()
		i, made := int32(uint32(top)), uint32(top>>32)
		j := h.next[i]
		if h.token[i] == dead || int(j) >= n || v.pairs[made] != (pair{h.token[i], h.token[j]}) {
			continue // one of the halves has been merged meanwhile
		}
		h.token[i], h.token[j] = made, dead
		after := h.next[j]
		h.next[i] = after
		if int(after) < n {
			h.prev[after] = i
			h.offer(v, i, after)
		}
		if before := h.prev[i]; before >= 0 {
			h.offer(v, before, i)
		}
	}
	for i := int32(0); int(i) < n; i = h.next[i] {
		out = append(out, h.token[i])
	}
	return out
}

func (h *heap) start(v *vocabulary, s string) {
	n := len(s)
	if cap(h.token) < n {
		h.token, h.prev, h.next = make([]uint32, n), make([]int32, n), make([]int32, n)
	}
	h.token, h.prev, h.next, h.open = h.token[:n], h.prev[:n], h.next[:n], h.open[:0]
	for i := range n {
		h.token[i] = v.single[s[i]]
		h.prev[i], h.next[i] = int32(i-1), int32(i+1)
	}
	for i := range n - 1 {
		h.offer(v, int32(i), int32(i+1))
	}
}

// offer opens the merge of the tokens at i and j, if there is one.
func (h *heap) offer(v *vocabulary, i, j int32) {
	made := v.merge(h.token[i], h.token[j])
	if made == none {
		return
	}
	x := uint64(made)<<32 | uint64(i)
	h.open = append(h.open, x)
	at := len(h.open) - 1
	for at > 0 && h.open[(at-1)/2] > x {
		h.open[at] = h.open[(at-1)/2]
		at = (at - 1) / 2
	}
	h.open[at] = x
}

func (h *heap) pop() uint64 {
	top, last := h.open[0], len(h.open)-1
	x := h.open[last]
	h.open = h.open[:last]
	at := 0
	for {
		child := 2*at + 1
		if child >= last {
			break
		}
		if child+1 < last && h.open[child+1] < h.open[child] {
			child++
		}
		if h.open[child] >= x {
			break
		}
		h.open[at] = h.open[child]
		at = child
	}
	if last > 0 {
		h.open[at] = x
	}
	return top
}
