package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"time"

	"github.com/pressly/goose/v3"
)

// Inspection is what can be said of a state without changing it.
type Inspection struct {
	Version int64     // of its schema
	Known   int64     // newest version that this program knows
	Keys    int       // that are neither revoked nor expired
	Ever    bool      // a key was ever made
	Files   int       // uploads of all owners
	Newest  time.Time // when the newest record was made; zero: there is none
}

// Inspect looks at the state in the file path, reads all of it for damage, and
// changes nothing. A file that is not there is fs.ErrNotExist; one that is no
// sound state is fault.StoreDamaged.
func Inspect(ctx context.Context, path string) (i Inspection, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return i, err
	}
	if i.Known, err = newestMigration(); err != nil || info.Size() == 0 {
		return i, err
	}
	q := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(10000)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: q.Encode()}).String())
	if err != nil {
		return i, damaged(path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := i.read(ctx, db); err != nil {
		return i, damaged(path, err)
	}
	return i, nil
}

// versionOwners is the schema that gave keys owners and an end.
const versionOwners = 2

func newestMigration() (int64, error) {
	dir, err := fs.Sub(files, "migrations")
	if err != nil {
		return 0, err
	}
	list, err := fs.Glob(dir, "*.sql")
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return goose.NumericComponent(list[len(list)-1])
}

func (i *Inspection) read(ctx context.Context, db *sql.DB) error {
	var sound string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&sound); err != nil {
		return err
	}
	if sound != "ok" {
		return fmt.Errorf("damaged: %s", sound)
	}
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version").Scan(&i.Version); err != nil {
		return err
	}
	if i.Version > i.Known {
		return errNewer
	}
	var newest sql.NullInt64
	good := "(SELECT count(*) FROM keys WHERE revoked IS NULL OR revoked > unixepoch())"
	if i.Version >= versionOwners {
		good = "(SELECT count(*) FROM keys WHERE (revoked IS NULL OR revoked > unixepoch()) AND (expires IS NULL OR expires > unixepoch()))"
	}
	err := db.QueryRowContext(ctx, "SELECT "+good+`, EXISTS (SELECT 1 FROM keys), (SELECT count(*) FROM files),
		(SELECT max(created) FROM (SELECT created FROM files UNION ALL SELECT created FROM chats UNION ALL SELECT created FROM keys))`).
		Scan(&i.Keys, &i.Ever, &i.Files, &newest)
	if newest.Valid {
		i.Newest = time.Unix(newest.Int64, 0).UTC()
	}
	return err
}
