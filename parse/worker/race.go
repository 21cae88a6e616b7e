//go:build race

package worker

// raced says that the race detector is on: it maps far more memory than a
// worker may have, so that limit is left out.
const raced = true
