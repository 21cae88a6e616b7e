package httpapi

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"inlay/fault"
)

// limiter counts the requests of each caller.
type limiter struct {
	limits  Limits
	mu      sync.Mutex
	callers map[string]*caller
}

type caller struct {
	rate  *rate.Limiter
	under int // requests under way
	last  time.Time
}

// callerIdle is how long a caller that does nothing is remembered.
const callerIdle = 10 * time.Minute

func newLimiter(l Limits) *limiter {
	return &limiter{limits: l, callers: map[string]*caller{}}
}

// limited is a refusal that says when to come again.
type limited struct{ after time.Duration }

// Error implements error.
func (*limited) Error() string { return "rate limited" }

// Unwrap gives it a code.
func (*limited) Unwrap() error {
	return &fault.Error{Code: fault.RateLimited, Subject: "requests", Reason: "there are more than you may send", Next: "wait as long as Retry-After says"}
}

// enter lets a request of owner in until leave is called.
func (l *limiter) enter(owner string) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.caller(owner)
	if c.under >= l.limits.Concurrency {
		return nil, &limited{time.Second}
	}
	if l.limits.Rate > 0 {
		if r := c.rate.Reserve(); r.Delay() > 0 {
			after := r.Delay()
			r.Cancel()
			return nil, &limited{after}
		}
	}
	c.under++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		c.under--
		c.last = time.Now()
	}, nil
}

func (l *limiter) caller(owner string) *caller {
	c, ok := l.callers[owner]
	if !ok {
		l.forget()
		c = &caller{rate: rate.NewLimiter(rate.Limit(l.limits.Rate), l.limits.Burst)}
		l.callers[owner] = c
	}
	c.last = time.Now()
	return c
}

func (l *limiter) forget() {
	for owner, c := range l.callers {
		if c.under == 0 && time.Since(c.last) > callerIdle {
			delete(l.callers, owner)
		}
	}
}
