package worker

import "time"

// Cage bounds what the worker's process may use. Zero fields mean the defaults.
// On systems other than Linux only the supervisor's time limit holds.
type Cage struct {
	Memory int64         // bytes of data; default 768 MiB
	CPU    time.Duration // processor time, whole seconds; default 30 s
}

// Default limits of a worker's process.
const (
	DefaultMemory = 768 << 20
	DefaultCPU    = 30 * time.Second
)

func (c Cage) withDefaults() Cage {
	if c.Memory == 0 {
		c.Memory = DefaultMemory
	}
	if c.CPU == 0 {
		c.CPU = DefaultCPU
	}
	return c
}
