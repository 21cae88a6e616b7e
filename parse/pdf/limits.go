package pdf

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"inlay/fault"
	"inlay/internal/plural"
	"inlay/parse"
	"inlay/parse/internal/advice"
)

// errBudget is the cause of every breach of a limit inside this package.
var errBudget = errors.New("limit exceeded")

// limitError is the breach of a limit that callers can raise.
type limitError struct {
	code   fault.Code
	name   string // of the limit, as parse.LimitsFrom takes it
	reason string
	raised any // a value to try
}

// Error implements error.
func (e *limitError) Error() string { return e.reason }

// Unwrap makes it errBudget.
func (e *limitError) Unwrap() error { return errBudget }

func tooMany(name, what string, limit int) error {
	return &limitError{fault.LimitExceeded, name, fmt.Sprintf("it has more %s than the limit of %d", what, limit), 4 * limit}
}

func tooManyOperations(limit int) error { return tooMany("operations", "content operations", limit) }

func tooManyPages(limit int) error { return tooMany("pages", "pages", limit) }

func tooMuchText(limit int) error {
	return &limitError{fault.LimitExceeded, "text", "its text is longer than the limit of " + inBytes(int64(limit)), inBytes(4 * int64(limit))}
}

func streamTooLong(limit int64) error {
	return &limitError{fault.LimitExceeded, "stream", "a part of it expands to more than the limit of " + inBytes(limit), inBytes(4 * limit)}
}

// inBytes writes a size as parse.LimitsFrom takes it.
func inBytes(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%dMiB", n>>20)
	}
	return fmt.Sprint(n)
}

// timed gives f the time that one engine may take, and tells its end from that
// of the caller's context.
func timed(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := f(inner)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return &limitError{fault.Timeout, "time", fmt.Sprintf("reading took longer than the limit of %v", limit), max(4*limit, time.Second)}
	}
	return err
}

// failure turns an error of opening or reading into one for callers. The
// subject is the file's name.
func failure(file parse.File, err error) *fault.Error {
	f := &fault.Error{Subject: file.Name, Err: err}
	limit, named := errors.AsType[*limitError](err)
	switch {
	case named:
		f.Code, f.Reason, f.Next = limit.code, limit.reason, advice.Raise(limit.name, limit.raised)
	case errors.Is(err, context.Canceled):
		f.Code, f.Reason = fault.Canceled, "reading was canceled"
	case errors.Is(err, context.DeadlineExceeded):
		f.Code, f.Reason, f.Next = fault.Timeout, "reading took longer than the time given", "split the document or give it more time"
	case errors.Is(err, errBudget):
		f.Code, f.Reason, f.Next = fault.LimitExceeded, "its structure is larger or deeper than any honest document's", printAgain
	case errors.Is(err, errEncryption), errors.Is(err, errPassword):
		f.Code, f.Reason, f.Next = fault.PasswordRequired, "it is protected with a password", "save a copy without the password and attach that"
	case cutOff(file.Data):
		f.Code, f.Reason, f.Next = fault.Corrupt, "it is damaged: "+err.Error()+", and the end of the file is missing", copyAgain
	default:
		f.Code, f.Reason, f.Next = fault.Corrupt, "it is damaged: "+err.Error(), printAgain
	}
	return f
}

// cutShort makes a partial document of pages of which the last are missing for
// the given reason: they are marked as failed. What is advised for pages that
// fail by themselves is not for them.
func cutShort(doc *parse.Document, read int, reason *fault.Error) {
	doc.Partial = true
	doc.Warnings = slices.DeleteFunc(doc.Warnings, func(w parse.Warning) bool { return w.Code == parse.WarnFailedPages })
	doc.Warnings = slices.Insert(doc.Warnings, 0, parse.Warning{
		Code:    parse.WarnPartial,
		Message: fmt.Sprintf("only %s %s read: %s (%s)", plural.OfAll(read, doc.Coverage.Pages, "page"), plural.Pick(read, "was", "were"), reason.Reason, reason.Next),
	})
}
