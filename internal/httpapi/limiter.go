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
	under   int // requests of all callers under way
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
type limited struct {
	after time.Duration
	err   fault.Error
}

func tooMany(after time.Duration) error {
	return &limited{after, fault.Error{Code: fault.RateLimited, Subject: "requests", Reason: "there are more than you may send", Next: "wait as long as Retry-After says"}}
}

// Error implements error.
func (*limited) Error() string { return "rate limited" }

// Unwrap gives it a code.
func (l *limited) Unwrap() error { return &l.err }

// enter lets a request of owner in until leave is called. The rate is of owners
// of keys; where nobody needs one, owner is empty and there is nobody to protect.
func (l *limiter) enter(owner string) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.caller(owner)
	if c.under >= l.limits.Concurrency || l.under >= l.limits.Requests {
		return nil, tooMany(time.Second)
	}
	if l.limits.Rate > 0 && owner != "" {
		if r := c.rate.Reserve(); r.Delay() > 0 {
			after := r.Delay()
			r.Cancel()
			return nil, tooMany(after)
		}
	}
	c.under++
	l.under++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		c.under--
		l.under--
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
