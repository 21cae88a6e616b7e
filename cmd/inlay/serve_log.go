package main

import (
	"io"
	"log/slog"
	"sync"
	"time"
)

// logger writes to standard error; closing it writes what waits.
func (c *serveCmd) logger(a *app, quiet bool) (*slog.Logger, io.Closer) {
	later, how := startLater(a.stderr), &slog.HandlerOptions{}
	if quiet {
		how.Level = slog.LevelWarn
	}
	if c.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(later, how)), later
	}
	return slog.New(slog.NewJSONHandler(later, how)), later
}

// later writes to a slow writer from a goroutine of its own, many lines at
// once. A request pays for its line with a copy: it waits neither for the
// system nor for the lines of others, unless more than laterMost bytes wait.
type later struct {
	to   io.Writer
	done chan struct{} // closed when nothing will be written by the goroutine any more

	mu      sync.Mutex
	some    sync.Cond // something waits, or the log was closed
	room    sync.Cond // there is room again, or the log was closed
	waiting []byte
	closed  bool
}

const (
	laterMost  = 1 << 20              // bytes that may wait
	laterPause = 5 * time.Millisecond // between two writes, in which lines gather
)

func startLater(to io.Writer) *later {
	l := &later{to: to, done: make(chan struct{})}
	l.some.L, l.room.L = &l.mu, &l.mu
	go l.run()
	return l
}

// Write takes a copy of p. It never fails: only the log could tell of it.
func (l *later) Write(p []byte) (int, error) {
	if l.keep(p) {
		return len(p), nil
	}
	<-l.done
	return l.to.Write(p)
}

// keep puts p to what waits, unless the log was closed.
func (l *later) keep(p []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > laterMost && !l.closed {
		l.room.Wait()
	}
	if l.closed {
		return false
	}
	if len(l.waiting) == 0 {
		l.some.Signal()
	}
	l.waiting = append(l.waiting, p...)
	return true
}

// run writes until the log is closed and nothing waits.
func (l *later) run() {
	defer close(l.done)
	var batch []byte
	for {
		var ok bool
		if batch, ok = l.next(batch[:0]); !ok {
			return
		}
		_, _ = l.to.Write(batch)
		time.Sleep(laterPause)
	}
}

// next takes all that waits and leaves spare in its place.
func (l *later) next(spare []byte) (batch []byte, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) == 0 && !l.closed {
		l.some.Wait()
	}
	batch, l.waiting = l.waiting, spare
	l.room.Broadcast()
	return batch, len(batch) > 0
}

// Close writes what waits; what comes after it is written at once.
func (l *later) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.some.Broadcast()
	l.room.Broadcast()
	<-l.done
	return nil
}
