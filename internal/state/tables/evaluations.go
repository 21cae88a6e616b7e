package tables

import (
	"context"
	"database/sql"

	"inlay/internal/state"
)

const evaluationColumns = "id, owner, created, state, request, progress, result, failure"

// AddEvaluation implements [state.Evaluations].
func (s *Store) AddEvaluation(ctx context.Context, e state.Evaluation, most int) error {
	return s.transact(ctx, "keep an evaluation", func(tx Queries) error {
		if err := alone(ctx, tx, e.Owner); err != nil {
			return err
		}
		var n int
		err := tx.One(ctx, "SELECT count(*) FROM evaluations WHERE owner = $1 AND state IN ('queued', 'running')", e.Owner).Scan(&n)
		if err != nil {
			return err
		}
		if n >= most {
			return state.ErrQuota
		}
		_, err = tx.Exec(ctx, "INSERT INTO evaluations ("+evaluationColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
			e.ID, e.Owner, unix(e.Created), e.State, text(e.Request), text(e.Progress), text(e.Result), text(e.Failure))
		if err == nil && s.Engine.AddedEvaluation != nil {
			err = s.Engine.AddedEvaluation(ctx, tx, e)
		}
		return err
	})
}

// Evaluation implements [state.Evaluations].
func (s *Store) Evaluation(ctx context.Context, owner, id string) (state.Evaluation, error) {
	return one(ctx, s, "find an evaluation", scanEvaluation, "SELECT "+evaluationColumns+" FROM evaluations WHERE owner = $1 AND id = $2", owner, id)
}

// ListEvaluations implements [state.Evaluations].
func (s *Store) ListEvaluations(ctx context.Context, owner string, p state.Page) ([]state.Evaluation, error) {
	clause, args := between{table: "evaluations", key: "id", of: "owner = $1"}.clause(p, owner)
	return all(ctx, s, "list evaluations", scanEvaluation, "SELECT "+evaluationColumns+" FROM evaluations WHERE owner = $1"+clause, args...)
}

// UpdateEvaluation implements [state.Evaluations].
func (s *Store) UpdateEvaluation(ctx context.Context, e state.Evaluation) error {
	return s.exec(ctx, "note an evaluation",
		"UPDATE evaluations SET state = $1, progress = $2, result = $3, failure = $4 WHERE owner = $5 AND id = $6 AND state IN ('queued', 'running')",
		e.State, text(e.Progress), text(e.Result), text(e.Failure), e.Owner, e.ID)
}

// DeleteEvaluation implements [state.Evaluations].
func (s *Store) DeleteEvaluation(ctx context.Context, owner, id string) error {
	return s.erase(ctx, "delete an evaluation", func(tx Queries) error {
		return changed(tx.Exec(ctx, "DELETE FROM evaluations WHERE owner = $1 AND id = $2", owner, id))
	})
}

// WaitingEvaluations implements [state.Inventory].
func (s *Store) WaitingEvaluations(ctx context.Context) ([]state.Evaluation, error) {
	return all(ctx, s, "list waiting evaluations", scanEvaluation, "SELECT "+evaluationColumns+" FROM evaluations WHERE state IN ('queued', 'running') ORDER BY seq")
}

func scanEvaluation(row Row) (e state.Evaluation, err error) {
	var created sql.NullInt64
	var request, progress, result, failure sql.NullString
	err = row.Scan(&e.ID, &e.Owner, &created, &e.State, &request, &progress, &result, &failure)
	e.Created = fromUnix(created)
	e.Request, e.Progress, e.Result, e.Failure = raw(request), raw(progress), raw(result), raw(failure)
	return e, err
}
