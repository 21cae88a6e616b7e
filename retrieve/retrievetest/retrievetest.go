// Package retrievetest is the suite that every [retrieve.Index] passes. It
// holds a test for each way in which a vector store is known to lose, invent or
// shuffle what it finds. A new index runs it in one line:
//
//	func TestIndex(t *testing.T) {
//		retrievetest.Run(t, func(t *testing.T) retrieve.Index { return mine.New() })
//	}
//
// and, if it outlives its process, [RunPersistent] in another.
package retrievetest

import (
	"testing"

	"inlay/retrieve"
)

// Run tests that the indexes new returns keep the contract of
// [retrieve.Index]. Each call of new returns an empty one.
func Run(t *testing.T, open func(t *testing.T) retrieve.Index) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*testing.T, retrieve.Index)
	}{
		{"an empty index finds nothing", testEmpty},
		{"a limit above the count gives all", testLimits},
		{"scores are cosines", testScores},
		{"equal scores come in the order of files and text", testTies},
		{"only the asked files are searched", testFiles},
		{"a chunk with a known id replaces it", testReplace},
		{"the last of equal ids wins", testDuplicates},
		{"ids that hash alike are two chunks", testCollisions},
		{"bad vectors are refused", testBadVectors},
		{"a bad query is refused", testBadQuery},
		{"what is refused leaves nothing behind", testAllOrNothing},
		{"the caller's memory is its own", testAliasing},
		{"delete removes the files named and no others", testDelete},
		{"an emptied index takes vectors of another length", testEmptied},
		{"ended contexts stop it", testCancel},
		{"it may be used by many at once", testConcurrent},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// RunPersistent tests that an index holds after reopening what it held before.
// Each call of open opens the index of a folder.
func RunPersistent(t *testing.T, open func(t *testing.T, dir string) retrieve.Index) {
	t.Helper()
	Run(t, func(t *testing.T) retrieve.Index {
		t.Helper()
		return open(t, t.TempDir())
	})
	t.Run("what was added is there after reopening", func(t *testing.T) { testReopen(t, open) })
	t.Run("ids that hash alike are two chunks after reopening", func(t *testing.T) {
		dir := t.TempDir()
		testCollisions(t, open(t, dir))
		checkCollisions(t, open(t, dir))
	})
}
