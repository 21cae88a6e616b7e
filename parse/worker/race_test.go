//go:build race

package worker_test

// raced says that the race detector is on: it needs more memory by itself than
// a worker may have.
const raced = true
