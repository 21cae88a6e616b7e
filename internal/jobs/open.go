// Package jobs carries out what takes longer than a request: evaluations. What
// was accepted survives a restart.
package jobs

import (
	"context"
	"log/slog"

	"inlay/eval"
	"inlay/injection"
	"inlay/internal/files"
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
}

// Open goes on with what an earlier process left unfinished.
func Open(ctx context.Context, c Config) (*Jobs, error) {
	unfinished, err := c.State.WaitingEvaluations(ctx)
	if err != nil {
		return nil, err
	}
	s := &Jobs{config: c, log: c.Logger}
	s.evals.start(max(1, c.Evaluations), s.evaluate)
	for _, e := range unfinished {
		s.evals.add(e)
	}
	return s, nil
}

// Stop ends evaluating; the next process goes on with it.
func (s *Jobs) Stop() { s.evals.queue.Stop() }

func (s *Jobs) evaluated(state string) {
	if s.config.Evaluated != nil {
		s.config.Evaluated(state)
	}
}
