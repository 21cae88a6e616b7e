package lazy

import (
	"runtime"
	"runtime/debug"
	"strconv"
)

const (
	first = 800 // the first collection comes when the heap has 32 MiB
	usual = 100 // the runtime's own pace
)

// Environment is what a process that calls [Collect] may be started with, so
// that there is no collection before it does.
func Environment() string { return "GOGC=" + strconv.Itoa(first) }

// Collect puts off the first garbage collection until the heap has 32 MiB: a
// process that reads a page ends before, and each collection looks through all
// that the program was linked from. After it, collections come at the runtime's
// own pace. Where the environment sets another GOGC, that stays in force.
func Collect(getenv func(string) string) {
	if set := getenv("GOGC"); set != "" && set != strconv.Itoa(first) {
		return
	}
	debug.SetGCPercent(first)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
