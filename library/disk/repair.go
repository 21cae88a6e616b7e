package disk

import (
	"context"
	"database/sql"
	"path/filepath"
)

// Repair gives up the segments that are damaged, with the files in them, and
// returns how many files that were. The next sync reads those of folders again.
func (s *Store) Repair(ctx context.Context, owner, name string) (lost int, err error) {
	one, err := s.shelf(ctx, owner, name)
	if err != nil {
		return 0, err
	}
	release, err := one.exclusively(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	damaged, err := one.damaged(ctx)
	if err != nil || len(damaged) == 0 {
		return 0, err
	}
	err = one.catalogue.transact(ctx, func(tx *sql.Tx) error {
		for _, id := range damaged {
			n, err := giveUp(ctx, tx, id)
			if err != nil {
				return err
			}
			lost += n
		}
		return step(ctx, tx)
	})
	if err != nil {
		return 0, one.explain(err)
	}
	return lost, one.sweep(ctx)
}

// damaged are the segments that cannot be read to the end.
func (s *shelf) damaged(ctx context.Context) (ids []int64, err error) {
	type row struct {
		id   int64
		file string
	}
	var rows []row
	err = each(ctx, s.catalogue.db, "SELECT id, file FROM segments", func(scan func(...any) error) error {
		var r row
		err := scan(&r.id, &r.file)
		rows = append(rows, r)
		return err
	})
	if err != nil {
		return nil, s.explain(err)
	}
	for _, r := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one, err := openSegment(filepath.Join(s.dir, segmentsName, r.file), s.unzip)
		if err == nil {
			err = one.verify()
		}
		if err != nil {
			ids = append(ids, r.id)
		}
	}
	return ids, nil
}

// giveUp forgets a segment and the paths of its documents.
func giveUp(ctx context.Context, tx *sql.Tx, id int64) (lost int, err error) {
	r, err := tx.ExecContext(ctx, "DELETE FROM paths WHERE document IN (SELECT id FROM documents WHERE segment = ?)", id)
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	if err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM documents WHERE segment = ?", id); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM segments WHERE id = ?", id)
	return int(n), err
}
