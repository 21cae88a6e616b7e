//go:build !race

package worker

const raced = false
