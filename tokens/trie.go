package tokens

import "math/bits"

// trie finds the longest token that a text starts with. Nodes are numbers, the
// root is 0; edges lie in one hash table by node<<8 | byte.
type trie struct {
	edges []uint64 // key<<24 | child; 0 is free, a child is never the root
	token []uint32 // of a node, or none
	used  int
	two   []uint32 // node of the first two bytes, or 0
	inner []uint32 // of a token: the longest token that is a proper prefix of it, or none
}

const nodeBits = 24

func newTrie(v *vocabulary) *trie {
	t := &trie{token: []uint32{none}, two: make([]uint32, 1<<16), inner: make([]uint32, v.len())}
	t.edges = make([]uint64, 1<<bits.Len(uint(3*v.len()))) // there are two nodes for a token, by experience
	node := make([]uint32, v.len())                        // of a token
	for id, p := range v.pairs {
		switch {
		case p.left == none:
			continue
		case p.left == uint32(id):
			node[id] = t.insert(0, v.text(uint32(id)))
		default:
			node[id] = t.insert(node[p.left], v.text(p.right))
		}
		t.token[node[id]] = uint32(id)
	}
	for id, p := range v.pairs {
		switch {
		case p.left == none, p.left == uint32(id):
			t.inner[id] = none
		default:
			t.inner[id] = t.longestWithin(p.left, node[p.left], v.text(p.right))
		}
	}
	for k := range t.two {
		if first := t.child(0, byte(k>>8)); first != 0 {
			t.two[k] = t.child(first, byte(k))
		}
	}
	return t
}

func (t *trie) slot(key uint64) int { return int(key*mix>>32) & (len(t.edges) - 1) }

// child returns the node below node by b, or 0.
func (t *trie) child(node uint32, b byte) uint32 {
	key := uint64(node)<<8 | uint64(b)
	for i := t.slot(key + 1); ; i = (i + 1) & (len(t.edges) - 1) {
		switch e := t.edges[i]; {
		case e == 0:
			return 0
		case e>>nodeBits == key:
			return uint32(e & (1<<nodeBits - 1))
		}
	}
}

// insert adds the path of s below node and returns its end.
func (t *trie) insert(node uint32, s string) uint32 {
	for i := range len(s) {
		child := t.child(node, s[i])
		if child == 0 {
			child = uint32(len(t.token))
			t.token = append(t.token, none)
			t.connect(uint64(node)<<8|uint64(s[i]), child)
		}
		node = child
	}
	return node
}

func (t *trie) connect(key uint64, child uint32) {
	if t.used++; t.used > len(t.edges)/3*2 {
		old := t.edges
		t.edges = make([]uint64, 2*len(old))
		for _, e := range old {
			if e != 0 {
				t.place(e)
			}
		}
	}
	t.place(key<<nodeBits | uint64(child))
}

func (t *trie) place(edge uint64) {
	i := t.slot(edge>>nodeBits + 1)
	for t.edges[i] != 0 {
		i = (i + 1) & (len(t.edges) - 1)
	}
	t.edges[i] = edge
}

// longestWithin returns the longest token on the way from node, which is the
// token best, along s, its end not included.
func (t *trie) longestWithin(best, node uint32, s string) uint32 {
	for i := range len(s) - 1 {
		node = t.child(node, s[i])
		if id := t.token[node]; id != none {
			best = id
		}
	}
	return best
}

// prefix returns the longest token that s[at:] starts with; single is the
// token of its first byte.
func (t *trie) prefix(s string, at int, single uint32) uint32 {
	best := single
	if at+1 >= len(s) {
		return best
	}
	node := t.two[uint(s[at])<<8|uint(s[at+1])]
	for i := at + 2; node != 0; i++ {
		if id := t.token[node]; id != none {
			best = id
		}
		if i == len(s) {
			break
		}
		node = t.child(node, s[i])
	}
	return best
}
