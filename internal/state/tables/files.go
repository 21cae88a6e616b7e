package tables

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"inlay/internal/state"
)

const fileColumns = "id, owner, name, purpose, content, bytes, created, state, report, expires"

// AddFile implements [state.Files].
func (s *Store) AddFile(ctx context.Context, f state.File, q state.Quota) error {
	return s.transact(ctx, "keep a file", func(tx Queries) error {
		var files int
		var bytes int64
		err := tx.One(ctx, `INSERT INTO usage (owner, files, bytes) VALUES ($1, 1, $2)
			ON CONFLICT (owner) DO UPDATE SET files = usage.files + 1, bytes = usage.bytes + excluded.bytes RETURNING files, bytes`,
			f.Owner, f.Bytes).Scan(&files, &bytes)
		if err != nil {
			return err
		}
		if q.Files > 0 && files > q.Files || q.Bytes > 0 && bytes > q.Bytes {
			return state.ErrQuota
		}
		if f.Upload != "" {
			if err := changed(tx.Exec(ctx, "DELETE FROM uploads WHERE owner = $1 AND id = $2", f.Owner, f.Upload)); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, "INSERT INTO files ("+fileColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
			f.ID, f.Owner, f.Name, f.Purpose, f.Content, f.Bytes, unix(f.Created), f.State, text(f.Report), unix(f.Expires))
		if err == nil && s.Engine.AddedFile != nil {
			err = s.Engine.AddedFile(ctx, tx, f)
		}
		return err
	})
}

// File implements [state.Files].
func (s *Store) File(ctx context.Context, owner, id string) (state.File, error) {
	return one(ctx, s, "find a file", scanFile, "SELECT "+fileColumns+" FROM files WHERE owner = $1 AND id = $2 AND (expires IS NULL OR expires > $3)", owner, id, time.Now().Unix())
}

// ListFiles implements [state.Files].
func (s *Store) ListFiles(ctx context.Context, owner, purpose string, p state.Page) ([]state.File, error) {
	clause, args := between{table: "files", key: "id", of: "owner = $1"}.clause(p, owner, purpose, time.Now().Unix())
	return all(ctx, s, "list files", scanFile, "SELECT "+fileColumns+" FROM files WHERE owner = $1 AND ($2 = '' OR purpose = $2) AND (expires IS NULL OR expires > $3)"+clause, args...)
}

// SetFileState implements [state.Files].
func (s *Store) SetFileState(ctx context.Context, owner, id, to string, report json.RawMessage) error {
	return s.exec(ctx, "note a file's state", "UPDATE files SET state = $1, report = $2 WHERE owner = $3 AND id = $4", to, text(report), owner, id)
}

// DeleteFile implements [state.Files].
func (s *Store) DeleteFile(ctx context.Context, owner, id string) (f state.File, shared bool, err error) {
	err = s.erase(ctx, "delete a file", func(tx Queries) error {
		f, err = scanFile(tx.One(ctx, "DELETE FROM files WHERE owner = $1 AND id = $2 RETURNING "+fileColumns, owner, id))
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "UPDATE usage SET files = files - 1, bytes = bytes - $1 WHERE owner = $2", f.Bytes, owner); err != nil {
			return err
		}
		return tx.One(ctx, "SELECT EXISTS (SELECT 1 FROM files WHERE owner = $1 AND content = $2)", owner, f.Content).Scan(&shared)
	})
	return f, shared, err
}

// ExpiredFiles implements [state.Inventory].
func (s *Store) ExpiredFiles(ctx context.Context) ([]state.File, error) {
	return all(ctx, s, "list files whose time is over", scanFile, "SELECT "+fileColumns+" FROM files WHERE expires <= $1 ORDER BY expires", time.Now().Unix())
}

// WaitingFiles implements [state.Inventory].
func (s *Store) WaitingFiles(ctx context.Context) ([]state.File, error) {
	return all(ctx, s, "list waiting files", scanFile,
		"SELECT "+fileColumns+" FROM files WHERE state = 'uploaded' AND (expires IS NULL OR expires > $1) ORDER BY seq", time.Now().Unix())
}

// Orphans implements [state.Inventory].
func (s *Store) Orphans(ctx context.Context, owner string, contents ...string) ([]string, error) {
	list, err := json.Marshal(contents)
	if err != nil {
		return nil, err
	}
	return all(ctx, s, "look for orphans", func(row Row) (content string, err error) {
		err = row.Scan(&content)
		return content, err
	}, "SELECT e.value FROM "+s.Engine.Elements+" WHERE NOT EXISTS (SELECT 1 FROM files WHERE owner = $2 AND content = e.value)", string(list), owner)
}

func scanFile(row Row) (f state.File, err error) {
	var created, expires sql.NullInt64
	var report sql.NullString
	err = row.Scan(&f.ID, &f.Owner, &f.Name, &f.Purpose, &f.Content, &f.Bytes, &created, &f.State, &report, &expires)
	f.Created, f.Expires, f.Report = fromUnix(created), fromUnix(expires), raw(report)
	return f, err
}
