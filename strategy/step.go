package strategy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"inlay/fault"
)

var errStepTimeout = errors.New("the preprocessor's time is over")

// outcome is what a preprocessor's goroutine hands back.
type outcome struct {
	variables   map[string]any
	diagnostics []Diagnostic
	err         error
	errType     string
}

// runStep runs one preprocessor under its timeout. It returns as soon as ctx
// ends or the time is over, whether or not the preprocessor does.
func runStep(ctx context.Context, p Preprocessor, s *Strategy, x ExecutionContext) (Step, error) {
	info := p.Info()
	step := Step{Preprocessor: info.ID, Variables: map[string]any{}, Diagnostics: []Diagnostic{}}
	if ctx.Err() != nil {
		return step, canceled(ctx, s)
	}
	x, err := forStep(info.ID, s, x)
	if err != nil {
		return step, exception(info.ID, err)
	}
	limit := timeoutOf(info, s)
	stepCtx, w := watch(ctx, limit, x.Progress)
	defer w.stop()
	x.Progress = w.progress
	start := time.Now()
	results := make(chan outcome, 1)
	go func() { results <- process(stepCtx, p, info.ID, x) }()
	var got outcome
	select {
	case got = <-results:
	case <-stepCtx.Done():
		got = outcome{err: context.Cause(stepCtx)}
	}
	step.Duration = Duration(time.Since(start))
	if got.err == nil && ctx.Err() == nil {
		step.Variables = got.variables
		step.Diagnostics = append(step.Diagnostics, got.diagnostics...)
		return step, nil
	}
	return step.failed(ctx, s, got, limit, w.expired())
}

// failed names the failure. Cancellation from outside is no failure of the step.
func (s Step) failed(ctx context.Context, of *Strategy, got outcome, limit time.Duration, expired bool) (Step, error) {
	if ctx.Err() != nil {
		return s, canceled(ctx, of)
	}
	var err error
	if expired {
		err = &fault.Error{
			Code: fault.PreprocessorTimeout, Subject: "preprocessor " + s.Preprocessor, Reason: fmt.Sprintf("not done within %v", limit),
			Next: "raise options.preprocessorTimeout or give it less to do", Err: got.err,
		}
	} else {
		err = exception(s.Preprocessor, got.err)
	}
	s.Failure, s.ErrorType = fault.CodeOf(err), got.errType
	s.Diagnostics = append(append(s.Diagnostics, got.diagnostics...), signed(s.Preprocessor, []Diagnostic{failure(err)})...)
	return s, err
}

// process calls the preprocessor, turns a panic into an error and checks the
// result while the clock still runs.
func process(ctx context.Context, p Preprocessor, id string, x ExecutionContext) (got outcome) {
	defer func() {
		if v := recover(); v != nil {
			got = outcome{err: &panicError{kind: fmt.Sprintf("%T", v)}, errType: fmt.Sprintf("panic: %T", v)}
		}
	}()
	if err := CheckSettings(p, x.Settings); err != nil {
		return outcome{err: err, errType: fmt.Sprintf("%T", err)}
	}
	r, err := p.Process(ctx, x)
	if err != nil {
		return outcome{err: err, errType: fmt.Sprintf("%T", err), diagnostics: signed(id, r.Diagnostics)}
	}
	variables, err := checkResult(id, r)
	if err != nil {
		return outcome{err: err, errType: fmt.Sprintf("%T", errors.Unwrap(err)), diagnostics: signed(id, r.Diagnostics)}
	}
	return outcome{variables: variables, diagnostics: signed(id, r.Diagnostics)}
}

// signed copies diagnostics and writes the preprocessor's id on them.
func signed(id string, in []Diagnostic) []Diagnostic {
	out := make([]Diagnostic, len(in))
	for i, d := range in {
		d.Source = id
		out[i] = d
	}
	return out
}

// panicError stands for a recovered panic; its value is not kept, since it may
// hold anything.
type panicError struct{ kind string }

func (e *panicError) Error() string { return "panicked with a " + e.kind }

func timeoutOf(info Info, s *Strategy) time.Duration {
	if s.Options.PreprocessorTimeout > 0 {
		return s.Options.PreprocessorTimeout
	}
	return info.Limit()
}

// watcher ends a context when no progress was made for a while.
type watcher struct {
	limit  time.Duration
	report func(event any)
	cancel context.CancelCauseFunc
	over   atomic.Bool // the step ended; nothing is reported any more
	late   atomic.Bool // it ended by the clock
	mu     sync.Mutex
	timer  *time.Timer
}

func watch(ctx context.Context, limit time.Duration, report func(any)) (context.Context, *watcher) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watcher{limit: limit, report: report, cancel: cancel}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(limit, w.expire)
	return ctx, w
}

func (w *watcher) expire() {
	if w.over.CompareAndSwap(false, true) {
		w.late.Store(true)
		w.cancel(errStepTimeout)
	}
}

func (w *watcher) expired() bool { return w.late.Load() }

// stop ends the step's context, and with it what an abandoned preprocessor
// still listens to.
func (w *watcher) stop() {
	w.over.Store(true)
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// progress starts the time again and passes the event on. After the step's end
// it does nothing.
func (w *watcher) progress(event any) {
	w.mu.Lock()
	over := w.over.Load()
	if !over {
		w.timer.Reset(w.limit)
	}
	w.mu.Unlock()
	if !over && w.report != nil {
		w.report(event)
	}
}
