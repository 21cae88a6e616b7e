package processor

import (
	"time"

	"inlay/fault"
)

// Kind says what a processor decided.
type Kind uint8

// The kinds of verdict. The zero value lets the value pass.
const (
	Continues Kind = iota
	Halts          // the whole turn stops
	Denies         // of a tool call: it is not run, and the model is told why
	Retries        // of an after-step: the model is called again
	Failed         // never returned by a processor: it returned an error or panicked
)

// String returns the kind's name in traces.
func (k Kind) String() string {
	return [...]string{"continue", "halt", "deny", "retry", "failed"}[k]
}

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Verdict is what a processor decided, beside the value it returns.
type Verdict struct {
	Kind   Kind
	Reason string        // a phrase for the trace, the person and, of a denial, the model; never content
	Code   fault.Code    // of a halt: what the turn's error is; empty: fault.ProcessorHalted
	Model  string        // of a retry: the model to ask; empty: the same
	Wait   time.Duration // of a retry: how long to wait before it
}

// Continue lets the value pass.
func Continue() Verdict { return Verdict{} }

// Halt stops the turn: a budget is exceeded, a guard found what must not go on.
func Halt(reason string) Verdict { return Verdict{Kind: Halts, Reason: reason} }

// HaltForWindow stops a turn that the model's window has no room for.
func HaltForWindow(reason string) Verdict {
	return Verdict{Kind: Halts, Code: fault.DoesNotFit, Reason: reason}
}

// Deny refuses a tool call. The model sees the reason.
func Deny(reason string) Verdict { return Verdict{Kind: Denies, Reason: reason} }

// Retry asks the model again, after a wait.
func Retry(reason string, wait time.Duration) Verdict {
	return Verdict{Kind: Retries, Reason: reason, Wait: wait}
}
