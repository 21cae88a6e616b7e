package parsetest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// Sizes and marks of OLE containers.
const (
	oleSector  = 512
	oleMini    = 64
	oleEnd     = 0xFFFFFFFE
	oleFree    = 0xFFFFFFFF
	oleEntry   = 128
	oleStream  = 2
	oleStorage = 1
)

// oleNode is a stream or storage being written.
type oleNode struct {
	name     string
	data     []byte
	children []*oleNode
	index    int
	start    uint32
	sibling  uint32
}

// OLE makes a container of the given streams: path, content, path, content, ...
// Paths are separated by slashes. Streams stay below 4,096 bytes each.
func OLE(tb testing.TB, entries ...string) []byte {
	tb.Helper()
	root := &oleNode{name: "Root Entry", sibling: oleFree}
	var all []*oleNode
	for i := 0; i+1 < len(entries); i += 2 {
		require.Less(tb, len(entries[i+1]), 4096)
		at := root
		parts := strings.Split(entries[i], "/")
		for k, name := range parts {
			j := slices.IndexFunc(at.children, func(n *oleNode) bool { return n.name == name })
			if j < 0 {
				j = len(at.children)
				at.children = append(at.children, &oleNode{name: name})
				all = append(all, at.children[j])
			}
			at = at.children[j]
			if k == len(parts)-1 {
				at.data = []byte(entries[i+1])
			}
		}
	}
	return writeOLE(root, all)
}

// writeOLE lays out header, one FAT sector, the mini FAT, the directory and the mini stream.
func writeOLE(root *oleNode, all []*oleNode) []byte {
	var mini bytes.Buffer
	var miniFAT []uint32
	nodes := append([]*oleNode{root}, all...)
	for i, n := range nodes {
		n.index, n.start = i, oleEnd
		if len(n.data) == 0 {
			continue
		}
		n.start = uint32(len(miniFAT))
		mini.Write(n.data)
		for count := (len(n.data) + oleMini - 1) / oleMini; count > 0; count-- {
			next := uint32(len(miniFAT) + 1)
			if count == 1 {
				next = oleEnd
			}
			miniFAT = append(miniFAT, next)
		}
		mini.Write(make([]byte, len(miniFAT)*oleMini-mini.Len()))
	}
	root.data, root.start = mini.Bytes(), oleEnd
	fat := []uint32{0xFFFFFFFD} // the sector of the FAT itself
	chain := func(sectors int) uint32 {
		first := uint32(len(fat))
		for i := range sectors {
			next := first + uint32(i) + 1
			if i == sectors-1 {
				next = oleEnd
			}
			fat = append(fat, next)
		}
		return first
	}
	sectors := func(size int) int { return (size + oleSector - 1) / oleSector }
	miniFATAt := chain(sectors(4 * len(miniFAT)))
	directoryAt := chain(sectors(oleEntry * len(nodes)))
	root.start = chain(sectors(mini.Len()))
	var b bytes.Buffer
	b.Write(oleHeader(directoryAt, miniFATAt, uint32(sectors(4*len(miniFAT)))))
	b.Write(numbers(fat))
	b.Write(numbers(miniFAT))
	for i := range sectors(oleEntry*len(nodes)) * oleSector / oleEntry {
		if i < len(nodes) {
			b.Write(nodes[i].entry())
		} else {
			b.Write(make([]byte, oleEntry))
		}
	}
	b.Write(mini.Bytes())
	b.Write(make([]byte, sectors(mini.Len())*oleSector-mini.Len()))
	return b.Bytes()
}

// numbers is a list of sectors, filled up to whole sectors.
func numbers(list []uint32) []byte {
	for len(list)%(oleSector/4) != 0 {
		list = append(list, oleFree)
	}
	var b bytes.Buffer
	for _, n := range list {
		b.Write(binary.LittleEndian.AppendUint32(nil, n))
	}
	return b.Bytes()
}

func oleHeader(directory, miniFAT, miniFATs uint32) []byte {
	h := make([]byte, oleSector)
	le := binary.LittleEndian
	copy(h, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	le.PutUint16(h[24:], 0x3E)
	le.PutUint16(h[26:], 3)
	le.PutUint16(h[28:], 0xFFFE)
	le.PutUint16(h[30:], 9)
	le.PutUint16(h[32:], 6)
	le.PutUint32(h[44:], 1)
	le.PutUint32(h[48:], directory)
	le.PutUint32(h[56:], 4096)
	le.PutUint32(h[60:], miniFAT)
	le.PutUint32(h[64:], miniFATs)
	le.PutUint32(h[68:], oleEnd)
	for at := 80; at < oleSector; at += 4 {
		le.PutUint32(h[at:], oleFree)
	}
	return h
}

// entry is a node's entry of the directory. Siblings form a list.
func (n *oleNode) entry() []byte {
	e := make([]byte, oleEntry)
	le := binary.LittleEndian
	units := utf16.Encode([]rune(n.name))
	for i, u := range units {
		le.PutUint16(e[2*i:], u)
	}
	le.PutUint16(e[64:], uint16(2*len(units)+2))
	e[66], e[67] = oleStream, 1
	switch {
	case n.index == 0:
		e[66] = 5
	case len(n.children) > 0:
		e[66] = oleStorage
	}
	le.PutUint32(e[68:], oleFree)
	le.PutUint32(e[72:], n.sibling)
	le.PutUint32(e[76:], oleFree)
	for i, c := range n.children {
		c.sibling = oleFree
		if i+1 < len(n.children) {
			c.sibling = uint32(n.children[i+1].index)
		}
	}
	if len(n.children) > 0 {
		le.PutUint32(e[76:], uint32(n.children[0].index))
	}
	le.PutUint32(e[116:], n.start)
	le.PutUint32(e[120:], uint32(len(n.data)))
	return e
}
