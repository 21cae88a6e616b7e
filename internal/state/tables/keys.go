package tables

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
	asked := k
	err := s.transact(ctx, "keep a key", func(tx Queries) (err error) {
		k = asked
		if s.Engine.Alone != "" {
			if _, err := tx.Exec(ctx, s.Engine.Alone); err != nil {
				return err
			}
		}
		if k.Owner == "" {
			if k.Owner, err = ownerCalled(ctx, tx, k); err != nil {
				return err
			}
		}
		if err := tx.One(ctx, "SELECT name FROM owners WHERE id = $1", k.Owner).Scan(&k.OwnerName); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO keys (id, owner, name, hint, hash, scope, created, expires, revoked) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
			k.ID, k.Owner, k.Name, k.Hint, k.Hash, string(k.Scope), unix(k.Created), unix(k.Expires), unix(k.Revoked))
		return err
	})
	return k, err
}

// ownerCalled is the id of the owner of a name, who is made if there is none.
func ownerCalled(ctx context.Context, tx Queries, k state.Key) (id string, err error) {
	err = tx.One(ctx, "SELECT id FROM owners WHERE name = $1", k.OwnerName).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	var others bool
	if err := tx.One(ctx, "SELECT EXISTS (SELECT 1 FROM owners)").Scan(&others); err != nil {
		return "", err
	}
	if id = state.Local; others && k.OwnerName != state.Local {
		id = state.NewID("own_")
	}
	_, err = tx.Exec(ctx, "INSERT INTO owners (id, name, created) VALUES ($1, $2, $3)", id, k.OwnerName, unix(k.Created))
	return id, err
}

// KeyByHash implements [state.Keys].
func (s *Store) KeyByHash(ctx context.Context, hash []byte) (state.Key, error) {
	return one(ctx, s, "find a key", scanKey, keySelect+" WHERE keys.hash = $1", hash)
}

// ListKeys implements [state.Keys].
func (s *Store) ListKeys(ctx context.Context, owner string) ([]state.Key, error) {
	return all(ctx, s, "list keys", scanKey, keySelect+" WHERE $1 = '' OR keys.owner = $1 ORDER BY keys.rowid", owner)
}

// RevokeKey implements [state.Keys].
func (s *Store) RevokeKey(ctx context.Context, owner, id string, at time.Time) error {
	return s.erase(ctx, "revoke a key", func(tx Queries) error {
		return changed(tx.Exec(ctx,
			"UPDATE keys SET revoked = CASE WHEN revoked < $1 THEN revoked ELSE $1 END WHERE id = $2 AND ($3 = '' OR owner = $3)", unix(at), id, owner))
	})
}

// AnyKey implements [state.Keys].
func (s *Store) AnyKey(ctx context.Context) (bool, error) {
	return one(ctx, s, "look for keys", func(row Row) (made bool, err error) {
		err = row.Scan(&made)
		return made, err
	}, "SELECT EXISTS (SELECT 1 FROM keys)")
}

// Holdings implements [state.Keys].
func (s *Store) Holdings(ctx context.Context, owner string) (state.Holdings, error) {
	return one(ctx, s, "count what an owner has", func(row Row) (h state.Holdings, err error) {
		err = row.Scan(&h.Files, &h.Chats, &h.Evaluations)
		return h, err
	}, `SELECT (SELECT count(*) FROM files WHERE owner = $1), (SELECT count(*) FROM chats WHERE owner = $1),
		(SELECT count(*) FROM evaluations WHERE owner = $1)`, owner)
}

func scanKey(row Row) (k state.Key, err error) {
	var created, expires, revoked sql.NullInt64
	err = row.Scan(&k.ID, &k.Owner, &k.OwnerName, &k.Name, &k.Hint, &k.Hash, &k.Scope, &created, &expires, &revoked)
	k.Created, k.Expires, k.Revoked = fromUnix(created), fromUnix(expires), fromUnix(revoked)
	return k, err
}
