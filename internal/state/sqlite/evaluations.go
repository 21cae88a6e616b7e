package sqlite

import (
	"context"
	"database/sql"

	"inlay/internal/state"
)

const evaluationColumns = "id, owner, created, state, request, progress, result, failure"

// AddEvaluation implements [state.Evaluations].
func (s *Store) AddEvaluation(ctx context.Context, e state.Evaluation) error {
	_, err := s.write.ExecContext(ctx, "INSERT INTO evaluations ("+evaluationColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		e.ID, e.Owner, unix(e.Created), e.State, text(e.Request), text(e.Progress), text(e.Result), text(e.Failure))
	if err != nil {
		return kept("keep an evaluation", err)
	}
	return nil
}

// Evaluation implements [state.Evaluations].
func (s *Store) Evaluation(ctx context.Context, owner, id string) (state.Evaluation, error) {
	e, err := scanEvaluation(s.read.QueryRowContext(ctx, "SELECT "+evaluationColumns+" FROM evaluations WHERE owner = ? AND id = ?", owner, id))
	return e, found("find an evaluation", err)
}

// ListEvaluations implements [state.Evaluations].
func (s *Store) ListEvaluations(ctx context.Context, owner string, p state.Page) ([]state.Evaluation, error) {
	clause, args := page("evaluations", p)
	rows, err := s.read.QueryContext(ctx, "SELECT "+evaluationColumns+" FROM evaluations WHERE owner = ?"+clause, append([]any{owner}, args(owner)...)...)
	return collect(rows, err, scanEvaluation)
}

// UpdateEvaluation implements [state.Evaluations].
func (s *Store) UpdateEvaluation(ctx context.Context, e state.Evaluation) error {
	return found("note an evaluation", changed(s.write.ExecContext(ctx,
		"UPDATE evaluations SET state = ?, progress = ?, result = ?, failure = ? WHERE owner = ? AND id = ? AND state IN ('queued', 'running')",
		e.State, text(e.Progress), text(e.Result), text(e.Failure), e.Owner, e.ID)))
}

// DeleteEvaluation implements [state.Evaluations].
func (s *Store) DeleteEvaluation(ctx context.Context, owner, id string) error {
	return found("delete an evaluation", s.deleted(ctx, func() error {
		return changed(s.write.ExecContext(ctx, "DELETE FROM evaluations WHERE owner = ? AND id = ?", owner, id))
	}))
}

// WaitingEvaluations implements [state.Inventory].
func (s *Store) WaitingEvaluations(ctx context.Context) ([]state.Evaluation, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+evaluationColumns+" FROM evaluations WHERE state IN ('queued', 'running') ORDER BY seq")
	return collect(rows, err, scanEvaluation)
}

func scanEvaluation(row scanner) (e state.Evaluation, err error) {
	var created sql.NullInt64
	var request, progress, result, failure sql.NullString
	err = row.Scan(&e.ID, &e.Owner, &created, &e.State, &request, &progress, &result, &failure)
	e.Created = fromUnix(created)
	e.Request, e.Progress, e.Result, e.Failure = raw(request), raw(progress), raw(result), raw(failure)
	return e, err
}
