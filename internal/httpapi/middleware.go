package httpapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"inlay/fault"
)

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// serve wraps a route: an id, the key, the limits, the error, a line in the log.
func (a *API) serve(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w}
		c := &call{Request: req, w: rec, id: requestID(req), api: a}
		rec.Header().Set("X-Request-Id", c.id)
		rec.Header().Set("X-Content-Type-Options", "nosniff")
		done := a.config.Metrics.begin(r)
		defer c.leave()
		ctx, traced := a.config.Tracer.Request(req, r.path)
		err := a.guarded(ctx, c, r)
		if err != nil {
			err = ended(req.Context(), err)
			c.fail(err, r.openai || ofOpenAI(req.URL.Path))
		}
		done(rec.statusOr(err))
		traced(rec.statusOr(err), fault.CodeOf(err))
		a.note(c, r, err, time.Since(start))
	})
}

// statusOr is what was answered, for a client that may be gone.
func (r *recorder) statusOr(err error) int {
	switch {
	case fault.Is(err, fault.Canceled):
		return statusClientGone
	case r.status == 0:
		return http.StatusOK
	}
	return r.status
}

// guarded runs a route's checks and its handler; a panic ends the request alone.
func (a *API) guarded(ctx context.Context, c *call, r route) (err error) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if cause == http.ErrAbortHandler { //nolint:errorlint // the very value
			panic(cause)
		}
		a.log.ErrorContext(c.ctx(), "panic", "request", c.id, "route", r.path, "type", fmt.Sprintf("%T", cause), "stack", string(debug.Stack()))
		err = &fault.Error{Code: fault.Internal}
	}()
	ctx, cancel := a.deadline(ctx, r)
	defer cancel()
	c.Request = c.WithContext(ctx)
	c.Body = &patient{ReadCloser: c.Body, c: c}
	if err := plainBody(c.Request); err != nil {
		return err
	}
	if r.open {
		return r.handle(c)
	}
	if ctx, err = a.admit(ctx, c, r); err != nil {
		return err
	}
	c.Request = c.WithContext(ctx)
	leave, err := a.limiter.enter(c.ctx(), c.account)
	if err != nil {
		return err
	}
	defer leave()
	defer func() { a.bodies.give(c.account, c.holds) }()
	return ended(ctx, r.handle(c))
}

// plainBody refuses a body that is packed: unpacked it could be of any size.
func plainBody(r *http.Request) error {
	for _, coding := range r.Header.Values("Content-Encoding") {
		if coding != "" && !strings.EqualFold(coding, "identity") {
			return &fault.Error{Code: fault.UnsupportedFormat, Subject: "body", Reason: "has a Content-Encoding", Next: "send it without compression"}
		}
	}
	return nil
}

func (a *API) deadline(ctx context.Context, r route) (context.Context, context.CancelFunc) {
	if r.stream {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, a.config.Limits.Time)
}

// note writes the request's line: no address beyond the route, no content.
func (a *API) note(c *call, r route, err error, took time.Duration) {
	level, attrs := slog.LevelInfo, []slog.Attr{
		slog.String("request", c.id), slog.String("method", c.Method), slog.String("route", r.path), slog.Int("status", c.w.statusOr(err)),
		slog.Int64("bytes", c.w.bytes), slog.Float64("ms", float64(took.Microseconds())/1000), slog.String("owner", c.owner),
	}
	if c.caller.Key != "" {
		attrs = append(attrs, slog.String("key", c.caller.Key))
	}
	if err != nil {
		f := failureOf(err)
		attrs = append(attrs, slog.String("code", string(f.code)))
		if f.upstream != "" {
			attrs = append(attrs, slog.String("upstream", f.upstream))
		}
		if f.status >= http.StatusInternalServerError {
			level, attrs = slog.LevelWarn, append(attrs, slog.String("error_type", errorTypes(err)))
		}
	}
	a.log.LogAttrs(c.ctx(), level, "request", attrs...)
}

// errorTypes names the types of an error's chain: what its words may not say.
func errorTypes(err error) string {
	var names []string
	for ; err != nil && len(names) < 8; err = errors.Unwrap(err) {
		names = append(names, fmt.Sprintf("%T", err))
	}
	return strings.Join(names, " < ")
}

// requestID takes a client's id if it is one, else makes one.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	plain := func(c rune) bool {
		return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	if id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(c rune) bool { return !plain(c) }) {
		return id
	}
	return "req_" + strings.ToLower(rand.Text())
}

// secretOf is the key of a request: Bearer or x-api-key.
func secretOf(r *http.Request) string {
	if scheme, secret, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(secret)
	}
	return r.Header.Get("X-Api-Key")
}

// noRoute answers what is not a route: an address that has other methods, or none.
func (a *API) noRoute(mux *http.ServeMux) route {
	return route{path: "-", open: true, handle: func(c *call) error {
		var allowed []string
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			other := c.Clone(c.ctx())
			other.Method = method
			if _, pattern := mux.Handler(other); pattern != "/" {
				allowed = append(allowed, method)
			}
		}
		if len(allowed) == 0 {
			next := "see /openapi.json"
			if ofOpenAI(c.URL.Path) {
				next = "of the OpenAI API this server has /v1/chat/completions, /v1/responses, /v1/embeddings, /v1/files, /v1/uploads, /v1/vector_stores and /v1/models"
			}
			return &fault.Error{Code: fault.NotFound, Subject: "route", Reason: "there is nothing at this address", Next: next}
		}
		c.w.Header().Set("Allow", strings.Join(allowed, ", "))
		return &methodError{allowed}
	}}
}

// ofOpenAI reports an address of the OpenAI API, whether or not this server has
// it: its clients read errors in one form.
func ofOpenAI(path string) bool {
	rest, ok := strings.CutPrefix(path, "/v1/")
	first, _, _ := strings.Cut(rest, "/")
	return ok && slices.Contains([]string{
		"assistants", "audio", "batches", "chat", "completions", "conversations", "embeddings", "files", "fine_tuning", "images", "models",
		"moderations", "realtime", "responses", "threads", "uploads", "vector_stores",
	}, first)
}

// methodError says which methods a path has.
type methodError struct{ allowed []string }

// Error implements error.
func (e *methodError) Error() string { return "want " + strings.Join(e.allowed, ", ") }

// Unwrap gives it a code.
func (e *methodError) Unwrap() error {
	return &fault.Error{Code: fault.Usage, Subject: "method", Reason: "is not one of this address", Next: "use " + strings.Join(e.allowed, " or ")}
}
