package pdf

import "errors"

// cffFont is what a Compact Font Format program (Adobe Technical Note 5176)
// says about the characters of its glyphs.
type cffFont struct {
	data    []byte
	strings [][]byte // names beyond the standard ones
	charset int      // offset of the table of names, 0 to 2 are predefined
	codes   int      // offset of the encoding, 0 and 1 are predefined
	glyphs  int      // how many glyphs there are
}

var errCFF = errors.New("malformed font program")

// standardStrings is how many strings the format itself defines.
const standardStrings = 391

// parseCFF reads the tables of a font program up to its encoding.
func parseCFF(data []byte) (f cffFont, err error) {
	if len(data) < 4 {
		return f, errCFF
	}
	f.data = data
	_, at, err := f.index(int(data[2]))
	if err != nil {
		return f, err
	}
	tops, at, err := f.index(at)
	if err != nil || len(tops) == 0 {
		return f, errCFF
	}
	if f.strings, _, err = f.index(at); err != nil {
		return f, err
	}
	glyphs := f.top(tops[0])
	if glyphs <= 0 || glyphs+2 > len(data) {
		return f, errCFF
	}
	f.glyphs = f.uint(glyphs, 2)
	return f, nil
}

// uint reads a big endian number of n bytes, 0 past the end.
func (f *cffFont) uint(at, n int) (v int) {
	if at < 0 || at+n > len(f.data) {
		return 0
	}
	return int(bigEndian(f.data[at : at+n]))
}

// index reads an INDEX and returns its items and the position after it.
func (f *cffFont) index(at int) (items [][]byte, after int, err error) {
	count, size := f.uint(at, 2), f.uint(at+2, 1)
	if count == 0 {
		return nil, at + 2, nil
	}
	base := at + 3 + (count+1)*size - 1
	if size < 1 || size > 4 || base > len(f.data) {
		return nil, 0, errCFF
	}
	for i := range count {
		from := base + f.uint(at+3+i*size, size)
		after = base + f.uint(at+3+(i+1)*size, size)
		if from < 0 || after < from || after > len(f.data) {
			return nil, 0, errCFF
		}
		items = append(items, f.data[from:after])
	}
	return items, after, nil
}

// top reads a Top DICT: it keeps the offsets of charset and encoding and
// returns that of the glyphs.
func (f *cffFont) top(dict []byte) (glyphs int) {
	operand := 0
	for i := 0; i < len(dict); {
		b := int(dict[i])
		i++
		switch {
		case b == 15:
			f.charset = operand
		case b == 16:
			f.codes = operand
		case b == 17:
			glyphs = operand
		case b == 12:
			i++
		case b == 28 && i+2 <= len(dict):
			operand = int(int16(bigEndian(dict[i : i+2])))
			i += 2
		case b == 29 && i+4 <= len(dict):
			operand = int(int32(bigEndian(dict[i : i+4])))
			i += 4
		case b == 30:
			for i < len(dict) && dict[i]&0xF != 0xF && dict[i]>>4 != 0xF {
				i++
			}
			i++
		case b >= 32 && b <= 246:
			operand = b - 139
		case b >= 247 && b <= 254 && i < len(dict):
			operand = (b-247)*256 + int(dict[i]) + 108
			if b >= 251 {
				operand = -(b-251)*256 - int(dict[i]) - 108
			}
			i++
		}
	}
	return glyphs
}

// names returns the string id of each glyph.
func (f *cffFont) names() []int {
	out := make([]int, 1, f.glyphs+1)
	if f.charset <= 2 { // a predefined one: glyph n is string n in the first
		for i := 1; i < f.glyphs; i++ {
			out = append(out, i)
		}
		return out
	}
	at, format := f.charset+1, f.uint(f.charset, 1)
	for len(out) < f.glyphs && at < len(f.data) {
		first, more := f.uint(at, 2), 0
		at += 2
		if format > 0 {
			more = f.uint(at, format)
			at += format
		}
		for ; more >= 0 && len(out) < f.glyphs; more-- {
			out = append(out, first)
			first++
		}
	}
	return out
}

// encoding returns the string id of each code that the font's own encoding
// maps; nil where the encoding is a predefined one.
func (f *cffFont) encoding() map[int]int {
	if f.codes <= 1 {
		return nil
	}
	names := f.names()
	out := map[int]int{}
	format, n, at := f.uint(f.codes, 1), f.uint(f.codes+1, 1), f.codes+2
	glyph := 1
	put := func(code int) {
		if glyph < len(names) && code < 256 {
			out[code] = names[glyph]
		}
		glyph++
	}
	for range n {
		code := f.uint(at, 1)
		at++
		left := 0
		if format&0x7F == 1 {
			left = f.uint(at, 1)
			at++
		}
		for ; left >= 0; left-- {
			put(code)
			code++
		}
	}
	return out
}

// name returns the name of a string id beyond the standard ones.
func (f *cffFont) name(id int) string {
	if id -= standardStrings; id >= 0 && id < len(f.strings) {
		return string(f.strings[id])
	}
	return ""
}

// standardText returns what the glyphs of the standard strings 1 to 228 stand
// for: first those of StandardEncoding in order, then the rest of Latin 1.
func standardText() []string {
	out := []string{""}
	for _, s := range standardTable() {
		if s != "" {
			out = append(out, s)
		}
	}
	for _, r := range "¹¬µ™Ð½±Þ¼÷¦°þ¾²®−ð×³©ÁÂÄÀÅÃÇÉÊËÈÍÎÏÌÑÓÔÖÒÕŠÚÛÜÙÝŸŽáâäàåãçéêëèíîïìñóôöòõšúûüùýÿž" {
		out = append(out, string(r))
	}
	return out
}

// cffTable applies the encoding inside a CFF font program.
func (g *glyphNames) cffTable(t *codeTable, program []byte) {
	f, err := parseCFF(program)
	if err != nil {
		return
	}
	codes := f.encoding()
	standard := standardText()
	var unknown []string
	for _, id := range codes {
		unknown = append(unknown, f.name(id))
	}
	g.learn(unknown)
	for code, id := range codes {
		if id < len(standard) {
			t[code] = standard[id]
			continue
		}
		t[code] = g.text(f.name(id))
	}
}
