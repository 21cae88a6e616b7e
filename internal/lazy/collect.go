package lazy

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
)

const (
	first = 800 // the first collection comes when the heap has 32 MiB
	usual = 100 // the runtime's own pace
	tight = 40  // of a heap that is large
	large = 256 << 20
)

// Environment is what a process that calls [Collect] may be started with, so
// that there is no collection before it does.
func Environment() string { return "GOGC=" + strconv.Itoa(first) }

// Collect puts off the first garbage collection until the heap has 32 MiB: a
// process that reads a page ends before, and each collection looks through all
// that the program was linked from. After it, collections come at the runtime's
// own pace, and from a heap of 256 MiB on more often, so that a question about
// much text takes little more memory than what it needs. Where the environment
// sets another GOGC, that stays in force.
func Collect(getenv func(string) string) {
	if set := getenv("GOGC"); set != "" && set != strconv.Itoa(first) {
		return
	}
	debug.SetGCPercent(first)
	follow(first)
}

// follow sets the pace after each collection by what that left; now is the pace in
// force.
func follow(now int) {
	runtime.AddCleanup(new([64]byte), func(now int) {
		if next := pace(); next != now {
			debug.SetGCPercent(next)
			now = next
		}
		follow(now)
	}, now)
}

// pace is that for the present heap.
func pace() int {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() == metrics.KindUint64 && live[0].Value.Uint64() >= large {
		return tight
	}
	return usual
}
