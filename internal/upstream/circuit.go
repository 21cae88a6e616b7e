package upstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"inlay/fault"
)

// Times of an upstream's circuit.
const (
	listFresh   = 30 * time.Second // how long a list of models is believed without asking again
	listTime    = 3 * time.Second  // longest that asking for it takes
	firstPause  = time.Second      // after a failure; doubled with each further one
	longestWait = 30 * time.Second // between two tries of an upstream that fails
	opensAfter  = 3                // failures in a row after which requests are refused at once
)

// States of an upstream.
const (
	Unknown = "unknown" // not asked yet
	Up      = "up"
	Failing = "failing" // it failed, and requests still go to it
	Down    = "down"    // requests are refused at once until it answers again
)

// Health is how an upstream is.
type Health struct {
	Name   string
	State  string
	Models int           // that it listed last
	Code   fault.Code    // of its last failure; empty: none since it worked
	Retry  time.Duration // until it is asked again, of one that fails
}

// circuit is what is known of one upstream.
type circuit struct {
	now func() time.Time

	mu     sync.Mutex
	names  []string // the last good list
	listed time.Time
	known  bool // it answered once
	fails  int  // of our own questions, in a row
	doubts int  // requests in a row that it did not answer
	last   error
	retry  time.Time     // not asked again before
	asking chan struct{} // closed when the one who asks has an answer; nil: nobody asks
}

// list returns the models of an upstream. While it fails, that is its last good
// list; it is an error where there is none. It asks at most once at a time.
func (c *circuit) list(ctx context.Context, ask func(context.Context) ([]string, error)) ([]string, error) {
	for {
		c.mu.Lock()
		if fresh := c.known && c.fails == 0 && c.now().Sub(c.listed) < listFresh; fresh || c.fails > 0 && c.now().Before(c.retry) {
			defer c.mu.Unlock()
			return c.answer()
		}
		other := c.asking
		if other == nil {
			c.asking = make(chan struct{})
			c.mu.Unlock()
			break
		}
		c.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), listTime) // others wait for the answer too
	defer cancel()
	names, err := ask(limited)
	if limited.Err() != nil && err != nil {
		err = &fault.Error{Code: fault.Timeout, Subject: "models", Reason: fmt.Sprintf("were not listed within %v", listTime), Next: "look at the server's log", Err: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.asking)
	c.asking = nil
	c.listed = c.now()
	if err == nil || answers(err) {
		c.known, c.names = true, names
		c.fails, c.doubts, c.last = 0, 0, nil
		return names, err
	}
	c.fail(err)
	return c.answer()
}

// answer is the last good list, or why there is none.
func (c *circuit) answer() ([]string, error) {
	if c.known || c.last == nil {
		return c.names, nil
	}
	return nil, c.last
}

func (c *circuit) fail(err error) {
	c.fails++
	c.last = err
	c.retry = c.now().Add(min(longestWait, firstPause<<min(c.fails-1, 10)))
}

// answers reports an error of a server that works: it has no list of models, or is busy.
func answers(err error) bool {
	return fault.Is(err, fault.ModelNotFound) || fault.Is(err, fault.RateLimited) || fault.Is(err, fault.BackendRefused)
}

// note learns from a request that went to the upstream, and reports whether the
// upstream has to be asked. A request alone opens nothing: what it failed of may
// be its body, and the upstream may work for everybody else.
func (c *circuit) note(err error) (ask bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil || answers(err):
		c.fails, c.doubts, c.last = 0, 0, nil
	case unreachable(err):
		c.doubts++
		c.listed = time.Time{} // whoever wants the list next asks for it
	}
	return c.doubts >= opensAfter
}

// settle asks an upstream that requests failed at, and opens the circuit if it
// does not answer that either.
func (c *circuit) settle(ctx context.Context, ask func(context.Context) ([]string, error)) {
	_, _ = c.list(ctx, ask)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.doubts = 0; c.fails > 0 && c.fails < opensAfter {
		c.fails = opensAfter - 1
		c.fail(c.last)
	}
}

// unreachable reports that a server did not answer at all; odd answers to one
// request are no reason to refuse the next.
func unreachable(err error) bool {
	_, of := errors.AsType[*url.Error](err)
	_, op := errors.AsType[*net.OpError](err)
	return of || op || fault.Is(err, fault.Timeout)
}

// admit is nil unless the circuit is open.
func (c *circuit) admit() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fails < opensAfter {
		return nil
	}
	after := max(time.Second, c.retry.Sub(c.now()))
	return &fault.Error{
		Code: fault.BackendUnreachable, Subject: "upstream", Reason: fmt.Sprintf("failed %d times in a row", c.fails), Next: "ask again when Retry-After says",
		RetryAfter: after, Err: c.last,
	}
}

func (c *circuit) health(name string) Health {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := Health{Name: name, State: Up, Models: len(c.names)}
	switch {
	case c.fails >= opensAfter:
		h.State = Down
	case c.fails > 0:
		h.State = Failing
	case !c.known:
		h.State = Unknown
	}
	if c.fails > 0 {
		h.Code, h.Retry = fault.CodeOf(c.last), max(0, c.retry.Sub(c.now()))
	}
	return h
}

// Working reports whether requests can go to an upstream.
func (h Health) Working() bool { return h.State == Up || h.State == Unknown }

// lastNames is the last good list, without asking.
func (c *circuit) lastNames() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names
}
