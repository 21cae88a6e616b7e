package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"inlay/internal/state"
)

// Take implements [state.Rates]: one bucket for each owner, filled with rate
// tokens a second up to burst.
func (s *Store) Take(ctx context.Context, owner string, want int, rate float64, burst int) (granted int, err error) {
	err = s.pool.QueryRow(ctx, `WITH asked AS (SELECT $2::float8 AS want, $3::float8 AS rate, $4::float8 AS burst)
		INSERT INTO rates AS r (owner, tokens, granted, at) SELECT $1, burst - least(want, burst), least(want, burst), clock_timestamp() FROM asked
		ON CONFLICT (owner) DO UPDATE SET
			granted = least($2::float8, floor(least($4::float8, r.tokens + $3::float8 * greatest(0, extract(epoch FROM excluded.at - r.at))))),
			tokens = least($4::float8, r.tokens + $3::float8 * greatest(0, extract(epoch FROM excluded.at - r.at)))
				- least($2::float8, floor(least($4::float8, r.tokens + $3::float8 * greatest(0, extract(epoch FROM excluded.at - r.at))))),
			at = greatest(r.at, excluded.at)
		RETURNING granted::bigint`, owner, want, rate, burst).Scan(&granted)
	return granted, explained(err)
}

// keepDeletions is how long a server may be away that has something near of what
// was deleted meanwhile: longer than a cache keeps anything by default.
const keepDeletions = 40 * 24 * time.Hour

// Announce implements [state.Bulletin].
func (s *Store) Announce(ctx context.Context, d state.Deletion) error {
	return again(ctx, func() error {
		_, err := s.pool.Exec(ctx, "INSERT INTO forgotten (owner, content) VALUES ($1, $2)", d.Owner, d.Of)
		return explained(err)
	})
}

// Deletions implements [state.Bulletin].
func (s *Store) Deletions(ctx context.Context, since time.Duration) ([]state.Deletion, error) {
	since = min(since, keepDeletions)
	rows, err := s.pool.Query(ctx, "SELECT owner, content FROM forgotten WHERE at > clock_timestamp() - $1::interval", since)
	if err != nil {
		return nil, explained(err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d state.Deletion, err error) {
		err = row.Scan(&d.Owner, &d.Of)
		return d, err
	})
	if err == nil && since == keepDeletions { // a server starts
		_, err = s.pool.Exec(ctx, "DELETE FROM forgotten WHERE at < clock_timestamp() - $1::interval", keepDeletions)
	}
	return list, explained(err)
}
