//go:build !race

package pdf

const raced = false
