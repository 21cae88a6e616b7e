package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"inlay/eval"
	"inlay/fault"
	"inlay/internal/files"
	"inlay/internal/queue"
	"inlay/internal/state"
)

// evaluations are those that wait or run in this process.
type evaluations struct {
	queue    *queue.Queue[state.Evaluation]
	mu       sync.Mutex
	under    map[string]*underWay // by id
	reserved map[string]int       // by owner: about to be kept
	last     string               // owner whose turn it was last
}

// underWay is one of them.
type underWay struct {
	owner   string
	how     EvaluationProgress
	told    time.Time     // of how, last
	changed chan struct{} // closed when something is new
	cancel  context.CancelFunc
	gone    bool // canceled or deleted
}

func (s *evaluations) start(workers int, work func(context.Context, state.Evaluation)) {
	s.under, s.reserved = map[string]*underWay{}, map[string]int{}
	s.queue = queue.Start(workers, s.turn, work)
}

// turn lets owners take turns: the first that waits and is not the last one's.
func (s *evaluations) turn(waiting []state.Evaluation) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := max(0, slices.IndexFunc(waiting, func(e state.Evaluation) bool { return e.Owner != s.last }))
	s.last = waiting[i].Owner
	return i
}

// reserve takes a place for owner until release is called.
func (s *evaluations) reserve(owner string) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.reserved[owner]
	for _, u := range s.under {
		if u.owner == owner {
			n++
		}
	}
	if n >= MaxUnfinished {
		return nil, &fault.Error{Code: fault.RateLimited, Subject: "evaluations", Reason: fmt.Sprintf("%d of yours wait or run", n), Next: "wait for one, or cancel it"}
	}
	s.reserved[owner]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.reserved[owner]--; s.reserved[owner] == 0 {
			delete(s.reserved, owner)
		}
	}), nil
}

func (s *evaluations) add(e state.Evaluation) {
	s.mu.Lock()
	s.under[e.ID] = &underWay{owner: e.Owner, changed: make(chan struct{}), cancel: func() {}}
	s.mu.Unlock()
	s.queue.Add(e)
}

// begin is false for one that was canceled while it waited.
func (s *evaluations) begin(id string, how EvaluationProgress, cancel context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.under[id]
	u.how, u.cancel = how, cancel
	return !u.gone
}

// often is how often progress is told, and often enough how often it is kept.
const (
	often       = 100 * time.Millisecond
	oftenEnough = time.Second
)

// note keeps progress in mind and wakes who watches it.
func (s *evaluations) note(id string, how EvaluationProgress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.under[id]
	stage := u.how.Stage != how.Stage || u.how.Setting != how.Setting
	u.how = how
	if stage || time.Since(u.told) >= often {
		u.told = time.Now()
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
		u.gone = true
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

// mostBegun is how often an evaluation is begun: one that ended the server
// every time must not do so for ever.
const mostBegun = 3

// evaluate runs an evaluation on [eval.Run], which goes on from the owner's
// cache where an earlier process was ended. What a stopping server leaves is
// finished by the next.
func (s *Jobs) evaluate(ctx context.Context, record state.Evaluation) {
	defer s.evals.finish(record.ID)
	stopping := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e, err := evaluationOf(record)
	e.How = EvaluationProgress{Begun: e.How.Begun + 1}
	if !s.evals.begin(record.ID, e.How, cancel) {
		return
	}
	if e.How.Begun > mostBegun {
		err = &fault.Error{Code: fault.Internal, Subject: "evaluation", Reason: fmt.Sprintf("was begun %d times, and each time the server was ended", mostBegun), Next: "start it with fewer files, or look into the server's log"}
	}
	record.State = state.Running
	var result json.RawMessage
	if err == nil {
		s.keepProgress(ctx, record, e.How)
		result, err = s.report(ctx, record, e)
	}
	if stopping.Err() != nil || ctx.Err() != nil {
		return
	}
	s.conclude(ctx, record, result, err)
}

// conclude keeps the outcome.
func (s *Jobs) conclude(ctx context.Context, record state.Evaluation, result json.RawMessage, err error) {
	record.State, record.Result = state.Done, result
	if how, ok := s.evals.progress(record.ID); ok {
		if err == nil {
			how.Share, how.Left = 1, 0
		}
		record.Progress, _ = json.Marshal(how)
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
	kept := time.Now()
	o.Report = func(p eval.Progress) {
		how := EvaluationProgress{p.Stage, p.Setting, p.Done, p.Total, p.Share, p.Elapsed.Seconds(), p.Left.Seconds(), e.How.Begun}
		s.evals.note(record.ID, how)
		if time.Since(kept) >= oftenEnough {
			kept = time.Now()
			s.keepProgress(ctx, record, how)
		}
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

func (s *Jobs) keepProgress(ctx context.Context, record state.Evaluation, how EvaluationProgress) {
	record.Progress, _ = json.Marshal(how)
	err := s.config.State.UpdateEvaluation(ctx, record)
	if err != nil && !errors.Is(err, state.ErrNotFound) && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "the progress of an evaluation was not kept", "evaluation", record.ID, "code", string(fault.CodeOf(err)))
	}
}
