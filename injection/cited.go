package injection

import (
	"slices"
	"strconv"
	"strings"

	"inlay/internal/lazy"
)

// cited finds the markers of an answer: [1], [2, 3].
var cited = lazy.Regexp(`\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]`)

// CitedNumbers are the passages that an answer refers to, in order, each once.
func CitedNumbers(answer string) []int {
	var out []int
	for _, m := range cited().FindAllStringSubmatch(answer, -1) {
		for part := range strings.SplitSeq(m[1], ",") {
			if n, err := strconv.Atoi(strings.TrimSpace(part)); err == nil && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}
