package lazy_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/internal/lazy"
)

func TestExpressionIsCompiledOnce(t *testing.T) {
	word := lazy.Regexp(`^\w+$`)
	require.True(t, word().MatchString("notice"))
	compiled := word()
	require.Same(t, compiled, word())
	broken := lazy.Regexp(`(`)
	require.Panics(t, func() { broken() })
}

// percent is the pace of collections in force.
func percent() int {
	p := debug.SetGCPercent(100)
	debug.SetGCPercent(p)
	return p
}

func TestFirstCollectionIsLateAndTheNextAreUsual(t *testing.T) {
	was := percent()
	t.Cleanup(func() { debug.SetGCPercent(was) })
	for name, one := range map[string]struct {
		set         string
		first, next int
	}{
		"not set":  {"", 800, 100},
		"a worker": {lazy.Environment()[len("GOGC="):], 800, 100},
		"set":      {"50", 60, 60},
	} {
		t.Run(name, func(t *testing.T) {
			debug.SetGCPercent(60)
			lazy.Collect(func(string) string { return one.set })
			require.Equal(t, one.first, percent())
			require.Eventually(t, func() bool {
				runtime.GC()
				return percent() == one.next
			}, 5*time.Minute, time.Millisecond)
		})
	}
}

// TestLargeHeapsAreCollectedMoreOften: and at the usual pace again once they are small.
func TestLargeHeapsAreCollectedMoreOften(t *testing.T) {
	was := percent()
	t.Cleanup(func() { debug.SetGCPercent(was) })
	lazy.Collect(func(string) string { return "" })
	paced := func(want int) bool {
		return assertEventually(func() bool {
			runtime.GC()
			return percent() == want
		})
	}
	heap := make([]byte, 300<<20)
	require.True(t, paced(40))
	runtime.KeepAlive(heap)
	require.True(t, paced(100))
}

func assertEventually(done func() bool) bool {
	for range 300_000 {
		if done() {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}
