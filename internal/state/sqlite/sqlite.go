// Package sqlite keeps the service's state in one SQLite file, in WAL mode, so
// that a command can read and change it while a server runs.
package sqlite

import (
	"context"
	"database/sql"
	stdembed "embed"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"github.com/pressly/goose/v3"
	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"inlay/fault"
	"inlay/internal/durable"
	"inlay/internal/state"
	"inlay/internal/state/tables"
)

//go:embed migrations/*.sql
var files stdembed.FS

// readers is how many questions are answered side by side.
const readers = 4

// reserveSize is the room that is kept for deleting on a full disk, in bytes.
const reserveSize = 4 << 20

// Store keeps state in a file. Open one with [Open].
type Store struct {
	tables.Store

	read, write *sql.DB          // SQLite has one writer; it gets a connection of its own
	reserve     *durable.Reserve // room to delete with when there is no other
	locks       names            // of [Store.Exclusive]; one process works with a file
}

var _ state.Store = (*Store)(nil)

// Open opens the state in the file path, makes it if it is not there, and
// brings an older one up to this version. One of a newer version, and a file
// that is not a state, are fault.StoreDamaged.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := private(path); err != nil {
		return nil, damaged(path, err)
	}
	write, err := connect(path, 1)
	if err != nil {
		return nil, damaged(path, err)
	}
	if err := migrate(ctx, write); err != nil {
		return nil, errors.Join(damaged(path, err), write.Close())
	}
	read, err := connect(path, readers)
	if err != nil {
		return nil, errors.Join(damaged(path, err), write.Close())
	}
	s := &Store{read: read, write: write, reserve: &durable.Reserve{Path: path + "-reserve", Size: reserveSize}}
	s.Store = tables.Store{Engine: tables.Engine{
		Read: queries{db: read, prepared: &prepared{db: read}}, Write: queries{db: write}, Transact: s.transact, Erase: s.erase, Explain: explained,
		Elements: "json_each($1) AS e",
	}}
	_ = s.reserve.Hold() // a full disk is told of where it matters
	return s, nil
}

// private makes the file for its owner only, before SQLite makes it for all.
func private(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// connect opens path with what every connection needs: full sync, so that what
// was acknowledged outlives the power too; a wait for other writers; and
// transactions that lock when they begin, so that they never fail half way.
func connect(path string, connections int) (*sql.DB, error) {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

var errNewer = errors.New("it was made by a newer inlay")

// migrate brings the schema up to this version.
func migrate(ctx context.Context, db *sql.DB) error {
	dir, err := fs.Sub(files, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, dir, goose.WithAllowOutofOrder(true))
	if err != nil {
		return err
	}
	now, err := p.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	sources := p.ListSources()
	if now > sources[len(sources)-1].Version {
		return errNewer
	}
	if _, err = p.Up(ctx); err == nil && now > 0 && now < versionOwners {
		_, _ = db.ExecContext(ctx, "VACUUM") // earlier versions left deleted text in free pages; without room it stays there
	}
	return err
}

// erase deletes in one transaction, where the disk is full with the room that is
// kept for it, and sees to it that what was deleted is in no file any more.
func (s *Store) erase(ctx context.Context, f func(tables.Queries) error) error {
	err := s.transact(ctx, f)
	if isFull(err) && s.reserve.Release() == nil {
		err = s.transact(ctx, f)
	}
	if err != nil {
		return err
	}
	var busy, frames, moved int
	_ = s.write.QueryRowContext(context.WithoutCancel(ctx), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved) // else the next one does
	_ = s.reserve.Hold()
	return nil
}

// isFull reports the error of a full disk.
func isFull(err error) bool {
	if e, ok := errors.AsType[*driver.Error](err); ok && e.Code()&0xff == sqlite3.SQLITE_FULL {
		return true
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func damaged(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &fault.Error{Code: fault.FileUnreadable, Subject: path, Reason: "the state cannot be opened: permission denied", Next: "check who owns the data folder", Err: err}
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return &fault.Error{Code: fault.Usage, Subject: path, Reason: "the state cannot be opened: its folder is a file", Next: "name another folder with --data", Err: err}
	}
	next := "restore it from a backup, or move it away to start over"
	if errors.Is(err, errNewer) {
		next = "use that version, or another data folder"
	}
	return &fault.Error{Code: fault.StoreDamaged, Subject: path, Reason: "the state cannot be opened: " + err.Error(), Next: next, Err: err}
}

// Close closes the file.
func (s *Store) Close() error { return errors.Join(s.read.Close(), s.write.Close()) }

// transact runs f in one transaction.
func (s *Store) transact(ctx context.Context, f func(tables.Queries) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(queries{db: tx}); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// explained says of a full disk that it is one.
func explained(err error) error {
	if isFull(err) {
		return errors.Join(syscall.ENOSPC, err)
	}
	return err
}
