package worker

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// A worker that reads one document after another ends after this many, or when
// nothing comes for so long.
const (
	mostDocuments = 100
	idleFor       = 2 * time.Second
)

// process is a running worker.
type process struct {
	cmd   *exec.Cmd
	kill  context.CancelFunc
	in    io.WriteCloser
	out   *bufio.Reader
	words *tail
	read  int // documents so far
	rest  *time.Timer
}

// launch starts a worker. It ends when kill is called, whatever it does.
func (c Command) launch(ctx context.Context) (*process, error) {
	ctx, kill := context.WithCancel(context.WithoutCancel(ctx))
	p, err := c.launchIn(ctx)
	if err != nil {
		kill()
		return nil, err
	}
	p.kill = kill
	return p, nil
}

func (c Command) launchIn(ctx context.Context) (*process, error) {
	cmd, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, words: &tail{}}
	cmd.WaitDelay = time.Second
	cmd.Stderr = p.words
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("open the worker's input: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("open the worker's output: %w", err)
	}
	p.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the worker: %w", err)
	}
	return p, nil
}

// send hands the worker a document, beside what it answers. The channel is closed
// when it has all of it, or takes no more.
func (p *process) send(head, data []byte, last bool) <-chan struct{} {
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.Copy(p.in, io.MultiReader(bytes.NewReader(head), bytes.NewReader(data))) // what it lacks, it says
		if last {
			_ = p.in.Close()
		}
	}()
	return sent
}

// end waits for a worker that was told to end, or kills it, and returns how it ended.
func (p *process) end() error {
	_ = p.in.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(p.out, 1<<20)) // let it end by itself
	err := p.cmd.Wait()
	p.kill()
	return err
}

// Pool keeps workers that have read a document for the next one. The zero value is
// ready; it is safe for concurrent use.
type Pool struct {
	mu   sync.Mutex
	idle map[string][]*process // by parser
	used map[string]bool       // parsers that have read a document
}

// Used reports whether one of the named parsers has read a document.
func (w *Pool) Used(parsers ...string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(parsers, func(p string) bool { return w.used[p] })
}

// Close ends the workers that wait. The pool can be used again.
func (w *Pool) Close() {
	w.mu.Lock()
	var all []*process
	for _, idle := range w.idle {
		all = append(all, idle...)
	}
	w.idle = nil
	w.mu.Unlock()
	for _, p := range all {
		p.rest.Stop()
		_ = p.end() // whatever it says now is of no document
	}
}

// take is a worker of a parser that waits, or nil.
func (w *Pool) take(parser string) *process {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.used == nil {
		w.used = map[string]bool{}
	}
	w.used[parser] = true
	idle := w.idle[parser]
	if len(idle) == 0 {
		return nil
	}
	p := idle[len(idle)-1]
	w.idle[parser] = idle[:len(idle)-1]
	p.rest.Stop()
	return p
}

// give keeps a worker for a while.
func (w *Pool) give(parser string, p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.idle == nil {
		w.idle = map[string][]*process{}
	}
	w.idle[parser] = append(w.idle[parser], p)
	p.rest = time.AfterFunc(idleFor, func() {
		if w.drop(parser, p) {
			_ = p.end() // as above
		}
	})
}

// drop takes a worker out, if it waits.
func (w *Pool) drop(parser string, p *process) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.idle[parser], p)
	if i >= 0 {
		w.idle[parser] = slices.Delete(w.idle[parser], i, i+1)
	}
	return i >= 0
}
