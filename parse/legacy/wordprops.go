package legacy

import (
	"sort"

	"inlay/internal/charset"
	"inlay/parse/internal/littleendian"
)

// paragraph is what is known of a paragraph's format.
type paragraph struct {
	style   int
	level   int // of a heading, 1..9; 0 is body text
	inTable bool
	rowEnd  bool
	listed  bool
}

// pageSize is the unit in which formats are stored.
const pageSize = 512

// paragraphAt finds the format of the paragraph that the byte at offset of the main
// stream belongs to. ok is false if the file does not say.
func (w *wordFile) paragraphAt(offset int) (p paragraph, ok bool) {
	if !w.modern {
		return p, false
	}
	bins := w.pair(pairParagraphs)
	n := (len(bins) - 4) / 8
	i := sort.Search(max(n, 0), func(i int) bool { return int(littleendian.Uint32(bins, 4*(i+1))) > offset })
	if i >= n {
		return p, false
	}
	page := cut(w.main, (int(littleendian.Uint32(bins, 4*(n+1)+4*i))&0x3FFFFF)*pageSize, pageSize)
	if len(page) < pageSize {
		return p, false
	}
	runs := int(page[pageSize-1])
	r := sort.Search(runs, func(i int) bool { return int(littleendian.Uint32(page, 4*(i+1))) > offset })
	const boxSize = 13
	box := 4*(runs+1) + boxSize*r
	if r >= runs || box >= pageSize {
		return p, false
	}
	at := 2 * int(page[box])
	if at == 0 || at+2 >= pageSize {
		return p, true // nothing but the style "Normal"
	}
	length := 2*int(page[at]) - 1
	if page[at] == 0 {
		at++
		length = 2 * int(page[at])
	}
	return w.formatOf(cut(page, at+1, length)), true
}

// Modifiers of paragraphs that matter for text.
const (
	modInTable = 0x2416
	modRowEnd  = 0x2417
	modOutline = 0x2640
	modList    = 0x460B
	modTabs    = 0xC615
	modTable   = 0xD608
	modTableT  = 0xD606
)

// formatOf reads a style number and the modifiers after it.
func (w *wordFile) formatOf(data []byte) paragraph {
	p := paragraph{style: littleendian.Uint16(data, 0)}
	p.level = w.headings[p.style]
	for at := 2; at+2 < len(data); {
		mod := littleendian.Uint16(data, at)
		value := int(data[at+2])
		switch mod {
		case modInTable:
			p.inTable = value != 0
		case modRowEnd:
			p.rowEnd = value != 0
		case modOutline:
			p.level = 0
			if value < 9 {
				p.level = value + 1
			}
		case modList:
			p.listed = littleendian.Uint16(data, at+2) != 0
		}
		at += 2 + operandSize(mod, data[at+2:])
	}
	return p
}

// operandSize is the length of what follows a modifier.
func operandSize(mod int, operand []byte) int {
	switch mod >> 13 {
	case 0, 1:
		return 1
	case 2, 4, 5:
		return 2
	case 3:
		return 4
	case 7:
		return 3
	}
	if mod == modTable || mod == modTableT {
		return littleendian.Uint16(operand, 0) + 1
	}
	if mod == modTabs && operand[0] == 255 { // its length cannot be told without reading it
		return len(operand)
	}
	return int(operand[0]) + 1
}

// readStyles finds the heading level of each style: those of the built-in headings
// and of what is based on them.
func (w *wordFile) readStyles() {
	w.headings = map[int]int{}
	for i := 1; i <= 9; i++ {
		w.headings[i] = i
	}
	sheet := w.pair(pairStyles)
	if !w.modern || len(sheet) < 6 {
		return
	}
	at, n := 2+littleendian.Uint16(sheet, 0), littleendian.Uint16(sheet, 2)
	based := map[int]int{}
	for style := range n {
		size := littleendian.Uint16(sheet, at)
		if size >= 4 {
			base := littleendian.Uint16(sheet, at+4) >> 4
			based[style] = base
			if kind := littleendian.Uint16(sheet, at+2) & 0xFFF; kind >= 1 && kind <= 9 {
				w.headings[style] = kind
			}
		}
		at += 2 + size + size&1
	}
	for style := range n {
		base := style
		for range 10 { // styles may be based on each other in a circle
			if level := w.headings[base]; level > 0 {
				w.headings[style] = level
				break
			}
			next, ok := based[base]
			if !ok {
				break
			}
			base = next
		}
	}
}

// guessCodepage finds the encoding of 8-bit text by its letters.
func (w *wordFile) guessCodepage() string {
	var sample []byte
	for _, p := range w.pieces {
		sample = append(sample, cut(w.main, p.at, min(p.end-p.start, 1<<16))...)
	}
	for i, b := range sample {
		if b < ' ' {
			sample[i] = '\n'
		}
	}
	if name := charset.Decode(sample, "").Charset; name != "utf-8" {
		return name
	}
	return "windows-1252"
}
