package flat

import (
	"inlay/embed"
	"inlay/retrieve"
)

// block is the chunks of one file.
type block struct {
	dimensions int
	vectors    []float32 // of row i: [i*dimensions, (i+1)*dimensions)
	rows       []row
	row        map[string]int // chunk id to row
}

// row is what a match needs of a chunk.
type row struct {
	id    string
	start int
}

// vector is the vector of row i.
func (b *block) vector(i int) []float32 { return b.vectors[i*b.dimensions : (i+1)*b.dimensions] }

// put appends a chunk, or replaces the one with its id.
func (b *block) put(c retrieve.Chunk, v embed.Vector) {
	if i, ok := b.row[c.ID]; ok {
		b.rows[i].start = c.Start
		copy(b.vector(i), v)
		return
	}
	b.row[c.ID] = len(b.rows)
	b.rows = append(b.rows, row{c.ID, c.Start})
	b.vectors = append(b.vectors, v...)
}

// drop removes a chunk; the last row takes its place.
func (b *block) drop(id string) {
	i, last := b.row[id], len(b.rows)-1
	b.rows[i] = b.rows[last]
	copy(b.vector(i), b.vector(last))
	b.row[b.rows[i].id] = i
	delete(b.row, id)
	b.rows = b.rows[:last]
	b.vectors = b.vectors[:last*b.dimensions]
}
