package tables

import (
	"context"
	"database/sql"
	"time"

	"inlay/internal/state"
)

const uploadColumns = "id, owner, name, purpose, bytes, created, expires, life"

// AddUpload implements [state.Arriving].
func (s *Store) AddUpload(ctx context.Context, u state.Upload, q state.Quota) error {
	return s.transact(ctx, "begin an upload", func(tx Queries) error {
		if err := alone(ctx, tx, u.Owner); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO uploads ("+uploadColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
			u.ID, u.Owner, u.Name, u.Purpose, u.Bytes, unix(u.Created), unix(u.Expires), int64(u.Life/time.Second))
		if err != nil {
			return err
		}
		var n int
		var bytes int64
		err = tx.One(ctx, "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM uploads WHERE owner = $1 AND expires > $2", u.Owner, time.Now().Unix()).Scan(&n, &bytes)
		if err == nil && (n > q.Files || bytes > q.Bytes) {
			err = state.ErrQuota
		}
		return err
	})
}

// alone keeps others away that add to what an owner has, until the end of the
// transaction.
func alone(ctx context.Context, tx Queries, owner string) error {
	_, err := tx.Exec(ctx, "INSERT INTO usage (owner, files, bytes) VALUES ($1, 0, 0) ON CONFLICT (owner) DO UPDATE SET files = usage.files", owner)
	return err
}

// Upload implements [state.Arriving].
func (s *Store) Upload(ctx context.Context, owner, id string) (state.Upload, []state.Part, error) {
	u, err := one(ctx, s, "find an upload", scanUpload, "SELECT "+uploadColumns+" FROM uploads WHERE owner = $1 AND id = $2 AND expires > $3", owner, id, time.Now().Unix())
	if err != nil {
		return u, nil, err
	}
	parts, err := all(ctx, s, "list the parts of an upload", func(row Row) (p state.Part, err error) {
		err = row.Scan(&p.ID, &p.Bytes)
		return p, err
	}, "SELECT id, bytes FROM parts WHERE upload = $1", id)
	return u, parts, err
}

// AddPart implements [state.Arriving].
func (s *Store) AddPart(ctx context.Context, owner, id string, p state.Part, most int) error {
	return s.transact(ctx, "keep a part of an upload", func(tx Queries) error {
		var bytes, have int64
		var count int
		// The change of the row keeps other parts of this upload away until the end.
		if err := tx.One(ctx, "UPDATE uploads SET bytes = bytes WHERE owner = $1 AND id = $2 AND expires > $3 RETURNING bytes", owner, id, time.Now().Unix()).Scan(&bytes); err != nil {
			return err
		}
		if err := tx.One(ctx, "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM parts WHERE upload = $1", id).Scan(&count, &have); err != nil {
			return err
		}
		if have+p.Bytes > bytes || count >= most {
			return state.ErrQuota
		}
		_, err := tx.Exec(ctx, "INSERT INTO parts (upload, id, bytes) VALUES ($1, $2, $3)", id, p.ID, p.Bytes)
		return err
	})
}

// DeleteUpload implements [state.Arriving].
func (s *Store) DeleteUpload(ctx context.Context, owner, id string) error {
	return s.erase(ctx, "forget an upload", func(tx Queries) error {
		return changed(tx.Exec(ctx, "DELETE FROM uploads WHERE owner = $1 AND id = $2", owner, id))
	})
}

// ExpiredUploads implements [state.Arriving].
func (s *Store) ExpiredUploads(ctx context.Context) ([]state.Upload, error) {
	return all(ctx, s, "list uploads whose time is over", scanUpload, "SELECT "+uploadColumns+" FROM uploads WHERE expires <= $1 ORDER BY expires", time.Now().Unix())
}

func scanUpload(row Row) (u state.Upload, err error) {
	var created, expires sql.NullInt64
	var life int64
	err = row.Scan(&u.ID, &u.Owner, &u.Name, &u.Purpose, &u.Bytes, &created, &expires, &life)
	u.Created, u.Expires, u.Life = fromUnix(created), fromUnix(expires), time.Duration(life)*time.Second
	return u, err
}
