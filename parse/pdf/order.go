package pdf

import "slices"

// A page shows its text in the order of reading, or nearly so. Some programs draw
// boxes in the order in which they were made. A page of which much text was shown
// before text right above it is put in order by moving blocks, and so is one whose
// top is shown among the last with at least minInversions such blocks. Heads and
// feet that are drawn first or last are moved in any case.
const (
	minInversions = 3
	maxBlocks     = 200
	upStep        = 1.5 // font sizes upwards: a new block
	downStep      = 4   // and downwards
	maxDisorder   = .15 // share of a page's text
	edgeBlocks    = 3   // blocks at the top and at the bottom that are heads or feet
	maxEdgePieces = 3   // lines of one
)

// piece is a line or a table and where it is, turned into the page's
// direction. One that runs in another direction belongs to the piece before it.
type piece struct {
	line  line
	box   box
	stray bool
}

// block is pieces that were shown from the top down.
type block struct {
	pieces []piece
	box    box
}

// pieceOf places a line.
func (t *tabulator) pieceOf(l line) piece {
	if !t.runs(l) || len(l.words) == 0 {
		return piece{line: l, stray: true}
	}
	y := l.across()
	return piece{line: l, box: box{l.words[0].x0, y, l.words[len(l.words)-1].x1, y + .7*l.size}}
}

// ordered puts pieces in the order in which they are read and returns their
// lines.
func (t *tabulator) ordered(pieces []piece) []line {
	blocks := blocksOf(pieces)
	if len(blocks) <= maxBlocks {
		t.doc.charge(len(blocks) * len(blocks) / 16)
		if topIsLast(blocks) && inversions(blocks) >= minInversions || disorder(blocks) > maxDisorder {
			blocks = sorted(blocks)
		}
		blocks = edgesFirstAndLast(blocks)
	}
	out := make([]line, 0, len(pieces))
	for _, b := range blocks {
		for _, p := range b.pieces {
			p.line.words = nil
			out = append(out, p.line)
		}
	}
	return out
}

// blocksOf parts pieces where they go up, or down by more than lines do.
func blocksOf(pieces []piece) (out []block) {
	var before piece
	for _, p := range pieces {
		n := len(out)
		switch {
		case n > 0 && p.stray:
			out[n-1].pieces = append(out[n-1].pieces, p)
			continue
		case n == 0 || apartFrom(before, p):
			out = append(out, block{[]piece{p}, p.box})
		default:
			out[n-1].pieces = append(out[n-1].pieces, p)
			out[n-1].box = out[n-1].box.with(p.box)
		}
		before = p
	}
	return out
}

// apartFrom reports whether a piece begins another block than the one before it.
func apartFrom(before, p piece) bool {
	size := max(p.line.size, before.line.size)
	return p.box.y0 > before.box.y0+upStep*size || p.box.y1 < before.box.y0-downStep*size
}

// above reports whether the whole of a is above b and in the same column.
func (b box) above(o box) bool { return b.beside(o) && b.y0 >= o.y1 }

// beside reports whether two boxes share a column.
func (b box) beside(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 }

// topIsLast reports whether the topmost block is in the last third.
func topIsLast(blocks []block) bool {
	top := 0
	for i, b := range blocks {
		if b.box.y1 > blocks[top].box.y1 {
			top = i
		}
	}
	return 3*top >= 2*len(blocks)
}

// inversions counts the blocks that are right above the one shown before them.
func inversions(blocks []block) (n int) {
	for i := 1; i < len(blocks); i++ {
		if blocks[i].box.above(blocks[i-1].box) {
			n++
		}
	}
	return n
}

// disorder is the share of a page's text that was shown before text right above it.
func disorder(blocks []block) float64 {
	all, late := 0, 0
	for i, b := range blocks {
		n, below := b.letters(), 0
		all += n
		for _, o := range blocks[:i] {
			if b.box.above(o.box) {
				below += o.letters()
			}
		}
		late += min(n, below)
	}
	return float64(late) / float64(max(all, 1))
}

// letters is how much text a block has.
func (b block) letters() (n int) {
	for _, p := range b.pieces {
		n += len(p.line.text)
	}
	return n
}

// edgesFirstAndLast moves blocks of few lines that are above all others to the
// front, and those below all others to the end: heads and feet are often drawn
// last or first.
func edgesFirstAndLast(blocks []block) []block {
	above := func(a, b block) bool { return a.box.y0 >= b.box.y1 }
	below := func(a, b block) bool { return a.box.y1 <= b.box.y0 }
	for n := 0; n < min(edgeBlocks, len(blocks)-1); n++ {
		if i := furthest(blocks[n:], above); i >= 0 {
			b := blocks[n+i]
			blocks = slices.Insert(slices.Delete(blocks, n+i, n+i+1), n, b)
		}
	}
	for n := 0; n < min(edgeBlocks, len(blocks)-1); n++ {
		last := len(blocks) - n
		if i := furthest(blocks[:last], below); i >= 0 {
			b := blocks[i]
			blocks = slices.Insert(slices.Delete(blocks, i, i+1), last-1, b)
		}
	}
	return blocks
}

// furthest is the index of the block of few lines that is beyond all others, -1
// if there is none.
func furthest(blocks []block, beyond func(a, b block) bool) int {
	for i, b := range blocks {
		if len(b.pieces) <= maxEdgePieces && !slices.ContainsFunc(blocks, func(o block) bool { return o.box != b.box && !beyond(b, o) }) {
			return i
		}
	}
	return -1
}

// sorted moves each block before those that it is above of, as far as no
// other block of its column is in between.
func sorted(blocks []block) (out []block) {
	for _, b := range blocks {
		place := len(out)
		for i, o := range slices.Backward(out) {
			if b.box.above(o.box) {
				place = i
			} else if b.box.beside(o.box) {
				break
			}
		}
		out = slices.Insert(out, place, b)
	}
	return out
}
