package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLater: no line is lost or torn, the writers of one goroutine stay in
// order, also where the log is slower than they are, and none comes after it
// was closed.
func TestLater(t *testing.T) {
	r, w := io.Pipe()
	l := startLater(w)
	var all sync.WaitGroup
	const writers, lines = 8, 2000
	padding := strings.Repeat("x", 100) // more than may wait in all
	for i := range writers {
		all.Go(func() {
			for n := range lines {
				_, err := fmt.Fprintf(l, "%d %d %s\n", i, n, padding)
				require.NoError(t, err)
			}
		})
	}
	read := make(chan []byte)
	go func() {
		data, _ := io.ReadAll(r)
		read <- data
	}()
	all.Wait()
	require.NoError(t, l.Close())
	go func() {
		_, _ = l.Write([]byte("after\n"))
		_ = w.Close()
	}()
	got := bytes.Split(bytes.TrimSuffix(<-read, []byte("\n")), []byte("\n"))
	require.Len(t, got, writers*lines+1)
	require.Equal(t, "after", string(got[len(got)-1]))
	next := make([]int, writers)
	for _, line := range got[:len(got)-1] {
		var i, n int
		var pad string
		_, err := fmt.Sscanf(string(line), "%d %d %s", &i, &n, &pad)
		require.NoError(t, err)
		require.Equal(t, next[i], n)
		require.Len(t, pad, len(padding))
		next[i]++
	}
	require.Equal(t, slices.Repeat([]int{lines}, writers), next)
}
