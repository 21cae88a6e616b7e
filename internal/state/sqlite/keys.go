package sqlite

import (
	"context"
	"database/sql"
	"time"

	"inlay/internal/state"
)

const keyColumns = "id, name, hint, hash, created, revoked"

// AddKey implements [state.Keys].
func (s *Store) AddKey(ctx context.Context, k state.Key) error {
	_, err := s.write.ExecContext(ctx, "INSERT INTO keys ("+keyColumns+") VALUES (?, ?, ?, ?, ?, ?)",
		k.ID, k.Name, k.Hint, k.Hash, unix(k.Created), unix(k.Revoked))
	if err != nil {
		return kept("keep a key", err)
	}
	return nil
}

// KeyByHash implements [state.Keys].
func (s *Store) KeyByHash(ctx context.Context, hash []byte) (state.Key, error) {
	k, err := scanKey(s.read.QueryRowContext(ctx, "SELECT "+keyColumns+" FROM keys WHERE hash = ?", hash))
	return k, found("find a key", err)
}

// ListKeys implements [state.Keys].
func (s *Store) ListKeys(ctx context.Context) ([]state.Key, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+keyColumns+" FROM keys ORDER BY rowid")
	return collect(rows, err, scanKey)
}

// RevokeKey implements [state.Keys].
func (s *Store) RevokeKey(ctx context.Context, id string, at time.Time) error {
	return found("revoke a key", changed(s.write.ExecContext(ctx, "UPDATE keys SET revoked = coalesce(revoked, ?) WHERE id = ?", unix(at), id)))
}

// AnyKey implements [state.Keys].
func (s *Store) AnyKey(ctx context.Context) (bool, error) {
	var made bool
	err := s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM keys)").Scan(&made)
	return made, err
}

func scanKey(row scanner) (k state.Key, err error) {
	var created, revoked sql.NullInt64
	err = row.Scan(&k.ID, &k.Name, &k.Hint, &k.Hash, &created, &revoked)
	k.Created, k.Revoked = fromUnix(created), fromUnix(revoked)
	return k, err
}
