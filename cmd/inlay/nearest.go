package main

import "slices"

// nearest is the word among known that a mistyped one may have been meant to be;
// empty: none comes near.
func nearest(word string, known []string) (best string) {
	least := max(1, len(word)/3) + 1
	for _, one := range known {
		if d := edits(word, one); d < least {
			best, least = one, d
		}
	}
	return best
}

// edits is how many letters have to be put in, left out or changed to make b of a;
// two that changed places are one.
func edits(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = slices.Clone(row), next
	}
	return row[len(b)]
}
