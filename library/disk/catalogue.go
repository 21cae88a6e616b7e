package disk

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver

	"inlay/fault"
	"inlay/library"
)

// catalogue is the SQLite file of a library: which segments there are, which
// documents of them are alive under which paths. A change of the library is one
// transaction of it, so that all of a change is there or nothing.
type catalogue struct{ db *sql.DB }

// version is of the catalogue's tables and of the segments. Version 2 added the
// attributes of paths.
const version = 2

const schema = `
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS segments (id INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL UNIQUE, text INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
	id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, file_id TEXT NOT NULL,
	segment INTEGER NOT NULL REFERENCES segments (id), title TEXT NOT NULL, media_type TEXT NOT NULL, text INTEGER NOT NULL, passages INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS documents_segment ON documents (segment);
CREATE TABLE IF NOT EXISTS paths (
	path TEXT PRIMARY KEY, document INTEGER NOT NULL REFERENCES documents (id), folder TEXT NOT NULL,
	tags TEXT NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL, attributes TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS paths_document ON paths (document);
CREATE TABLE IF NOT EXISTS failures (
	path TEXT PRIMARY KEY, folder TEXT NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
	code TEXT NOT NULL, reason TEXT NOT NULL, next TEXT NOT NULL) WITHOUT ROWID;
`

// openCatalogue opens the catalogue at path; create makes it if it is not there.
func openCatalogue(ctx context.Context, path string, create bool) (*catalogue, error) {
	if create {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		_ = f.Close()
	}
	q := url.Values{"_txlock": {"immediate"}, "mode": {"rw"}, "_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(2)
	c := &catalogue{db}
	if err := c.begin(ctx, path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return c, nil
}

// begin makes the tables, and refuses those of a newer version.
func (c *catalogue) begin(ctx context.Context, path string) error {
	var now int
	if err := c.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&now); err != nil {
		return damagedCatalogue(path, err)
	}
	switch {
	case now == version:
		return nil
	case now > version:
		return &fault.Error{
			Code: fault.StoreDamaged, Subject: path, Reason: fmt.Sprintf("this library has version %d and this program knows %d", now, version),
			Next: "use a newer inlay, or make the library again",
		}
	}
	statements := schema
	if now == 1 {
		statements = "ALTER TABLE paths ADD COLUMN attributes TEXT NOT NULL DEFAULT '';"
	}
	err := c.transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statements+fmt.Sprintf("PRAGMA user_version = %d", version))
		return err
	})
	if err != nil {
		return damagedCatalogue(path, err)
	}
	return nil
}

func damagedCatalogue(path string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &fault.Error{
		Code: fault.StoreDamaged, Subject: path, Reason: "the catalogue of the library cannot be used: " + err.Error(),
		Next: "check the disk; if it stays, remove the library and add its folders again", Err: err,
	}
}

func (c *catalogue) transact(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// fact reads a named value, "" if there is none.
func fact(ctx context.Context, q querier, name string) (value string, err error) {
	err = q.QueryRowContext(ctx, "SELECT value FROM facts WHERE name = ?", name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, err
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func setFact(ctx context.Context, tx *sql.Tx, name, value string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	return err
}

// step counts a change, so that whoever has the library open sees it.
func step(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO facts VALUES ('generation', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1")
	return err
}

// settings reads what the library is made of.
func (c *catalogue) settings(ctx context.Context) (s library.Settings, err error) {
	value, err := fact(ctx, c.db, "settings")
	if err == nil && value != "" {
		err = json.Unmarshal([]byte(value), &s)
	}
	return s, err
}

func (c *catalogue) configure(ctx context.Context, s library.Settings) error {
	value, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return c.transact(ctx, func(tx *sql.Tx) error { return setFact(ctx, tx, "settings", string(value)) })
}

// failures lists the files that could not be read.
func (c *catalogue) failures(ctx context.Context) (list []library.Failure, err error) {
	err = each(ctx, c.db, "SELECT path, folder, size, modified, code, reason, next FROM failures ORDER BY path", func(scan func(...any) error) error {
		var f library.Failure
		var modified int64
		if err := scan(&f.Path, &f.Folder, &f.Size, &modified, &f.Code, &f.Reason, &f.Next); err != nil {
			return err
		}
		f.Modified = time.Unix(0, modified).UTC()
		list = append(list, f)
		return nil
	})
	return list, err
}

// each runs a query and hands on its rows.
func each(ctx context.Context, q querier, query string, row func(scan func(...any) error) error) (err error) {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// apply makes a change of paths; segment is of the documents that were put, 0:
// none were.
func apply(ctx context.Context, tx *sql.Tx, put []docRow, segment int64, c library.Change) error {
	for _, d := range put {
		_, err := tx.ExecContext(ctx, `INSERT INTO documents (key, file_id, segment, title, media_type, text, passages) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET segment = excluded.segment, title = excluded.title, media_type = excluded.media_type, text = excluded.text, passages = excluded.passages`,
			d.key, d.fileID, segment, d.title, d.mediaType, d.text, d.passages)
		if err != nil {
			return err
		}
	}
	for _, path := range c.Delete {
		if err := forget(ctx, tx, path); err != nil {
			return err
		}
	}
	for _, e := range c.Set {
		if err := setPath(ctx, tx, e); err != nil {
			return err
		}
	}
	for _, f := range c.Failed {
		if err := forget(ctx, tx, f.Path); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?)",
			f.Path, f.Folder, f.Size, f.Modified.UnixNano(), string(f.Code), f.Reason, f.Next); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM documents WHERE id NOT IN (SELECT document FROM paths)"); err != nil {
		return err
	}
	return step(ctx, tx)
}

// docRow is what the catalogue keeps of a document.
type docRow struct {
	key, fileID, title, mediaType string
	text, passages                int
}

func forget(ctx context.Context, tx *sql.Tx, path string) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM failures WHERE path = ?", path); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM paths WHERE path = ?", path)
	return err
}

// setPath gives a path the content that its entry names.
func setPath(ctx context.Context, tx *sql.Tx, e library.Entry) error {
	tags, err := json.Marshal(e.Tags)
	if err != nil {
		return err
	}
	attributes := ""
	if len(e.Attributes) > 0 {
		said, err := json.Marshal(e.Attributes)
		if err != nil {
			return err
		}
		attributes = string(said)
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM failures WHERE path = ?", e.Path); err != nil {
		return err
	}
	r, err := tx.ExecContext(ctx, `INSERT INTO paths SELECT ?, id, ?, ?, ?, ?, ? FROM documents WHERE key = ?
		ON CONFLICT (path) DO UPDATE SET document = excluded.document, folder = excluded.folder, tags = excluded.tags, size = excluded.size,
			modified = excluded.modified, attributes = excluded.attributes`,
		e.Path, e.Folder, string(tags), e.Size, e.Modified.UnixNano(), attributes, documentKey(e.FileID, extensionOf(e.Path)))
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, &fault.Error{
			Code: fault.Internal, Subject: e.Path, Reason: "its content was removed from the library meanwhile", Next: "sync again",
		})
	}
	return nil
}

// extensionOf is what of a path chooses among forms of text.
func extensionOf(path string) string { return strings.ToLower(filepath.Ext(path)) }

// documentKey names a document by its bytes and extension.
func documentKey(fileID, extension string) string { return fileID + extension }
