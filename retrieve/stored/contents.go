package stored

import (
	"maps"
	"slices"
)

// contents is what the index holds, without the vectors: enough to know which
// parts of the log still count.
type contents struct {
	dimensions int
	home       map[string]string          // chunk id to file id
	byFile     map[string]map[string]bool // file id to chunk ids
	written    int                        // chunks in the log, counted or not
}

func (c *contents) add(r *record) {
	if c.home == nil {
		c.home, c.byFile = map[string]string{}, map[string]map[string]bool{}
	}
	c.dimensions = len(r.Vectors[0])
	c.written += len(r.Chunks)
	for _, k := range r.Chunks {
		if old, ok := c.home[k.ID]; ok {
			c.drop(old, k.ID)
		}
		c.home[k.ID] = k.FileID
		if c.byFile[k.FileID] == nil {
			c.byFile[k.FileID] = map[string]bool{}
		}
		c.byFile[k.FileID][k.ID] = true
	}
}

// drop removes a chunk, and its file if it was the last.
func (c *contents) drop(file, chunk string) {
	delete(c.byFile[file], chunk)
	if len(c.byFile[file]) == 0 {
		delete(c.byFile, file)
	}
	delete(c.home, chunk)
}

func (c *contents) remove(files []string) {
	for _, f := range files {
		for chunk := range c.byFile[f] {
			delete(c.home, chunk)
		}
		delete(c.byFile, f)
	}
	if len(c.byFile) == 0 {
		c.dimensions = 0
	}
}

// known are those of the files that have chunks.
func (c *contents) known(files []string) []string {
	var known []string
	for _, f := range files {
		if c.byFile[f] != nil {
			known = append(known, f)
		}
	}
	return known
}

func (c *contents) files() []string { return slices.Sorted(maps.Keys(c.byFile)) }

// wasteful reports whether most of the log is about chunks that are gone.
func (c *contents) wasteful() bool { return c.written > 2*len(c.home)+1000 }
