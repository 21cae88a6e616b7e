package worker

import (
	"time"

	"inlay/parse"
)

// cage bounds what the worker's process may use. On systems other than Linux
// only the supervisor's time limit holds.
type cage struct {
	memory int64         // bytes of data
	cpu    time.Duration // processor time, whole seconds
}

func cageOf(l parse.Limits) cage {
	l = l.WithDefaults()
	return cage{l.Memory, l.CPU}
}
