package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"inlay/cache"
	"inlay/eval"
	"inlay/fault"
	"inlay/internal/files"
	"inlay/internal/queue"
	"inlay/internal/state"
)

// evaluations are those that run in this process.
type evaluations struct {
	queue *queue.Queue[state.Evaluation] // nil: the state hands out the work
	mu    sync.Mutex
	under map[string]*underWay // by id
}

// underWay is one of them.
type underWay struct {
	how     EvaluationProgress
	changed chan struct{} // closed when something is new
	cancel  context.CancelFunc
}

func (s *evaluations) begin(id string, how EvaluationProgress, cancel context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under[id] = &underWay{how: how, changed: make(chan struct{}), cancel: cancel}
}

// oftenEnough is how often progress is kept and told.
const oftenEnough = 500 * time.Millisecond

// note takes progress and wakes who watches it.
func (s *evaluations) note(id string, how EvaluationProgress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.under[id]; ok {
		u.how = how
		u.wake()
	}
}

func (u *underWay) wake() {
	close(u.changed)
	u.changed = make(chan struct{})
}

func (s *evaluations) progress(id string) (EvaluationProgress, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.under[id]; ok && u.how.Begun > 0 {
		return u.how, true
	}
	return EvaluationProgress{}, false
}

// changes is closed when there is something new; nil where nothing is under way.
func (s *evaluations) changes(id string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.under[id]; ok {
		return u.changed
	}
	return nil
}

// cancel ends the work on one that is over in the state.
func (s *evaluations) cancel(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.under[id]; ok {
		u.cancel()
		u.wake()
	}
}

func (s *evaluations) finish(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.under[id]; ok {
		delete(s.under, id)
		close(u.changed)
	}
}

// mostStuck is how often in a row an evaluation may be cut off by the end of its
// process, which nobody asked for, without having kept anything new: one that ends
// the server every time must not do so for ever.
const mostStuck = 3

// evaluate runs an evaluation on [eval.Run], which goes on from the owner's
// cache where an earlier process was ended. What a stopping server leaves is
// finished by the next.
func (s *Jobs) evaluate(ctx context.Context, record state.Evaluation) {
	stopping := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e, err := evaluationOf(record)
	e.How.Begun++
	e.Stuck++
	s.evals.begin(record.ID, e.How, cancel)
	defer s.evals.finish(record.ID)
	if e.Stuck > mostStuck {
		err = &fault.Error{
			Code: fault.Internal, Subject: "evaluation",
			Reason: fmt.Sprintf("ended the server %d times in a row at the same place", mostStuck),
			Next:   "start it with fewer files, or look into the server's log",
		}
	}
	record.State = state.Running
	var result json.RawMessage
	if err == nil {
		s.keepProgress(ctx, record, keptProgress{e.How, e.Stuck})
		result, err = s.report(ctx, record, e)
	}
	if stopping.Err() != nil {
		s.leave(ctx, record)
		return
	}
	if ctx.Err() != nil || fault.Is(err, fault.StoreUnreachable) {
		return // it is over, or goes on later
	}
	s.conclude(ctx, record, result, err)
}

// leave notes how far an evaluation is that a stopping server leaves to the next.
func (s *Jobs) leave(ctx context.Context, record state.Evaluation) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if how, ok := s.evals.progress(record.ID); ok {
		s.keepProgress(ctx, record, keptProgress{EvaluationProgress: how})
	}
}

// conclude keeps the outcome.
func (s *Jobs) conclude(ctx context.Context, record state.Evaluation, result json.RawMessage, err error) {
	record.State, record.Result = state.Done, result
	if how, ok := s.evals.progress(record.ID); ok {
		if err == nil {
			how.Share, how.Left = 1, 0
		}
		record.Progress, _ = json.Marshal(keptProgress{EvaluationProgress: how})
	}
	if err != nil {
		record.State = state.Broken
		why := files.ReadingErrorOf(err)
		if f, ok := errors.AsType[*fault.Error](err); ok {
			why.Reason = (&fault.Error{Subject: f.Subject, Reason: f.Reason}).Error()
		}
		record.Failure, _ = json.Marshal(why)
		s.log.WarnContext(ctx, "evaluation failed", "evaluation", record.ID, "code", string(why.Code), "error_type", fmt.Sprintf("%T", err))
	}
	switch err := s.config.State.UpdateEvaluation(ctx, record); {
	case errors.Is(err, state.ErrNotFound): // canceled or deleted
	case err != nil:
		s.log.ErrorContext(ctx, "the result of an evaluation was not kept", "evaluation", record.ID, "code", string(fault.CodeOf(err)))
	default:
		s.evaluated(record.State)
	}
}

// report is the evaluation's outcome as JSON.
func (s *Jobs) report(ctx context.Context, record state.Evaluation, e Evaluation) (_ json.RawMessage, err error) {
	defer func() {
		if cause := recover(); cause != nil { // it ends this evaluation alone
			s.log.ErrorContext(ctx, "panic", "evaluation", record.ID, "type", fmt.Sprintf("%T", cause), "stack", string(debug.Stack()))
			err = &fault.Error{Code: fault.Internal, Subject: "evaluation", Reason: "something went wrong in the server", Err: fmt.Errorf("panic: %T", cause)}
		}
	}()
	o, err := s.evaluation(ctx, record.Owner, e.Asked)
	if err != nil {
		return nil, err
	}
	on := &onward{jobs: s, record: record, from: e.How, how: e.How, stuck: e.Stuck, kept: time.Now()}
	o.Report = func(p eval.Progress) { on.report(ctx, p) }
	if o.Store != nil {
		o.Store = keeping{o.Store, sync.OnceFunc(func() { on.moved(ctx) })}
	}
	out, err := eval.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := out.WriteJSON(&b); err != nil {
		return nil, err
	}
	var small bytes.Buffer
	err = json.Compact(&small, b.Bytes())
	return small.Bytes(), err
}

// onward tells of the progress of an evaluation, which never falls back: what an
// earlier process had done is shown until this one is further.
type onward struct {
	jobs   *Jobs
	record state.Evaluation
	from   EvaluationProgress // of the process before

	mu    sync.Mutex
	how   EvaluationProgress
	stuck int
	kept  time.Time
}

func (on *onward) report(ctx context.Context, p eval.Progress) {
	on.mu.Lock()
	defer on.mu.Unlock()
	elapsed := on.from.Elapsed + p.Elapsed.Seconds()
	if p.Share >= on.how.Share {
		on.how = EvaluationProgress{p.Stage, p.Setting, p.Done, p.Total, p.Share, elapsed, p.Left.Seconds(), on.from.Begun}
	}
	on.how.Elapsed = elapsed
	if time.Since(on.kept) >= oftenEnough {
		on.keep(ctx)
	}
}

// moved notes that something new was kept: the evaluation is not stuck.
func (on *onward) moved(ctx context.Context) {
	on.mu.Lock()
	defer on.mu.Unlock()
	on.stuck = 0
	on.keep(ctx)
}

// keep shows progress only when it is kept: what was shown outlives a kill.
func (on *onward) keep(ctx context.Context) {
	on.kept = time.Now()
	on.jobs.keepProgress(ctx, on.record, keptProgress{on.how, on.stuck})
	on.jobs.evals.note(on.record.ID, on.how)
}

// keeping is a store that tells of the first entry that is put into it.
type keeping struct {
	cache.Store
	put func()
}

// Put implements [cache.Store].
func (k keeping) Put(ctx context.Context, key cache.Key, data []byte) error {
	err := k.Store.Put(ctx, key, data)
	if err == nil {
		k.put()
	}
	return err
}

func (s *Jobs) keepProgress(ctx context.Context, record state.Evaluation, how keptProgress) {
	record.Progress, _ = json.Marshal(how)
	err := s.config.State.UpdateEvaluation(ctx, record)
	if errors.Is(err, state.ErrNotFound) { // canceled or deleted, here or at another server
		s.evals.cancel(record.ID)
		return
	}
	if err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "the progress of an evaluation was not kept", "evaluation", record.ID, "code", string(fault.CodeOf(err)))
	}
}
