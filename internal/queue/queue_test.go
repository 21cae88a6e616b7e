package queue

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestQueue: work is done in the order it came unless pick says otherwise;
// stopping ends what is under way and leaves what waits.
func TestQueue(t *testing.T) {
	done := make(chan int, 10)
	gate := make(chan struct{})
	q := Start(1, func(waiting []int) int { return len(waiting) - 1 }, func(_ context.Context, n int) {
		<-gate
		done <- n
	})
	q.Add(1)
	require.Eventually(t, func() bool { q.mu.Lock(); defer q.mu.Unlock(); return len(q.items) == 0 }, 5*time.Minute, time.Millisecond)
	for n := range 3 {
		q.Add(n + 2)
	}
	close(gate)
	require.Equal(t, []int{1, 4, 3, 2}, []int{<-done, <-done, <-done, <-done})
	q.Stop()

	var ended atomic.Bool
	began := make(chan struct{})
	q = Start(1, nil, func(ctx context.Context, _ int) {
		close(began)
		<-ctx.Done()
		ended.Store(true)
	})
	q.Add(1)
	q.Add(2)
	<-began
	q.Stop()
	require.True(t, ended.Load())
	require.Len(t, q.items, 1)
}

// TestTurns: many things of one owner let those of others through, whose turns
// are as many, however late they come.
func TestTurns(t *testing.T) {
	pick := Turns(func(s string) string { return s[:1] })
	waiting := []string{"a1", "a2", "a3", "b1", "b2", "a4"}
	var order []string
	for len(waiting) > 0 {
		i := pick(waiting)
		order = append(order, waiting[i])
		waiting = slices.Delete(waiting, i, i+1)
		if len(order) == 2 {
			waiting = append(waiting, "c1")
		}
	}
	require.Equal(t, []string{"a1", "b1", "c1", "a2", "b2", "a3", "a4"}, order)
}
