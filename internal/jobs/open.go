// Package jobs carries out what takes longer than a request: evaluations. What
// was accepted survives a restart.
package jobs

import (
	"context"
	"errors"
	"log/slog"

	"inlay/eval"
	"inlay/injection"
	"inlay/internal/files"
	"inlay/internal/queue"
	"inlay/internal/state"
)

// Config is what [Jobs] work with.
type Config struct {
	State state.Store
	Files *files.Files
	// Evaluator is what an evaluation of one owner runs with: reader, embedder, store. Nil: there are none.
	Evaluator   func(owner string) eval.Options
	Defaults    injection.Options
	Evaluations int                // run at once; 0 means one
	Evaluated   func(state string) // told how an evaluation ended; nil: nobody
	Logger      *slog.Logger       // ids, codes and times, never names or content
}

// Jobs are all of them. Open them with [Open].
type Jobs struct {
	config Config
	log    *slog.Logger
	evals  evaluations
	ended  chan struct{} // closed when the server stops
}

// Open goes on with what an earlier process left unfinished. Where servers share
// the state, they share this work too.
func Open(ctx context.Context, c Config) (*Jobs, error) {
	s := &Jobs{config: c, log: c.Logger, evals: evaluations{under: map[string]*underWay{}}, ended: make(chan struct{})}
	parallel := max(1, c.Evaluations)
	if work, ok := c.State.(state.Work); ok {
		work.Handle(state.WorkEvaluate, parallel, s.evaluateByID)
		return s, nil
	}
	unfinished, err := c.State.WaitingEvaluations(ctx)
	if err != nil {
		return nil, err
	}
	s.evals.queue = queue.Start(parallel, queue.Turns(func(e state.Evaluation) string { return e.Owner }), func(ctx context.Context, e state.Evaluation) { s.evaluate(ctx, e) })
	for _, e := range unfinished {
		s.evals.queue.Add(e)
	}
	return s, nil
}

// evaluateByID works on an evaluation that was handed out to this server.
func (s *Jobs) evaluateByID(ctx context.Context, t state.Task) error {
	record, err := s.config.State.Evaluation(ctx, t.Owner, t.ID)
	if errors.Is(err, state.ErrNotFound) || err == nil && !unfinished(record.State) {
		return nil
	}
	if err != nil {
		return err
	}
	s.evaluate(ctx, record)
	if ctx.Err() != nil {
		return ctx.Err() // another server goes on
	}
	if record, err = s.config.State.Evaluation(ctx, t.Owner, t.ID); err == nil && unfinished(record.State) {
		return errUnfinished
	}
	return nil
}

// errUnfinished has an evaluation handed out again whose outcome was not kept.
var errUnfinished = errors.New("the outcome was not kept")

// unfinished reports a state that another one follows.
func unfinished(of string) bool { return of == state.Queued || of == state.Running }

// Stop ends evaluating; the next process goes on with it.
func (s *Jobs) Stop() {
	close(s.ended)
	if s.evals.queue != nil {
		s.evals.queue.Stop()
	}
}

func (s *Jobs) evaluated(state string) {
	if s.config.Evaluated != nil {
		s.config.Evaluated(state)
	}
}
