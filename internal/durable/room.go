package durable

// reserve is how much of a disk is left to those who cannot do without: a
// database that needs room to note even a deletion.
const reserve = 16 << 20

// Low reports that the disk of path has so little room that what can wait, or
// can be made again, should not be written to it.
func Low(path string) bool {
	free, ok := Free(path)
	return ok && free < reserve
}
