// Package transport carries requests to model servers: patient with a busy
// server, bounded in time, and silent about what it carries.
package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"inlay/fault"
)

// Options shape a [Transport]. Zero values are the defaults.
type Options struct {
	Attempts int               // tries of one request in all; 4
	Backoff  time.Duration     // pause before the second try, doubled each time; 250 ms
	Patience time.Duration     // longest that all pauses of a request take together; a Retry-After beyond it ends the tries; 30 s
	Retried  func()            // told of each try after the first; nil: nobody
	Idle     time.Duration     // longest silence of the server, loading a model included; 5 min
	Base     http.RoundTripper // what sends; http.DefaultTransport
	Logger   *slog.Logger      // told of retries, without content; none
	// Around wraps a [Client]'s transport; nil: nothing does.
	Around func(http.RoundTripper) http.RoundTripper
}

func (o Options) withDefaults() Options {
	set := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	set(&o.Backoff, 250*time.Millisecond)
	set(&o.Patience, 30*time.Second)
	set(&o.Idle, 5*time.Minute)
	if o.Attempts <= 0 {
		o.Attempts = 4
	}
	if o.Base == nil {
		o.Base = http.DefaultTransport
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Transport is an http.RoundTripper that tries again with backoff when a
// server answers 429 or 503, as long as it is asked to by Retry-After, and
// ends a request whose server falls silent with [fault.Timeout].
type Transport struct{ o Options }

// New returns a transport.
func New(o Options) *Transport { return &Transport{o: o.withDefaults()} }

// Client returns an HTTP client over a new transport. It follows no redirects,
// so that nothing goes where the user did not point it (SEC-6).
func Client(o Options) *http.Client {
	var sender http.RoundTripper = New(o)
	if o.Around != nil {
		sender = o.Around(sender)
	}
	return &http.Client{Transport: sender, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// Request is a request for JSON with a bearer key, if there is one: it posts
// payload, or gets when payload is nil.
func Request(ctx context.Context, address, key string, payload []byte) (*http.Request, error) {
	method := http.MethodGet
	if payload != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return req, nil
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	left := t.o.Patience
	for attempt := 1; ; attempt++ {
		resp, err := t.once(req)
		if err != nil || !busy(resp) {
			return resp, err
		}
		pause := t.pause(resp, attempt)
		if attempt == t.o.Attempts || pause > left || !rewind(req) {
			told(req.Context(), resp)
			return resp, nil
		}
		left -= pause
		drain(resp)
		if t.o.Retried != nil {
			t.o.Retried()
		}
		t.o.Logger.InfoContext(req.Context(), "model server is busy, trying again",
			"status", resp.StatusCode, "host", req.URL.Host, "attempt", attempt, "pause", pause)
		if err := sleep(req.Context(), pause); err != nil {
			return nil, err
		}
	}
}

func busy(resp *http.Response) bool {
	return resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable
}

// rewind gives req its body again; false when the body can be sent only once.
func rewind(req *http.Request) bool {
	if req.Body == nil || req.Body == http.NoBody {
		return true
	}
	if req.GetBody == nil {
		return false
	}
	body, err := req.GetBody()
	if err != nil {
		return false
	}
	req.Body = body
	return true
}

// pause is the server's Retry-After, else the doubled backoff.
func (t *Transport) pause(resp *http.Response, attempt int) time.Duration {
	if after, ok := RetryAfter(resp.Header); ok {
		return after
	}
	return min(t.o.Backoff<<(attempt-1), t.o.Patience)
}

// RetryAfter is what a server says of when to come again, in seconds or as a date.
func RetryAfter(h http.Header) (after time.Duration, ok bool) {
	text := h.Get("Retry-After")
	if s, err := strconv.ParseInt(text, 10, 32); err == nil && s >= 0 {
		return time.Duration(s) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at)), true
	}
	return 0, false
}

// told keeps when to come again, for clients that drop headers.
func told(ctx context.Context, resp *http.Response) {
	if f, ok := ctx.Value(failureKey{}).(*Failure); ok {
		if after, ok := RetryAfter(resp.Header); ok {
			f.after.Store(int64(after))
		}
	}
}

// drain lets the connection be used again.
func drain(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	_ = resp.Body.Close()
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// once sends req and watches over the server's silence until its body is closed.
func (t *Transport) once(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	watch := time.AfterFunc(t.o.Idle, func() { cancel(silent(req.URL.Host, t.o.Idle)) })
	resp, err := t.o.Base.RoundTrip(req.WithContext(ctx))
	if err != nil {
		watch.Stop()
		err = causeOr(ctx, err)
		cancel(nil)
		return nil, err
	}
	resp.Body = &watched{body: resp.Body, ctx: ctx, cancel: cancel, timer: watch, idle: t.o.Idle}
	return resp, nil
}

func silent(host string, idle time.Duration) error {
	return &fault.Error{
		Code: fault.Timeout, Subject: host,
		Reason: "the model server sent nothing for " + idle.String(),
		Next:   "look at the server's log, or use a smaller model",
	}
}

// causeOr returns why ctx ended, if it did, else err.
func causeOr(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// watched is a body whose every read resets the timer.
type watched struct {
	body   io.ReadCloser
	ctx    context.Context //nolint:containedctx // it is the request's, and ends with the body
	cancel context.CancelCauseFunc
	timer  *time.Timer
	idle   time.Duration
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.idle)
	n, err := w.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = causeOr(w.ctx, err)
		if f, ok := w.ctx.Value(failureKey{}).(*Failure); ok {
			f.err.Store(&err)
		}
	}
	return n, err
}

// Close implements io.Closer.
func (w *watched) Close() error {
	w.timer.Stop()
	w.cancel(nil)
	return w.body.Close()
}

// Failure remembers why reading an answer failed, for clients that drop it.
type Failure struct {
	err   atomic.Pointer[error]
	after atomic.Int64
}

// RetryAfter is when the server said to come again; 0: it did not.
func (f *Failure) RetryAfter() time.Duration { return time.Duration(f.after.Load()) }

type failureKey struct{}

// WithFailure returns a context under which a failed read of an answer's body is kept.
func WithFailure(ctx context.Context) (context.Context, *Failure) {
	f := &Failure{}
	return context.WithValue(ctx, failureKey{}, f), f
}

// Err returns the failure, nil if there was none.
func (f *Failure) Err() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}
