package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/library"
)

// TestShelfView: into a pipe goes a line from time to time with the rate and the
// time left, and nothing of what is done at once.
func TestShelfView(t *testing.T) {
	var out bytes.Buffer
	v := newShelfView(&out, false)
	v.show(library.Progress{Looking: true})
	v.show(library.Progress{Files: 1, Total: 4, Bytes: 10e6, TotalBytes: 40e6, Elapsed: 2 * time.Second})
	require.Empty(t, out.String())
	v.every = 0
	v.show(library.Progress{Files: 1, Total: 4, Bytes: 10e6, TotalBytes: 40e6, Kept: 1, Elapsed: 2 * time.Second})
	require.Equal(t, "1 of 4 files, 10.0 MB of 40.0 MB, 5.0 MB/s, 6s left; 1 kept\n", out.String())
	v.show(library.Progress{Files: 4, Total: 4, Bytes: 40e6, TotalBytes: 40e6, Kept: 4, Elapsed: 8 * time.Second})
	require.Equal(t, 1, strings.Count(out.String(), "\n"), "the summary reports the end")
	live := newShelfView(&out, false)
	live.live = true
	out.Reset()
	live.show(library.Progress{Looking: true})
	live.show(library.Progress{Files: 4, Total: 4, Bytes: 40e6, TotalBytes: 40e6, Kept: 4, Elapsed: 8 * time.Second})
	live.close()
	require.Equal(t, "\r\x1b[Klooking at the folders ...\r\x1b[K4 of 4 files, 40.0 MB of 40.0 MB, 5.0 MB/s; 4 kept\r\x1b[K", out.String())
}

// TestWatchEnds: to stop watching is no failure.
func TestWatchEnds(t *testing.T) {
	folder, data := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), []byte("Foxes dig.\n"), 0o600))
	none := func(string) string { return "" }
	require.NoError(t, run(t.Context(), []string{"library", "add", "--data", data, "n", folder}, none, strings.NewReader(""), io.Discard, io.Discard))
	ctx, stop := context.WithCancel(t.Context())
	said, w := io.Pipe()
	go func() {
		_, _ = said.Read(make([]byte, 100)) // it watches
		stop()
		_, _ = io.Copy(io.Discard, said)
	}()
	require.NoError(t, run(ctx, []string{"library", "watch", "--data", data, "n"}, none, strings.NewReader(""), io.Discard, w))
	require.NoError(t, w.Close())
}
