package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"

	"inlay/internal/state/tables"
)

// handle is a database or a transaction.
type handle interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// queries are [tables.Queries] of a handle.
type queries struct {
	db       handle
	prepared *prepared // nil: each statement is compiled again
}

// numbered writes parameters as SQLite has them: ?1 for $1.
func numbered(query string) string { return strings.ReplaceAll(query, "$", "?") }

// Exec implements [tables.Queries].
func (q queries) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := q.db.ExecContext(ctx, numbered(query), args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// One implements [tables.Queries].
func (q queries) One(ctx context.Context, query string, args ...any) tables.Row {
	if s := q.statement(ctx, query); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return q.db.QueryRowContext(ctx, numbered(query), args...)
}

// Each implements [tables.Queries].
func (q queries) Each(ctx context.Context, visit func(tables.Row) error, query string, args ...any) (err error) {
	rows, err := q.rows(ctx, query, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := visit(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (q queries) rows(ctx context.Context, query string, args []any) (*sql.Rows, error) {
	if s := q.statement(ctx, query); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return q.db.QueryContext(ctx, numbered(query), args...)
}

// statement is the compiled query; nil where there is none.
func (q queries) statement(ctx context.Context, query string) *sql.Stmt {
	if q.prepared == nil {
		return nil
	}
	return q.prepared.statement(ctx, query)
}

// prepared keeps compiled statements: there are some thirty, and every request
// runs one of them.
type prepared struct {
	db    *sql.DB
	known sync.Map // query -> *sql.Stmt
}

func (p *prepared) statement(ctx context.Context, query string) *sql.Stmt {
	if s, ok := p.known.Load(query); ok {
		return s.(*sql.Stmt)
	}
	s, err := p.db.PrepareContext(context.WithoutCancel(ctx), numbered(query))
	if err != nil {
		return nil // the query itself says why
	}
	if other, loaded := p.known.LoadOrStore(query, s); loaded {
		_ = s.Close()
		return other.(*sql.Stmt)
	}
	return s
}
