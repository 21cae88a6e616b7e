package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"inlay/fault"
	"inlay/internal/upstream"
	"inlay/strategy"
	"inlay/turn"
)

// statusOf is the one table from a fault's code to HTTP's status. Every code of
// fault is in it; a test sees to that.
func statusOf(code fault.Code) int {
	switch code {
	case fault.Usage, fault.BackendRefused:
		return http.StatusBadRequest
	case fault.Unauthorized:
		return http.StatusUnauthorized
	case fault.Forbidden, fault.PreprocessorPermissionUnavailable:
		return http.StatusForbidden
	case fault.FileNotFound, fault.ModelNotFound, fault.NotFound, fault.StrategyNotFound, fault.PreprocessorNotFound:
		return http.StatusNotFound
	case fault.Conflict:
		return http.StatusConflict
	case fault.FileTooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.UnsupportedFormat:
		return http.StatusUnsupportedMediaType
	case fault.FileUnreadable, fault.NoTextLayer, fault.PasswordRequired, fault.Corrupt, fault.UnmappedFont, fault.LimitExceeded,
		fault.DoesNotFit, fault.WindowUnknown, fault.PreprocessorContextMissing, fault.StrategyInvalid, fault.StrategyRenderFailed,
		fault.ProcessorHalted, fault.ProcessorTooManySteps:
		return http.StatusUnprocessableEntity
	case fault.RateLimited:
		return http.StatusTooManyRequests
	case fault.Canceled:
		return statusClientGone
	case fault.StoreUnreachable:
		return http.StatusServiceUnavailable
	case fault.BackendUnreachable, fault.AnswerUnfinished, fault.ProcessorInvalidResponse:
		return http.StatusBadGateway
	case fault.Timeout, fault.PreprocessorTimeout:
		return http.StatusGatewayTimeout
	case fault.EmbedderMismatch, fault.StoreDamaged, fault.PreprocessorException, fault.PreprocessorInvalidResult,
		fault.ProcessorFailed, fault.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}

// statusClientGone is nginx's number for a client that did not wait; it is
// seen in logs and metrics only.
const statusClientGone = 499

// failure is an error as answers have it.
type failure struct {
	status   int
	code     fault.Code
	subject  string
	reason   string
	next     string
	upstream string     // whose failure it is; empty: ours
	cause    fault.Code // of a preprocessor that failed: what stopped it
	steps    *stepsError
	retry    time.Duration
}

// stepsError is a failure of a turn, with what its strategy came to before it.
type stepsError struct {
	error
	steps       []stepView
	diagnostics []strategy.Diagnostic
}

// Unwrap returns the failure.
func (e *stepsError) Unwrap() error { return e.error }

// withSteps adds the steps and diagnostics of a strategy that failed.
func withSteps(err error, t *turn.Turn) error {
	if err == nil || t == nil || t.Execution == nil {
		return err
	}
	e := &stepsError{error: err, steps: viewSteps(t.Execution.Steps), diagnostics: slices.Clone(t.Execution.Diagnostics)}
	for _, s := range t.Execution.Steps {
		e.diagnostics = append(e.diagnostics, s.Diagnostics...)
	}
	return e
}

// failureOf reads an error. What is no fault gets no words: they could be
// anything.
func failureOf(err error) failure {
	f := failure{code: fault.CodeOf(err)}
	f.steps, _ = errors.AsType[*stepsError](err)
	if e, ok := errors.AsType[*fault.Error](err); ok {
		f.code = e.Code
		if inner, ok := errors.AsType[*fault.Error](e.Err); ok && e.Code == fault.PreprocessorException {
			e = inner // what stopped the preprocessor: a file, the window
			f.cause = e.Code
		}
		f.subject, f.reason, f.next, f.retry = e.Subject, e.Reason, e.Next, e.RetryAfter
	}
	if isServerPath(f.subject, err) { // where the server keeps things is its operator's
		f.code, f.subject, f.reason, f.next = fault.Internal, "server", "cannot use its store", "tell whoever runs it"
	}
	f.status = statusOf(cmp.Or(f.cause, f.code))
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Code == fault.BackendRefused && e.Status >= 400 && e.Status < 500 {
		f.status = e.Status // the request is to be mended, not sent again
	}
	f.reason = cmp.Or(f.reason, unworded(f.code))
	if u, ok := errors.AsType[*upstream.Error](err); ok {
		f = f.fromUpstream(u.Upstream)
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		f.status, f.reason, f.next = http.StatusInsufficientStorage, "the server has no room left on its disk", "delete something, or try again later"
	}
	if f.code == fault.RateLimited {
		f.retry = cmp.Or(f.retry, 5*time.Second)
	}
	if r, ok := errors.AsType[*limited](err); ok {
		f.retry = r.after
	}
	if errors.As(err, new(*methodError)) {
		f.status = http.StatusMethodNotAllowed
	}
	return f
}

// isServerPath reports that an error's subject is a path of the server: names
// from clients have no separators, and what failed is a file of ours.
func isServerPath(subject string, err error) bool {
	return strings.ContainsRune(subject, filepath.Separator) && errors.As(err, new(syscall.Errno))
}

// fromUpstream tells an upstream's failure from the same one of ours: that the
// upstream wants another key is no fault of the caller's key.
func (f failure) fromUpstream(name string) failure {
	f.upstream = name
	if strings.Contains(f.reason+f.next, "://") { // where it is served is the operator's
		f.reason, f.next = "the server of models does not answer", "try again later"
	}
	if f.code == fault.Unauthorized || f.code == fault.Internal {
		f.status = http.StatusBadGateway
	}
	if f.code == fault.RateLimited {
		f.retry = cmp.Or(f.retry, time.Second)
	}
	return f
}

func unworded(code fault.Code) string {
	if code == fault.Canceled {
		return "the request was canceled"
	}
	if code == fault.Timeout {
		return "the request took too long"
	}
	return "something went wrong in the server; its log has the request's id"
}

func (f failure) detail() string {
	return (&fault.Error{Subject: f.subject, Reason: f.reason, Next: f.next}).Error()
}

// problem is RFC 9457's form, with the fields of a fault.
type problem struct {
	Type      string `json:"type" doc:"urn:inlay:error: and the code"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Code      string `json:"code" doc:"stable name of the kind of failure"`
	Subject   string `json:"subject,omitempty"`
	Next      string `json:"next,omitempty" doc:"what to do about it"`
	Upstream  string `json:"upstream,omitempty" doc:"the server of models that failed"`
	RequestID string `json:"request_id"`

	Cause       string                `json:"cause,omitempty" doc:"of a preprocessor that failed: the code of what stopped it"`
	Steps       []stepView            `json:"steps,omitempty" doc:"of a strategy that failed: what each preprocessor did"`
	Diagnostics []strategy.Diagnostic `json:"diagnostics,omitempty"`
}

// openaiError is an error in the OpenAI API's form.
type openaiError struct {
	Error openaiErrorBody `json:"error"`
}

type openaiErrorBody struct {
	Message  string  `json:"message"`
	Type     string  `json:"type"`
	Param    *string `json:"param" doc:"the field of the request that it is about"`
	Code     string  `json:"code"`
	Upstream string  `json:"upstream,omitempty"`

	Cause       string                `json:"cause,omitempty"`
	Steps       []stepView            `json:"steps,omitempty"`
	Diagnostics []strategy.Diagnostic `json:"diagnostics,omitempty"`
}

// openai is f in the OpenAI API's form, with the codes that its clients know.
func (f failure) openai() openaiError {
	b := openaiErrorBody{Message: f.detail(), Type: "server_error", Param: f.param(), Code: string(f.code), Upstream: f.upstream, Cause: string(f.cause)}
	if f.steps != nil {
		b.Steps, b.Diagnostics = f.steps.steps, f.steps.diagnostics
	}
	switch {
	case f.status == http.StatusUnauthorized:
		b.Type, b.Code = "authentication_error", "invalid_api_key"
	case f.status == http.StatusTooManyRequests:
		b.Type = "rate_limit_error"
	case f.upstream != "" && f.status >= 500:
		b.Type = "upstream_error"
	case f.status < 500:
		b.Type = "invalid_request_error"
	}
	if f.code == fault.DoesNotFit {
		b.Code = "context_length_exceeded"
	}
	return openaiError{b}
}

// fail answers with an error, unless the answer has begun.
func (c *call) fail(err error, openai bool) {
	f := failureOf(err)
	if c.w.status != 0 {
		return
	}
	h := c.w.Header()
	for _, name := range []string{"Content-Disposition", "Content-Length", "ETag", "Cache-Control"} {
		h.Del(name)
	}
	if f.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(max(1, int((f.retry+time.Second-1)/time.Second))))
	}
	if f.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="inlay"`)
	}
	if openai && f.upstream == "" && f.status == http.StatusUnprocessableEntity {
		f.status = http.StatusBadRequest // as that API says it; some of its clients send a 422 again
	}
	var body any = f.openai()
	kind := "application/json"
	if !openai {
		kind = "application/problem+json"
		body = c.problemOf(f)
	}
	data, err := marshal(body)
	if err != nil {
		data = []byte("{}\n")
	}
	h.Set("Content-Type", kind)
	c.w.WriteHeader(f.status)
	_, _ = patientWriter{c}.Write(data)
}

func (c *call) problemOf(f failure) problem {
	p := problem{
		Type: "urn:inlay:error:" + string(f.code), Title: cmp.Or(http.StatusText(f.status), "Client Closed Request"), Status: f.status, Detail: f.detail(),
		Code: string(f.code), Subject: f.subject, Next: f.next, Upstream: f.upstream, RequestID: c.id,
		Cause: string(f.cause),
	}
	if f.steps != nil {
		p.Steps, p.Diagnostics = f.steps.steps, f.steps.diagnostics
	}
	return p
}

// ended turns the end of a request's context into its reason.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) || errors.As(cause, new(*fault.Error)) {
		return cause
	}
	return context.Canceled
}
