// Package postgres keeps the state in PostgreSQL, where any number of servers
// share it.
package postgres

import (
	"context"
	"database/sql"
	stdembed "embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"inlay/fault"
	"inlay/internal/state"
	"inlay/internal/state/tables"
)

//go:embed migrations/*.sql
var files stdembed.FS

// What connections are given where the address does not say otherwise.
const (
	connections      = 16               // at once
	lockConnections  = 8                // at once, of those that hold a lock
	connectTimeout   = 5 * time.Second  // to reach the server
	statementTimeout = 30 * time.Second // of one statement
	lockTimeout      = 5 * time.Minute  // to get a lock
)

// Store keeps state in a database. Open one with [Open].
type Store struct {
	tables.Store

	pool  *pgxpool.Pool
	locks *pgxpool.Pool // apart, so that who holds a lock never waits for who waits for it
	work  work
}

var _ interface {
	state.Store
	state.Work
	state.Rates
	state.Bulletin
} = (*Store)(nil)

// Open opens the state in the database at address (postgres://...), makes its
// tables if they are not there, and brings older ones up to this version; of
// several servers one does so and the others wait. A server that cannot be
// reached is fault.StoreUnreachable, tables of a newer version are
// fault.StoreDamaged.
func Open(ctx context.Context, address string, log *slog.Logger) (*Store, error) {
	s := &Store{}
	if err := s.open(ctx, address, log); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, address string, log *slog.Logger) (err error) {
	if err = migrate(ctx, address); err != nil {
		return err
	}
	if s.pool, err = connect(ctx, address, pools{most: connections, statement: statementTimeout}); err != nil {
		return err
	}
	if s.locks, err = connect(ctx, address, pools{most: lockConnections, statement: lockTimeout, own: true}); err != nil {
		return err
	}
	if err := s.work.open(s.pool, log); err != nil {
		return err
	}
	s.Store = tables.Store{Engine: tables.Engine{
		Read: queries{s.pool}, Write: queries{s.pool}, Transact: s.transact, Erase: s.transact, Again: again, Explain: explained,
		Elements: "json_array_elements_text($1::json) AS e", Alone: "LOCK TABLE owners IN SHARE ROW EXCLUSIVE MODE",
		Numbers:   "SELECT setval(pg_get_serial_sequence('%[1]s', '%[2]s'), coalesce((SELECT max(%[2]s) FROM %[1]s), 0) + 1, false)",
		AddedFile: s.work.addFile, AddedEvaluation: s.work.addEvaluation,
	}}
	return nil
}

// pools are how a pool of connections is.
type pools struct {
	most      int32
	statement time.Duration // longest statement
	own       bool          // the address says nothing about its size
}

// connect makes a pool. Settings of the address such as pool_max_conns and
// connect_timeout are stronger than ours.
func connect(ctx context.Context, address string, p pools) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, &fault.Error{Code: fault.Usage, Subject: "--database", Reason: "is not the address of a PostgreSQL database", Next: "write it like postgres://user@host:5432/inlay"}
	}
	if p.own || !strings.Contains(address, "pool_max_conns") {
		c.MaxConns = p.most
	}
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = connectTimeout
	}
	c.ConnConfig.RuntimeParams["statement_timeout"] = fmt.Sprint(p.statement.Milliseconds())
	if c.ConnConfig.RuntimeParams["application_name"] == "" {
		c.ConnConfig.RuntimeParams["application_name"] = "inlay"
	}
	c.MaxConnIdleTime = time.Minute
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, unreachable(err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, explained(err)
	}
	return pool, nil
}

// schemaLock is the advisory lock of whoever changes the tables: a number of ours.
const schemaLock = 0x696e6c6179

// migrate brings the schema up to this version, while others wait.
func migrate(ctx context.Context, address string) (err error) {
	pool, err := connect(ctx, address, pools{most: 3, own: true})
	if err != nil {
		return err
	}
	defer pool.Close()
	alone, err := pool.Acquire(ctx)
	if err != nil {
		return explained(err)
	}
	defer alone.Release()
	if _, err := alone.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(schemaLock)); err != nil {
		return refused(err)
	}
	defer func() {
		_, _ = alone.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(schemaLock))
	}()
	if err := migrateState(ctx, pool); err != nil {
		return err
	}
	return migrateWork(ctx, pool)
}

func migrateState(ctx context.Context, pool *pgxpool.Pool) (err error) {
	db := stdlib.OpenDBFromPool(pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	dir, err := fs.Sub(files, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, dir, goose.WithAllowOutofOrder(true))
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return refused(err)
	}
	now, err := p.GetDBVersion(ctx)
	if err != nil {
		return refused(err)
	}
	if sources := p.ListSources(); now > sources[len(sources)-1].Version {
		return &fault.Error{Code: fault.StoreDamaged, Subject: "--database", Reason: "its tables were made by a newer inlay", Next: "use that version, or another database"}
	}
	return nil
}

// refused says what the database has against the tables.
func refused(err error) error {
	if e := explained(err); !errors.Is(e, err) || fault.Is(e, fault.StoreUnreachable) {
		return e
	}
	return &fault.Error{Code: fault.StoreDamaged, Subject: "--database", Reason: "its tables cannot be made or changed: " + err.Error(), Next: "check the rights of its user", Err: err}
}

// Look connects to the database at address and returns the version of the server
// and that of our tables; empty: there are none. It changes nothing.
func Look(ctx context.Context, address string) (server, tables string, err error) {
	pool, err := connect(ctx, address, pools{most: 1, own: true})
	if err != nil {
		return "", "", err
	}
	defer pool.Close()
	if err := pool.QueryRow(ctx, "SHOW server_version").Scan(&server); err != nil {
		return "", "", explained(err)
	}
	server, _, _ = strings.Cut(server, " ")
	var there bool
	if err := pool.QueryRow(ctx, "SELECT to_regclass('goose_db_version') IS NOT NULL").Scan(&there); err != nil || !there {
		return server, "", explained(err)
	}
	err = pool.QueryRow(ctx, "SELECT coalesce(max(version_id), 0)::text FROM goose_db_version").Scan(&tables)
	return server, tables, explained(err)
}

// Close closes the connections.
func (s *Store) Close() error {
	for _, pool := range []*pgxpool.Pool{s.locks, s.pool} {
		if pool != nil {
			pool.Close()
		}
	}
	return nil
}

// Exclusive implements [state.Locks].
func (s *Store) Exclusive(ctx context.Context, name string, f func() error) error {
	var tx pgx.Tx
	err := again(ctx, func() (err error) {
		if tx, err = s.locks.Begin(ctx); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name); err != nil {
			_ = tx.Rollback(context.WithoutCancel(ctx))
		}
		return err
	})
	if err != nil {
		return explained(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // which ends the lock, and so does a lost connection
	return f()
}

// transact runs f in one transaction.
func (s *Store) transact(ctx context.Context, f func(tables.Queries) error) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	if err := f(queries{tx}); err != nil {
		rollback, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
		defer cancel()
		_ = tx.Rollback(rollback) // the connection is closed where it fails
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return &commitError{err}
	}
	return nil
}

// commitError is the failure of a commit: what it was about may be kept.
type commitError struct{ error }

// Unwrap returns what the database said.
func (e *commitError) Unwrap() error { return e.error }

// handle is a pool or a transaction.
type handle interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// queries are [tables.Queries] of a handle.
type queries struct{ handle }

// Exec implements [tables.Queries].
func (q queries) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	tag, err := q.handle.Exec(ctx, query, args...)
	return tag.RowsAffected(), err
}

// One implements [tables.Queries].
func (q queries) One(ctx context.Context, query string, args ...any) tables.Row {
	return row{q.QueryRow(ctx, query, args...)}
}

// row has the error of database/sql for a row that is not there.
type row struct{ pgx.Row }

// Scan implements [tables.Row].
func (r row) Scan(dest ...any) error {
	err := r.Row.Scan(dest...)
	if errors.Is(err, pgx.ErrNoRows) {
		return sql.ErrNoRows
	}
	return err
}

// Each implements [tables.Queries].
func (q queries) Each(ctx context.Context, visit func(tables.Row) error, query string, args ...any) error {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
