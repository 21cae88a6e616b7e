package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"inlay/internal/state"
)

const keySelect = `SELECT keys.id, keys.owner, owners.name, keys.name, keys.hint, keys.hash, keys.scope, keys.created, keys.expires, keys.revoked
	FROM keys JOIN owners ON owners.id = keys.owner`

// AddKey implements [state.Keys].
func (s *Store) AddKey(ctx context.Context, k state.Key) (state.Key, error) {
	err := s.transact(ctx, func(tx *sql.Tx) (err error) {
		if k.Owner == "" {
			if k.Owner, err = ownerCalled(ctx, tx, k); err != nil {
				return err
			}
		}
		if err := tx.QueryRowContext(ctx, "SELECT name FROM owners WHERE id = ?", k.Owner).Scan(&k.OwnerName); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO keys (id, owner, name, hint, hash, scope, created, expires, revoked) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			k.ID, k.Owner, k.Name, k.Hint, k.Hash, string(k.Scope), unix(k.Created), unix(k.Expires), unix(k.Revoked))
		return err
	})
	return k, found("keep a key", err)
}

// ownerCalled is the id of the owner of a name, who is made if there is none.
func ownerCalled(ctx context.Context, tx *sql.Tx, k state.Key) (id string, err error) {
	err = tx.QueryRowContext(ctx, "SELECT id FROM owners WHERE name = ?", k.OwnerName).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	var others bool
	if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM owners)").Scan(&others); err != nil {
		return "", err
	}
	if id = state.Local; others && k.OwnerName != state.Local {
		id = state.NewID("own_")
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO owners (id, name, created) VALUES (?, ?, ?)", id, k.OwnerName, unix(k.Created))
	return id, err
}

// KeyByHash implements [state.Keys].
func (s *Store) KeyByHash(ctx context.Context, hash []byte) (state.Key, error) {
	k, err := scanKey(s.keyByHash.QueryRowContext(ctx, hash))
	return k, found("find a key", err)
}

// ListKeys implements [state.Keys].
func (s *Store) ListKeys(ctx context.Context, owner string) ([]state.Key, error) {
	rows, err := s.read.QueryContext(ctx, keySelect+" WHERE ? = '' OR keys.owner = ? ORDER BY keys.rowid", owner, owner)
	return collect(rows, err, scanKey)
}

// RevokeKey implements [state.Keys].
func (s *Store) RevokeKey(ctx context.Context, owner, id string, at time.Time) error {
	return found("revoke a key", s.deleted(ctx, func() error {
		return changed(s.write.ExecContext(ctx,
			"UPDATE keys SET revoked = min(coalesce(revoked, ?), ?) WHERE id = ? AND (? = '' OR owner = ?)", unix(at), unix(at), id, owner, owner))
	}))
}

// AnyKey implements [state.Keys].
func (s *Store) AnyKey(ctx context.Context) (bool, error) {
	var made bool
	err := s.anyKey.QueryRowContext(ctx).Scan(&made)
	return made, err
}

// Holdings implements [state.Keys].
func (s *Store) Holdings(ctx context.Context, owner string) (h state.Holdings, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM files WHERE owner = ?1), (SELECT count(*) FROM chats WHERE owner = ?1),
		(SELECT count(*) FROM evaluations WHERE owner = ?1)`, owner).Scan(&h.Files, &h.Chats, &h.Evaluations)
	return h, found("count what an owner has", err)
}

func scanKey(row scanner) (k state.Key, err error) {
	var created, expires, revoked sql.NullInt64
	err = row.Scan(&k.ID, &k.Owner, &k.OwnerName, &k.Name, &k.Hint, &k.Hash, &k.Scope, &created, &expires, &revoked)
	k.Created, k.Expires, k.Revoked = fromUnix(created), fromUnix(expires), fromUnix(revoked)
	return k, err
}
