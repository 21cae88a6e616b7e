package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"inlay/eval"
	"inlay/fault"
	"inlay/internal/files"
	"inlay/internal/state"
)

// Evaluation is an evaluation as its owner sees it.
type Evaluation struct {
	state.Evaluation
	Asked     EvaluationRequest // without the bytes of files
	How       EvaluationProgress
	Stuck     int                  // how often in a row it was cut off without keeping anything new
	Why       *files.ReadingError  // of one that failed
	Recommend *eval.Recommendation // of one that is done
}

// Over reports that nothing more will come.
func (e Evaluation) Over() bool { return !unfinished(e.State) }

// EvaluationProgress says how far an evaluation is.
type EvaluationProgress struct {
	Stage   eval.Stage `json:"stage,omitempty" enum:"parsing,indexing,searching"`
	Setting string     `json:"setting,omitempty" doc:"embedder and chunk size that are being tried"`
	Done    int        `json:"done" doc:"documents or questions of this stage"`
	Total   int        `json:"total"`
	Share   float64    `json:"share" doc:"of the whole evaluation, 0 to 1; an estimate"`
	Elapsed float64    `json:"elapsed_seconds"`
	Left    float64    `json:"left_seconds" doc:"an estimate; 0: not known yet"`
	Begun   int        `json:"begun" doc:"how often it was begun: a server that was ended in between goes on where it was"`
}

// keptProgress is progress with what its owner does not see of it.
type keptProgress struct {
	EvaluationProgress
	Stuck int `json:"stuck,omitempty"`
}

// MaxUnfinished is how many evaluations of one owner may wait or run.
const MaxUnfinished = 8

// StartEvaluation keeps an evaluation and lets it run when it is its turn. When
// it returns without an error, the evaluation outlives this process.
func (s *Jobs) StartEvaluation(ctx context.Context, owner string, r EvaluationRequest) (e Evaluation, err error) {
	if s.config.Evaluator == nil {
		return e, errNoEvaluations
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.config.Files.Drop(context.WithoutCancel(ctx), owner, r.Kept))
		}
	}()
	if err := s.keepFiles(ctx, owner, &r); err != nil {
		return e, err
	}
	if _, err := s.evaluation(ctx, owner, r); err != nil {
		return e, err
	}
	asked, err := json.Marshal(keptRequest{r, r.Kept})
	if err != nil {
		return e, fmt.Errorf("encode an evaluation: %w", err)
	}
	record := state.Evaluation{ID: state.NewID("eval_"), Owner: owner, Created: state.Now(), State: state.Queued, Request: asked}
	err = s.config.State.AddEvaluation(ctx, record, MaxUnfinished)
	if errors.Is(err, state.ErrQuota) {
		return e, &fault.Error{Code: fault.RateLimited, Subject: "evaluations", Reason: fmt.Sprintf("%d of yours wait or run", MaxUnfinished), Next: "wait for one, or cancel it"}
	}
	if err != nil {
		return e, err
	}
	if s.evals.queue != nil {
		s.evals.queue.Add(record)
	}
	return evaluationOf(record)
}

// keptRequest is a request with what its owner does not see of it.
type keptRequest struct {
	EvaluationRequest
	Kept []string `json:"kept,omitempty"`
}

// keepFiles makes uploads of files that came with the request: a process that
// goes on with the evaluation needs them.
func (s *Jobs) keepFiles(ctx context.Context, owner string, r *EvaluationRequest) error {
	for i, ref := range r.Files {
		if (ref.ID == "") == (ref.Name == "" && ref.Data == nil) {
			return fault.Invalid(fmt.Sprintf("files[%d]", i), "an id, or a name and data")
		}
	}
	var err error
	r.Kept, err = s.config.Files.KeepInline(ctx, owner, "evals", nil, r.Files)
	return err
}

// Evaluation is one evaluation.
func (s *Jobs) Evaluation(ctx context.Context, owner, id string) (Evaluation, error) {
	record, err := s.config.State.Evaluation(ctx, owner, id)
	if err != nil {
		return Evaluation{}, state.Missing(fault.NotFound, "evaluation", id, err)
	}
	e, err := evaluationOf(record)
	if how, ok := s.evals.progress(id); ok && !e.Over() {
		e.How = how
	}
	return e, err
}

func evaluationOf(record state.Evaluation) (Evaluation, error) {
	e := Evaluation{Evaluation: record}
	var asked keptRequest
	err := json.Unmarshal(record.Request, &asked)
	e.Asked, e.Asked.Kept = asked.EvaluationRequest, asked.Kept
	var how keptProgress
	for _, part := range []struct {
		data json.RawMessage
		to   any
	}{{record.Progress, &how}, {record.Failure, &e.Why}} {
		if part.data != nil {
			err = errors.Join(err, json.Unmarshal(part.data, part.to))
		}
	}
	e.How, e.Stuck = how.EvaluationProgress, how.Stuck
	if record.Result != nil {
		var report struct{ Recommended *eval.Recommendation }
		err = errors.Join(err, json.Unmarshal(record.Result, &report))
		e.Recommend = report.Recommended
	}
	if err != nil {
		return e, fmt.Errorf("read evaluation %s: %w", record.ID, err)
	}
	return e, nil
}

// ListEvaluations is one page; more says that the list goes on.
func (s *Jobs) ListEvaluations(ctx context.Context, owner string, p state.Page) (list []Evaluation, more bool, err error) {
	records, more, err := state.OnePage(p, func(p state.Page) ([]state.Evaluation, error) { return s.config.State.ListEvaluations(ctx, owner, p) })
	if err != nil {
		return nil, false, err
	}
	for _, record := range records {
		e, err := evaluationOf(record)
		if err != nil {
			return nil, false, err
		}
		list = append(list, e)
	}
	return list, more, nil
}

// EvaluationResult is the report of one that is done, inlay.evaluation/v1.
// Before that it is fault.Conflict.
func (s *Jobs) EvaluationResult(ctx context.Context, owner, id string) (json.RawMessage, error) {
	e, err := s.Evaluation(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	if e.Result == nil {
		return nil, &fault.Error{Code: fault.Conflict, Subject: "evaluation " + id, Reason: "is " + e.State + " and has no result", Next: "see its status"}
	}
	return e.Result, nil
}

// WatchEvaluation tells of progress until the evaluation is over, and returns
// it as it then is.
func (s *Jobs) WatchEvaluation(ctx context.Context, owner, id string, tell func(Evaluation)) (Evaluation, error) {
	for {
		changed := s.evals.changes(id)
		e, err := s.Evaluation(ctx, owner, id)
		if err != nil || e.Over() {
			return e, err
		}
		tell(e)
		select {
		case <-ctx.Done():
			return e, ctx.Err()
		case <-s.ended:
			return e, &fault.Error{Code: fault.Canceled, Subject: "evaluation " + id, Reason: "the server is stopping", Next: "ask again: the next one goes on with it"}
		case <-changed:
		case <-time.After(time.Second): // another process may work on it
		}
	}
}

// CancelEvaluation ends an evaluation. One that is done or failed stays as it
// is, which is fault.Conflict.
func (s *Jobs) CancelEvaluation(ctx context.Context, owner, id string) (Evaluation, error) {
	e, err := s.Evaluation(ctx, owner, id)
	if err != nil || e.State == state.Canceled {
		return e, err
	}
	e.State = state.Canceled
	err = s.config.State.UpdateEvaluation(ctx, e.Evaluation)
	if errors.Is(err, state.ErrNotFound) { // over, or deleted, in the meantime
		if e, err = s.Evaluation(ctx, owner, id); err == nil && e.State != state.Canceled {
			err = &fault.Error{Code: fault.Conflict, Subject: "evaluation " + id, Reason: "is over", Next: "see its result"}
		}
		return e, err
	}
	if err != nil {
		return e, err
	}
	s.evals.cancel(id)
	s.evaluated(e.State)
	return s.Evaluation(ctx, owner, id)
}

// DeleteEvaluation ends an evaluation and forgets it, with the files that were
// made for it.
func (s *Jobs) DeleteEvaluation(ctx context.Context, owner, id string) error {
	e, err := s.Evaluation(ctx, owner, id)
	if err != nil {
		return err
	}
	if err := s.config.State.DeleteEvaluation(ctx, owner, id); err != nil {
		return state.Missing(fault.NotFound, "evaluation", id, err)
	}
	s.evals.cancel(id)
	return s.config.Files.Drop(ctx, owner, e.Asked.Kept)
}
