package injection

import (
	"slices"
	"strconv"
	"strings"

	"inlay/internal/lazy"
)

// cited finds the markers of an answer: [1], [2, 3].
var cited = lazy.Regexp(`\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]`)

// Mark is a place where an answer refers to a passage.
type Mark struct {
	Number     int // of the passage
	Start, End int // of the brackets, in bytes of the answer
}

// Marks are the places where an answer refers to passages, in order. Brackets
// with several numbers are a mark for each.
func Marks(answer string) []Mark {
	var out []Mark
	for _, m := range cited().FindAllStringSubmatchIndex(answer, -1) {
		for part := range strings.SplitSeq(answer[m[2]:m[3]], ",") {
			if n, err := strconv.Atoi(strings.TrimSpace(part)); err == nil {
				out = append(out, Mark{n, m[0], m[1]})
			}
		}
	}
	return out
}

// CitedNumbers are the passages that an answer refers to, in order, each once.
func CitedNumbers(answer string) []int {
	var out []int
	for _, m := range Marks(answer) {
		if !slices.Contains(out, m.Number) {
			out = append(out, m.Number)
		}
	}
	return out
}
