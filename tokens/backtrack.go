package tokens

// backtrack encodes a piece from the left with the longest tokens, going back
// where two neighbours could not have come from merging. The result is the one
// that merging gives: of all ways to write a text with tokens, exactly one has
// only neighbours that merging leaves apart, and merging gives that one.
// See "byte pair encoding in linear time", github/rust-gems, crate bpe.
type backtrack struct {
	*vocabulary
	*trie
	dead []uint64 // bit i: no encoding of the piece passes byte i
}

// encode appends the tokens of s to out. ok is false, and out unchanged, when
// going back took more than a few steps for each byte.
func (b *backtrack) encode(s string, out []uint32) (_ []uint32, ok bool) {
	b.clear(len(s))
	base, at, work := len(out), 0, 4*len(s)+16
	token := b.prefix(s, 0, b.single[s[0]])
	for {
		end := at + b.size(token)
		switch {
		case !b.isDead(end) && (len(out) == base || b.apart(out[len(out)-1], token)):
			out = append(out, token)
			if end == len(s) {
				return out, true
			}
			at = end
			token = b.prefix(s, at, b.single[s[at]])
			continue
		case work == 0:
			return out[:base], false
		case b.inner[token] != none:
			token = b.inner[token]
		default: // nothing fits at this place: take back the token before it
			b.dead[at>>6] |= 1 << (uint(at) & 63)
			token = out[len(out)-1]
			out = out[:len(out)-1]
			at -= b.size(token)
		}
		work--
	}
}

func (b *backtrack) clear(n int) {
	words := n>>6 + 1
	if cap(b.dead) < words {
		b.dead = make([]uint64, 2*words)
	}
	b.dead = b.dead[:words]
	clear(b.dead)
}

func (b *backtrack) isDead(at int) bool { return b.dead[at>>6]>>(uint(at)&63)&1 != 0 }

// apart reports whether merging leaves left and right as neighbours: no merge
// of lower rank than those that made them joins bytes across their border.
func (v *vocabulary) apart(left, right uint32) bool {
	limit := none
	for {
		if v.merge(left, right) < limit {
			return false
		}
		if left > right {
			limit = left
			left = v.pairs[left].right
			if left != limit {
				continue
			}
			limit = right + 1
			right = v.pairs[right].left
			if right+1 == limit {
				return true
			}
			continue
		}
		limit = right + 1
		right = v.pairs[right].left
		if right+1 != limit {
			continue
		}
		limit = left
		left = v.pairs[left].right
		if left == limit {
			return true
		}
	}
}
