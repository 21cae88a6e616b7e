// Package tables is the state in the tables of a database. The queries are the
// same for every engine: what differs is in [Engine].
package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"inlay/internal/state"
)

// Row is one row of an answer. *sql.Row, *sql.Rows and their like in pgx are.
type Row interface{ Scan(dest ...any) error }

// Queries run statements whose parameters are $1, $2 ...
type Queries interface {
	// Exec returns the number of rows that changed.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	// One is the only row of an answer; without one Scan is sql.ErrNoRows.
	One(ctx context.Context, query string, args ...any) Row
	// Each visits the rows of an answer.
	Each(ctx context.Context, visit func(Row) error, query string, args ...any) error
}

// Engine is a database.
type Engine struct {
	Read, Write Queries // single statements
	// Transact runs f in one transaction, which an error of f undoes.
	Transact func(ctx context.Context, f func(Queries) error) error
	// Erase is Transact for what deletes: it leaves nothing of what was deleted, and works on a full disk.
	Erase func(ctx context.Context, f func(Queries) error) error
	// Again runs f, and once more where the database says that nothing has happened; nil: once.
	Again func(ctx context.Context, f func() error) error
	// Explain says of an error of the database what it means to its reader; nil: nothing.
	Explain func(error) error

	Elements string // rows of the column value for the JSON list $1, called e
	Alone    string // keeps other writers of owners away until the end of a transaction; empty: none can be there

	Numbers string // has the numbers of a table (%s) in a column (%s) go on after the highest; empty: they do

	// AddedFile and AddedEvaluation run in the transaction that keeps one; nil: nothing.
	AddedFile       func(ctx context.Context, q Queries, f state.File) error
	AddedEvaluation func(ctx context.Context, q Queries, e state.Evaluation) error
}

// Store keeps state in the tables of an engine.
type Store struct{ Engine Engine }

// again runs f as often as the engine has it.
func (s *Store) again(ctx context.Context, f func() error) error {
	if s.Engine.Again == nil {
		return f()
	}
	return s.Engine.Again(ctx, f)
}

// exec runs a statement that must change a row.
func (s *Store) exec(ctx context.Context, what, query string, args ...any) error {
	return s.found(what, s.again(ctx, func() error { return changed(s.Engine.Write.Exec(ctx, query, args...)) }))
}

// transact runs f in one transaction.
func (s *Store) transact(ctx context.Context, what string, f func(Queries) error) error {
	return s.found(what, s.again(ctx, func() error { return s.Engine.Transact(ctx, f) }))
}

// erase runs f in one transaction that deletes.
func (s *Store) erase(ctx context.Context, what string, f func(Queries) error) error {
	return s.found(what, s.again(ctx, func() error { return s.Engine.Erase(ctx, f) }))
}

// Ping implements [state.Inventory].
func (s *Store) Ping(ctx context.Context) error {
	var n int
	return s.found("ask for a key", s.Engine.Read.One(ctx, "SELECT count(*) FROM keys WHERE id = ''").Scan(&n))
}

// changed turns the change of no row into ErrNotFound.
func changed(n int64, err error) error {
	if err == nil && n == 0 {
		err = state.ErrNotFound
	}
	return err
}

// found turns the lack of a row into ErrNotFound, and names what was done in
// any other error.
func (s *Store) found(what string, err error) error {
	for _, known := range []error{state.ErrNotFound, state.ErrQuota, state.ErrConflict} {
		if errors.Is(err, known) {
			return known
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return state.ErrNotFound
	}
	if s.Engine.Explain != nil {
		err = s.Engine.Explain(err)
	}
	if errors.Is(err, state.ErrNotFound) {
		return state.ErrNotFound
	}
	return fmt.Errorf("%s: %w", what, err)
}

// one scans the only row of an answer.
func one[T any](ctx context.Context, s *Store, what string, scan func(Row) (T, error), query string, args ...any) (v T, err error) {
	err = s.again(ctx, func() (err error) {
		v, err = scan(s.Engine.Read.One(ctx, query, args...))
		return err
	})
	return v, s.found(what, err)
}

// all scans every row of an answer.
func all[T any](ctx context.Context, s *Store, what string, scan func(Row) (T, error), query string, args ...any) (list []T, err error) {
	err = s.again(ctx, func() error {
		list = []T{}
		return s.Engine.Read.Each(ctx, func(row Row) error {
			v, err := scan(row)
			list = append(list, v)
			return err
		}, query, args...)
	})
	if err != nil {
		return nil, s.found(what, err)
	}
	return list, nil
}

func unix(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Unix()
}

func fromUnix(s sql.NullInt64) time.Time {
	if !s.Valid {
		return time.Time{}
	}
	return time.Unix(s.Int64, 0).UTC()
}

// text is JSON as a column has it: NULL for none.
func text(j []byte) any {
	if j == nil {
		return nil
	}
	return string(j)
}

// raw is JSON of a column.
func raw(s sql.NullString) []byte {
	if !s.Valid {
		return nil
	}
	return []byte(s.String)
}
