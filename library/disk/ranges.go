package disk

import (
	"inlay/chat"
	"inlay/retrieve"
)

// putRanges writes the ranges of passages that leave out headers and footers of
// their pages. Tables of earlier versions end before them.
func putRanges(c *coder, chunks []retrieve.Chunk) {
	for k, p := range chunks {
		if len(p.Ranges) == 0 {
			continue
		}
		c.number(k)
		c.number(len(p.Ranges))
		at := p.Start
		for _, r := range p.Ranges {
			c.number(r.Start - at)
			c.number(r.End - r.Start)
			at = r.End
		}
	}
}

// readRanges reads what putRanges wrote, up to the end.
func readRanges(d *decoder, chunks []retrieve.Chunk) {
	for len(d.b) > 0 && !d.bad {
		k := d.number()
		if k >= len(chunks) {
			d.fail()
			return
		}
		ranges := make([]chat.Range, d.count())
		at := chunks[k].Start
		for i := range ranges {
			start := at + d.number()
			end := start + d.number()
			if start < at || end < start || end > chunks[k].End {
				d.fail()
				return
			}
			ranges[i], at = chat.Range{Start: start, End: end}, end
		}
		chunks[k].Ranges = ranges
	}
}

// textOf is the text of a passage in a block that begins with the byte from of
// its document.
func textOf(block []byte, from int, c retrieve.Chunk) string {
	if len(c.Ranges) == 0 {
		return string(block[c.Start-from : c.End-from])
	}
	text := make([]byte, 0, c.End-c.Start)
	for _, r := range c.Ranges {
		text = append(text, block[r.Start-from:r.End-from]...)
	}
	return string(text)
}
