package durable

import "path/filepath"

// reserve is how much of a disk is left to those who cannot do without: a
// database that needs room to note even a deletion.
const reserve = 16 << 20

// Low reports that the disk of path has so little room that what can wait, or
// can be made again, should not be written to it.
func Low(path string) bool {
	free, ok := Free(path)
	if !ok { // the file may not be there yet
		free, ok = Free(filepath.Dir(path))
	}
	return ok && free < reserve
}
