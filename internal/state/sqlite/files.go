package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"inlay/internal/state"
)

const fileColumns = "id, owner, name, purpose, content, bytes, created, state, report, expires"

// live are the files whose time is not over.
const live = "(expires IS NULL OR expires > unixepoch())"

// AddFile implements [state.Files].
func (s *Store) AddFile(ctx context.Context, f state.File, q state.Quota) error {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		var files int
		var bytes int64
		err := tx.QueryRowContext(ctx, `INSERT INTO usage (owner, files, bytes) VALUES (?, 1, ?)
			ON CONFLICT (owner) DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes RETURNING files, bytes`,
			f.Owner, f.Bytes).Scan(&files, &bytes)
		if err != nil {
			return err
		}
		if q.Files > 0 && files > q.Files || q.Bytes > 0 && bytes > q.Bytes {
			return state.ErrQuota
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO files ("+fileColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			f.ID, f.Owner, f.Name, f.Purpose, f.Content, f.Bytes, unix(f.Created), f.State, text(f.Report), unix(f.Expires))
		return err
	})
	if err != nil && !errors.Is(err, state.ErrQuota) {
		return kept("keep a file", err)
	}
	return err
}

// File implements [state.Files].
func (s *Store) File(ctx context.Context, owner, id string) (state.File, error) {
	f, err := scanFile(s.read.QueryRowContext(ctx, "SELECT "+fileColumns+" FROM files WHERE owner = ? AND id = ? AND "+live, owner, id))
	return f, found("find a file", err)
}

// ListFiles implements [state.Files].
func (s *Store) ListFiles(ctx context.Context, owner, purpose string, p state.Page) ([]state.File, error) {
	clause, args := page("files", p)
	rows, err := s.read.QueryContext(ctx, "SELECT "+fileColumns+" FROM files WHERE owner = ? AND (? = '' OR purpose = ?) AND "+live+clause,
		append([]any{owner, purpose, purpose}, args(owner)...)...)
	return collect(rows, err, scanFile)
}

// SetFileState implements [state.Files].
func (s *Store) SetFileState(ctx context.Context, owner, id, to string, report json.RawMessage) error {
	return found("note a file's state", changed(s.write.ExecContext(ctx,
		"UPDATE files SET state = ?, report = ? WHERE owner = ? AND id = ?", to, text(report), owner, id)))
}

// DeleteFile implements [state.Files].
func (s *Store) DeleteFile(ctx context.Context, owner, id string) (f state.File, shared bool, err error) {
	err = s.deleted(ctx, func() error {
		return s.transact(ctx, func(tx *sql.Tx) error {
			f, err = scanFile(tx.QueryRowContext(ctx, "DELETE FROM files WHERE owner = ? AND id = ? RETURNING "+fileColumns, owner, id))
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "UPDATE usage SET files = files - 1, bytes = bytes - ? WHERE owner = ?", f.Bytes, owner); err != nil {
				return err
			}
			return tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM files WHERE owner = ? AND content = ?)", owner, f.Content).Scan(&shared)
		})
	})
	return f, shared, found("delete a file", err)
}

// ExpiredFiles implements [state.Inventory].
func (s *Store) ExpiredFiles(ctx context.Context) ([]state.File, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+fileColumns+" FROM files WHERE expires <= unixepoch() ORDER BY expires")
	return collect(rows, err, scanFile)
}

// WaitingFiles implements [state.Inventory].
func (s *Store) WaitingFiles(ctx context.Context) ([]state.File, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+fileColumns+" FROM files WHERE state = 'uploaded' AND "+live+" ORDER BY seq")
	return collect(rows, err, scanFile)
}

// Orphans implements [state.Inventory].
func (s *Store) Orphans(ctx context.Context, owner string, contents ...string) ([]string, error) {
	list, err := json.Marshal(contents)
	if err != nil {
		return nil, err
	}
	rows, err := s.read.QueryContext(ctx, "SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM files WHERE owner = ? AND content = value)", string(list), owner)
	return collect(rows, err, func(row scanner) (content string, err error) {
		err = row.Scan(&content)
		return content, err
	})
}

func scanFile(row scanner) (f state.File, err error) {
	var created, expires sql.NullInt64
	var report sql.NullString
	err = row.Scan(&f.ID, &f.Owner, &f.Name, &f.Purpose, &f.Content, &f.Bytes, &created, &f.State, &report, &expires)
	f.Created, f.Expires, f.Report = fromUnix(created), fromUnix(expires), raw(report)
	return f, err
}

// raw is JSON of a column.
func raw(s sql.NullString) json.RawMessage {
	if !s.Valid {
		return nil
	}
	return json.RawMessage(s.String)
}
