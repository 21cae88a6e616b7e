package parse

import (
	"sort"
	"strings"
)

// Lines finds line numbers by byte offset. Lines are separated by "\n" and
// numbered from 1.
type Lines struct {
	starts []int // offset of each line's first byte
	length int
}

// NewLines indexes text once; every look-up after that is a binary search.
func NewLines(text string) Lines {
	starts := make([]int, 1, 1+strings.Count(text, "\n"))
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return Lines{starts: starts, length: len(text)}
		}
		at += i + 1
		starts = append(starts, at)
	}
}

// Count returns the number of lines; a final line break begins no new line.
func (l Lines) Count() int {
	n := len(l.starts)
	if n > 1 && l.starts[n-1] == l.length {
		n--
	}
	return n
}

// LineAt returns the line that the byte at offset is in. Offsets outside
// the text count as its nearest end.
func (l Lines) LineAt(offset int) int {
	n := sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > offset })
	return min(max(n, 1), l.Count())
}

// Range returns the first and last line of the half-open byte range [start, end).
func (l Lines) Range(start, end int) (first, last int) {
	first = l.LineAt(start)
	return first, max(first, l.LineAt(max(start, end-1)))
}

// Start returns the offset of a line's first byte.
func (l Lines) Start(line int) int { return l.starts[min(max(line, 1), len(l.starts))-1] }
