package pdf

import (
	"slices"
	"sort"
	"unicode/utf16"
)

// cmap maps character codes: to text (ToUnicode) or to glyph numbers (the
// encoding of a composite font). Ranges stay ranges, so that a short file
// cannot ask for a large table.
type cmap struct {
	spaces []codespace
	text   []textRange // ordered by lo
	cids   []cidRange  // ordered by lo
}

// codespace is a range of valid codes of size bytes.
type codespace struct {
	size   int
	lo, hi uint32
}

// textRange gives the text of the codes lo to hi: that of lo is dst, and each
// next one's last unit is one higher.
type textRange struct {
	lo, hi uint32
	dst    string // UTF-16, big endian
}

// cidRange gives the glyph numbers of the codes lo to hi, from cid on.
type cidRange struct{ lo, hi, cid uint32 }

const (
	maxDestination = 256     // bytes of one mapping's text
	maxMappings    = 1 << 18 // mappings of one map
)

// parseCMap reads a CMap file. What makes no sense in it is skipped.
func parseCMap(src []byte) *cmap {
	m := &cmap{}
	l := &lexer{src: src}
	var operands []token
	for {
		t := l.next()
		switch {
		case t.kind == end:
			m.order()
			return m
		case t.kind != keyword:
			if len(operands) < 4*maxMappings {
				operands = append(operands, t)
			}
			continue
		}
		m.section(string(t.data), operands)
		operands = operands[:0]
	}
}

// section takes over what stood before one of the end... keywords.
func (m *cmap) section(word string, operands []token) {
	switch word {
	case "endcodespacerange":
		for ; len(operands) >= 2; operands = operands[2:] {
			m.addSpace(operands[0].data, operands[1].data)
		}
	case "endbfchar":
		for ; len(operands) >= 2; operands = operands[2:] {
			code := bigEndian(operands[0].data)
			m.addText(code, code, operands[1])
		}
	case "endbfrange":
		m.addTextRanges(operands)
	case "endcidrange":
		for ; len(operands) >= 3; operands = operands[3:] {
			m.addCID(bigEndian(operands[0].data), bigEndian(operands[1].data), operands[2].num)
		}
	case "endcidchar":
		for ; len(operands) >= 2; operands = operands[2:] {
			code := bigEndian(operands[0].data)
			m.addCID(code, code, operands[1].num)
		}
	}
}

func (m *cmap) addSpace(lo, hi []byte) {
	if n := len(lo); n >= 1 && n <= 4 && len(m.spaces) < 256 {
		m.spaces = append(m.spaces, codespace{n, bigEndian(lo), bigEndian(hi)})
	}
}

func (m *cmap) addText(lo, hi uint32, dst token) {
	if dst.kind == text && len(dst.data) <= maxDestination && lo <= hi && len(m.text) < maxMappings {
		m.text = append(m.text, textRange{lo, hi, string(dst.data)})
	}
}

func (m *cmap) addCID(lo, hi uint32, cid float64) {
	if lo <= hi && cid >= 0 && cid < 1<<16 && len(m.cids) < maxMappings {
		m.cids = append(m.cids, cidRange{lo, hi, uint32(cid)})
	}
}

// addTextRanges reads "lo hi dst" and "lo hi [dst dst ...]".
func (m *cmap) addTextRanges(operands []token) {
	for len(operands) >= 3 {
		lo, hi := bigEndian(operands[0].data), bigEndian(operands[1].data)
		if operands[2].kind != open {
			m.addText(lo, hi, operands[2])
			operands = operands[3:]
			continue
		}
		operands = operands[3:]
		for len(operands) > 0 && operands[0].kind != shut {
			if lo <= hi {
				m.addText(lo, lo, operands[0])
				lo++
			}
			operands = operands[1:]
		}
		if len(operands) > 0 {
			operands = operands[1:]
		}
	}
}

// order sorts the mappings; of two for the same code the later one counts.
func (m *cmap) order() {
	slices.SortStableFunc(m.text, func(a, b textRange) int { return compare(a.lo, b.lo) })
	slices.SortStableFunc(m.cids, func(a, b cidRange) int { return compare(a.lo, b.lo) })
}

func compare(a, b uint32) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// lookup returns the text of a code.
func (m *cmap) lookup(code uint32) (string, bool) {
	i := sort.Search(len(m.text), func(i int) bool { return m.text[i].lo > code }) - 1
	// A single mapping may be inside a range that began before it.
	for back := 0; i >= 0 && back < 8; i, back = i-1, back+1 {
		if r := m.text[i]; code <= r.hi {
			return decodeUTF16(advance(r.dst, code-r.lo)), true
		}
	}
	return "", false
}

// cid returns the glyph number of a code.
func (m *cmap) cid(code uint32) (uint32, bool) {
	i := sort.Search(len(m.cids), func(i int) bool { return m.cids[i].lo > code }) - 1
	if i >= 0 && code <= m.cids[i].hi {
		return m.cids[i].cid + code - m.cids[i].lo, true
	}
	return 0, false
}

// size returns how many bytes the code at the front of s has, 0 if no
// codespace knows it.
func (m *cmap) size(s []byte) int {
	for n := 1; n <= 4 && n <= len(s); n++ {
		code := bigEndian(s[:n])
		for _, c := range m.spaces {
			if c.size == n && code >= c.lo && code <= c.hi {
				return n
			}
		}
	}
	return 0
}

// advance adds n to a big endian number.
func advance(s string, n uint32) string {
	if n == 0 {
		return s
	}
	b := []byte(s)
	for i := len(b) - 1; i >= 0 && n > 0; i-- {
		n += uint32(b[i])
		b[i] = byte(n)
		n >>= 8
	}
	return string(b)
}

// decodeUTF16 decodes big endian UTF-16; a single byte is taken for itself.
func decodeUTF16(s string) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}

// bigEndian reads up to four bytes as a number.
func bigEndian(b []byte) (n uint32) {
	for _, c := range b[:min(len(b), 4)] {
		n = n<<8 | uint32(c)
	}
	return n
}
