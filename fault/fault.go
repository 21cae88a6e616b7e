// Package fault is the one home of inlay's error codes.
//
// Every failure a caller may want to tell apart carries a [Code], however
// deeply it is wrapped:
//
//	if fault.Is(err, fault.NoTextLayer) { ... }
//
// The same codes
// are in the command's JSON and in HTTP answers; cmd/inlay maps them to exit
// codes.
package fault

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"
)

// Code is a stable, machine-readable name of a kind of failure.
type Code string

// The codes of SPEC section 12.
const (
	Usage              Code = "usage"
	FileNotFound       Code = "file_not_found"
	FileUnreadable     Code = "file_unreadable"
	FileTooLarge       Code = "file_too_large"
	UnsupportedFormat  Code = "unsupported_format"
	NoTextLayer        Code = "no_text_layer"
	PasswordRequired   Code = "password_required"
	Corrupt            Code = "corrupt"
	UnmappedFont       Code = "unmapped_font"
	LimitExceeded      Code = "limit_exceeded"
	Timeout            Code = "timeout"
	Canceled           Code = "canceled"
	DoesNotFit         Code = "does_not_fit"
	WindowUnknown      Code = "window_unknown"
	ModelNotFound      Code = "model_not_found"
	BackendUnreachable Code = "backend_unreachable"
	BackendRefused     Code = "backend_refused"   // the model server refuses this request; Error.Status says how
	AnswerUnfinished   Code = "answer_unfinished" // the server ended the answer before the model was done
	EmbedderMismatch   Code = "embedder_mismatch"
	StoreDamaged       Code = "store_damaged"
	StoreUnreachable   Code = "store_unreachable" // the database or the store of bytes is away
	Unauthorized       Code = "unauthorized"
	Forbidden          Code = "forbidden" // the caller is known and may not do this, or may not call at all
	RateLimited        Code = "rate_limited"
	NotFound           Code = "not_found" // a chat, an evaluation, a route
	Conflict           Code = "conflict"  // it has changed since it was read
	Internal           Code = "internal"
)

// The codes of the strategy engine: why an execution stopped (STR-12), and why
// no strategy could be executed at all.
const (
	PreprocessorNotFound              Code = "preprocessor.not_found"
	PreprocessorTimeout               Code = "preprocessor.timeout"
	PreprocessorPermissionUnavailable Code = "preprocessor.permission_unavailable"
	PreprocessorContextMissing        Code = "preprocessor.context_missing"
	PreprocessorException             Code = "preprocessor.exception"
	PreprocessorInvalidResult         Code = "preprocessor.invalid_result"
	StrategyNotFound                  Code = "strategy.not_found"
	StrategyInvalid                   Code = "strategy.invalid"
	StrategyRenderFailed              Code = "strategy.render_failed"
)

// The codes of the processor chains.
const (
	ProcessorFailed          Code = "processor.failed"           // a processor returned an error of its own or panicked
	ProcessorHalted          Code = "processor.halted"           // a processor stopped the turn
	ProcessorInvalidResponse Code = "processor.invalid_response" // the model's answer is of no use
	ProcessorTooManySteps    Code = "processor.too_many_steps"   // the model went on calling tools
)

// Error is a failure with everything its reader needs: what it is about, why
// it happened and what to do next. None of its fields may hold document text,
// keys or variable values.
type Error struct {
	Code    Code   // what kind of failure
	Subject string // the file, model, flag or setting it is about
	Reason  string // why, in a phrase
	Next    string // what the reader can do about it, in a phrase
	Err     error  // the cause, may be nil
	Status  int    // HTTP status by which a model server refused; of BackendRefused 400 to 499, to be handed on; 0: none

	RetryAfter time.Duration // when to ask again, where a server says so; 0: it does not
}

// Error renders "subject: reason (next step)".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Subject != "" {
		b.WriteString(e.Subject)
		b.WriteString(": ")
	}
	switch {
	case e.Reason != "":
		b.WriteString(e.Reason)
	case e.Err != nil:
		b.WriteString(e.Err.Error())
	default:
		b.WriteString(string(e.Code))
	}
	if e.Next != "" {
		b.WriteString(" (")
		b.WriteString(e.Next)
		b.WriteString(")")
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf names the kind of err: the code it carries, or the code that the
// standard library's own sentinels stand for, or [Internal]. It is empty for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.Is(err, fs.ErrNotExist):
		return FileNotFound
	case errors.Is(err, fs.ErrPermission):
		return FileUnreadable
	}
	return Internal
}

// Is reports whether err is a failure of the given kind.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }

// Invalid is the error of a field that has another value than it may have. It
// names what is wanted and never what was given.
func Invalid(field, want string) *Error {
	return &Error{Code: Usage, Subject: field, Reason: "is invalid", Next: "want " + want}
}
