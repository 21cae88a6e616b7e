package httpapi

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"inlay/fault"
	"inlay/internal/state"
)

// limiter counts the requests of each caller.
type limiter struct {
	limits  Limits
	rates   state.Rates // nil: they are of this server alone
	mu      sync.Mutex
	callers map[string]*caller
	under   int // requests of all callers under way
}

type caller struct {
	rate  *rate.Limiter
	under int // requests under way
	last  time.Time
	stock int       // requests that were taken from the shared rate
	until time.Time // when they are given up
}

// callerIdle is how long a caller that does nothing is remembered.
const callerIdle = 10 * time.Minute

func newLimiter(l Limits, rates state.Rates) *limiter {
	return &limiter{limits: l, rates: rates, callers: map[string]*caller{}}
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
func (l *limiter) enter(ctx context.Context, owner string) (leave func(), err error) {
	leave, err = l.begin(owner)
	if err != nil {
		return nil, err
	}
	if l.limits.Rate > 0 && owner != "" {
		if err := l.pass(ctx, owner); err != nil {
			leave()
			return nil, err
		}
	}
	return leave, nil
}

// begin counts a request under way.
func (l *limiter) begin(owner string) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.caller(owner)
	if c.under >= l.limits.Concurrency || l.under >= l.limits.Requests {
		return nil, tooMany(time.Second)
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

// pass counts a request: against the rate of all servers, or, where that cannot
// be had, against this one's.
func (l *limiter) pass(ctx context.Context, owner string) error {
	if l.rates == nil {
		return l.passHere(owner)
	}
	if l.fromStock(owner, 0) {
		return nil
	}
	granted, err := l.rates.Take(ctx, owner, l.together(), l.limits.Rate, l.limits.Burst)
	if err != nil {
		return l.passHere(owner)
	}
	if l.fromStock(owner, granted) {
		return nil
	}
	return tooMany(time.Duration(float64(time.Second) / l.limits.Rate))
}

func (l *limiter) passHere(owner string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.caller(owner).rate.Reserve()
	if after := r.Delay(); after > 0 {
		r.Cancel()
		return tooMany(after)
	}
	return nil
}

// together is how many requests are taken from the shared rate at once: as many
// as come in a tenth of a second, so that not each of them asks for itself.
func (l *limiter) together() int {
	return max(1, min(int(l.limits.Rate/10), l.limits.Burst/4))
}

// stockAge is how long requests that were taken wait for somebody to send them.
const stockAge = time.Second

// fromStock lets a request pass for one that was taken, more included.
func (l *limiter) fromStock(owner string, more int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.caller(owner)
	now := time.Now()
	if now.After(c.until) {
		c.stock = 0
	}
	if more > 0 {
		c.stock, c.until = c.stock+more, now.Add(stockAge)
	}
	if c.stock == 0 {
		return false
	}
	c.stock--
	return true
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
