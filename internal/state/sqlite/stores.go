package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"inlay/internal/state"
)

const storeColumns = "id, owner, name, description, created, active, days, expired, metadata"

// AddVectorStore implements [state.VectorStores].
func (s *Store) AddVectorStore(ctx context.Context, v state.VectorStore) error {
	metadata, err := metadataOf(v)
	if err != nil {
		return err
	}
	_, err = s.write.ExecContext(ctx, "INSERT INTO vector_stores ("+storeColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		v.ID, v.Owner, v.Name, v.Description, unix(v.Created), unix(v.Active), v.Days, v.Expired, metadata)
	if err != nil {
		return kept("keep a vector store", err)
	}
	return nil
}

func metadataOf(v state.VectorStore) (any, error) {
	if v.Metadata == nil {
		return nil, nil //nolint:nilnil // NULL
	}
	data, err := json.Marshal(v.Metadata)
	return string(data), err
}

// VectorStore implements [state.VectorStores].
func (s *Store) VectorStore(ctx context.Context, owner, id string) (state.VectorStore, error) {
	v, err := scanStore(s.read.QueryRowContext(ctx, "SELECT "+storeColumns+" FROM vector_stores WHERE owner = ? AND id = ?", owner, id))
	return v, found("find a vector store", err)
}

// ListVectorStores implements [state.VectorStores].
func (s *Store) ListVectorStores(ctx context.Context, owner string, p state.Page) ([]state.VectorStore, error) {
	q := between{table: "vector_stores", key: "id", of: "owner = ?", args: []any{owner}}
	rows, err := s.read.QueryContext(ctx, "SELECT "+storeColumns+" FROM vector_stores WHERE owner = ?"+q.clause(p), q.all([]any{owner}, p)...)
	list, err := collect(rows, err, scanStore)
	return inOrder(list, p), err
}

// UpdateVectorStore implements [state.VectorStores].
func (s *Store) UpdateVectorStore(ctx context.Context, v state.VectorStore) error {
	metadata, err := metadataOf(v)
	if err != nil {
		return err
	}
	return found("change a vector store", changed(s.write.ExecContext(ctx,
		"UPDATE vector_stores SET name = ?, description = ?, active = ?, days = ?, expired = ?, metadata = ? WHERE owner = ? AND id = ?",
		v.Name, v.Description, unix(v.Active), v.Days, v.Expired, metadata, v.Owner, v.ID)))
}

// DeleteVectorStore implements [state.VectorStores].
func (s *Store) DeleteVectorStore(ctx context.Context, owner, id string) error {
	return found("delete a vector store", s.deleted(ctx, func() error {
		return changed(s.write.ExecContext(ctx, "DELETE FROM vector_stores WHERE owner = ? AND id = ?", owner, id))
	}))
}

func scanStore(row scanner) (v state.VectorStore, err error) {
	var created, active sql.NullInt64
	var metadata sql.NullString
	if err := row.Scan(&v.ID, &v.Owner, &v.Name, &v.Description, &created, &active, &v.Days, &v.Expired, &metadata); err != nil {
		return v, err
	}
	v.Created, v.Active = fromUnix(created), fromUnix(active)
	if metadata.Valid {
		if err := json.Unmarshal([]byte(metadata.String), &v.Metadata); err != nil {
			return v, fmt.Errorf("read the metadata of vector store %s: %w", v.ID, err)
		}
	}
	return v, nil
}

const (
	storeFileColumns = "v.owner, f.store, f.file, f.batch, f.path, f.created, f.state, f.bytes, f.attributes, f.chunking, f.failure"
	ownStore         = "store = (SELECT id FROM vector_stores WHERE owner = ? AND id = ?)"
	storeFileFrom    = " FROM store_files f JOIN vector_stores v ON v.id = f.store WHERE v.owner = ?"
)

// PutStoreFile implements [state.StoreFiles].
func (s *Store) PutStoreFile(ctx context.Context, f state.StoreFile) (state.StoreFile, error) {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		var there int
		if err := tx.QueryRowContext(ctx, "SELECT 1 FROM vector_stores WHERE owner = ? AND id = ?", f.Owner, f.Store).Scan(&there); err != nil {
			return err
		}
		if err := freePath(ctx, tx, &f); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO store_files (store, file, batch, path, created, state, bytes, attributes, chunking, failure)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (store, file) DO UPDATE SET batch = excluded.batch, created = excluded.created,
			state = excluded.state, bytes = excluded.bytes, attributes = excluded.attributes, chunking = excluded.chunking, failure = excluded.failure`,
			f.Store, f.File, f.Batch, f.Path, unix(f.Created), f.State, f.Bytes, text(f.Attributes), text(f.Chunking), text(f.Failure))
		return err
	})
	return f, found("add a file to a vector store", err)
}

// freePath gives a file a path of its own, or the one that it has already.
func freePath(ctx context.Context, tx *sql.Tx, f *state.StoreFile) error {
	wanted, extension := f.Path, path.Ext(f.Path)
	for n := 2; ; n++ {
		var file string
		const query = "SELECT path, file FROM store_files WHERE store = ? AND (file = ? OR path = ?) ORDER BY file = ? DESC LIMIT 1"
		err := tx.QueryRowContext(ctx, query, f.Store, f.File, f.Path, f.File).Scan(&f.Path, &file)
		switch {
		case errors.Is(err, sql.ErrNoRows), err == nil && file == f.File:
			return nil
		case err != nil:
			return err
		}
		f.Path = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(wanted, extension), n, extension)
	}
}

// StoreFile implements [state.StoreFiles].
func (s *Store) StoreFile(ctx context.Context, owner, store, file string) (state.StoreFile, error) {
	f, err := scanStoreFile(s.read.QueryRowContext(ctx, "SELECT "+storeFileColumns+storeFileFrom+" AND f.store = ? AND f.file = ?", owner, store, file))
	return f, found("find a file of a vector store", err)
}

// ListStoreFiles implements [state.StoreFiles].
func (s *Store) ListStoreFiles(ctx context.Context, owner, store, batch, in string, p state.Page) ([]state.StoreFile, error) {
	q := between{table: "store_files", key: "file", prefix: "f.", of: "store = ?", args: []any{store}}
	rows, err := s.read.QueryContext(ctx, "SELECT "+storeFileColumns+storeFileFrom+
		" AND f.store = ? AND (? = '' OR f.batch = ?) AND (? = '' OR f.state = ?)"+q.clause(p), q.all([]any{owner, store, batch, batch, in, in}, p)...)
	list, err := collect(rows, err, scanStoreFile)
	return inOrder(list, p), err
}

// UpdateStoreFile implements [state.StoreFiles].
func (s *Store) UpdateStoreFile(ctx context.Context, f state.StoreFile) error {
	return found("change a file of a vector store", changed(s.write.ExecContext(ctx,
		"UPDATE store_files SET state = ?, bytes = ?, attributes = ?, failure = ? WHERE "+ownStore+" AND file = ?",
		f.State, f.Bytes, text(f.Attributes), text(f.Failure), f.Owner, f.Store, f.File)))
}

// DeleteStoreFile implements [state.StoreFiles].
func (s *Store) DeleteStoreFile(ctx context.Context, owner, store, file string) error {
	return found("delete a file of a vector store", s.deleted(ctx, func() error {
		return changed(s.write.ExecContext(ctx,
			"DELETE FROM store_files WHERE "+ownStore+" AND file = ?", owner, store, file))
	}))
}

func scanStoreFile(row scanner) (f state.StoreFile, err error) {
	var created sql.NullInt64
	var attributes, chunking, failure sql.NullString
	err = row.Scan(&f.Owner, &f.Store, &f.File, &f.Batch, &f.Path, &created, &f.State, &f.Bytes, &attributes, &chunking, &failure)
	f.Created, f.Attributes, f.Chunking, f.Failure = fromUnix(created), raw(attributes), raw(chunking), raw(failure)
	return f, err
}

// CountStoreFiles implements [state.StoreInventory].
func (s *Store) CountStoreFiles(ctx context.Context, owner, store, batch string) (c state.StoreCounts, err error) {
	c.States = map[string]int{}
	rows, err := s.read.QueryContext(ctx, "SELECT f.state, count(*), sum(f.bytes)"+storeFileFrom+
		" AND (? = '' OR f.store = ?) AND (? = '' OR f.batch = ?) GROUP BY f.state", owner, store, store, batch, batch)
	_, err = collect(rows, err, func(row scanner) (in string, err error) {
		var n int
		var bytes int64
		err = row.Scan(&in, &n, &bytes)
		c.States[in], c.Bytes = n, c.Bytes+bytes
		return in, err
	})
	return c, err
}

// TouchVectorStore implements [state.StoreUse].
func (s *Store) TouchVectorStore(ctx context.Context, owner, id string, at time.Time) error {
	return found("note the use of a vector store", changed(s.write.ExecContext(ctx,
		"UPDATE vector_stores SET active = ? WHERE owner = ? AND id = ?", unix(at), owner, id)))
}

// StoreFileAt implements [state.StoreUse].
func (s *Store) StoreFileAt(ctx context.Context, owner, store, path string) (state.StoreFile, error) {
	f, err := scanStoreFile(s.read.QueryRowContext(ctx, "SELECT "+storeFileColumns+storeFileFrom+" AND f.store = ? AND f.path = ?", owner, store, path))
	return f, found("find a file of a vector store", err)
}

// StoresOf implements [state.StoreInventory].
func (s *Store) StoresOf(ctx context.Context, owner, file string) ([]state.StoreFile, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+storeFileColumns+storeFileFrom+" AND f.file = ?", owner, file)
	return collect(rows, err, scanStoreFile)
}

// WaitingStores implements [state.StoreInventory].
func (s *Store) WaitingStores(ctx context.Context) ([]state.VectorStore, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+storeColumns+
		" FROM vector_stores WHERE id IN (SELECT store FROM store_files WHERE state = 'in_progress') ORDER BY seq")
	return collect(rows, err, scanStore)
}

// OverdueStores implements [state.StoreInventory].
func (s *Store) OverdueStores(ctx context.Context) ([]state.VectorStore, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+storeColumns+" FROM vector_stores WHERE days > 0 AND expired = 0 ORDER BY seq")
	list, err := collect(rows, err, scanStore)
	now := time.Now()
	return slices.DeleteFunc(list, func(v state.VectorStore) bool { return v.Expires().After(now) }), err
}

// AddStoreBatch implements [state.StoreBatches].
func (s *Store) AddStoreBatch(ctx context.Context, b state.StoreBatch) error {
	return found("keep a batch", changed(s.write.ExecContext(ctx,
		"INSERT INTO store_batches (id, store, created, canceled) SELECT ?, id, ?, ? FROM vector_stores WHERE owner = ? AND id = ?",
		b.ID, unix(b.Created), b.Canceled, b.Owner, b.Store)))
}

// StoreBatch implements [state.StoreBatches].
func (s *Store) StoreBatch(ctx context.Context, owner, store, id string) (b state.StoreBatch, err error) {
	var created sql.NullInt64
	const query = `SELECT v.owner, b.store, b.id, b.created, b.canceled FROM store_batches b JOIN vector_stores v ON v.id = b.store
		WHERE v.owner = ? AND b.store = ? AND b.id = ?`
	err = s.read.QueryRowContext(ctx, query, owner, store, id).Scan(&b.Owner, &b.Store, &b.ID, &created, &b.Canceled)
	b.Created = fromUnix(created)
	return b, found("find a batch", err)
}

// CancelStoreBatch implements [state.StoreBatches].
func (s *Store) CancelStoreBatch(ctx context.Context, owner, store, id string) error {
	return found("cancel a batch", s.transact(ctx, func(tx *sql.Tx) error {
		err := changed(tx.ExecContext(ctx, "UPDATE store_batches SET canceled = 1 WHERE id = ? AND "+ownStore, id, owner, store))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE store_files SET state = ? WHERE store = ? AND batch = ? AND state = ?",
			state.StoreCanceled, store, id, state.StoreWaiting)
		return err
	}))
}

// between is the end of a query over a table with seq, for one page that begins
// after a record and may end before one.
type between struct {
	table, key, prefix string // prefix: of the table's columns in the query
	of                 string // narrows down where the records of the page's ids are
	args               []any
}

func (b between) clause(p state.Page) string {
	var out strings.Builder
	bound := func(id string, later bool) {
		if id == "" {
			return
		}
		than := "<"
		if later {
			than = ">"
		}
		fmt.Fprintf(&out, " AND %sseq %s (SELECT seq FROM %s WHERE %s AND %s = ?)", b.prefix, than, b.table, b.of, b.key)
	}
	bound(p.After, !p.Desc)
	bound(p.Before, p.Desc)
	order := "ASC"
	if p.Desc != p.Backwards() {
		order = "DESC"
	}
	fmt.Fprintf(&out, " ORDER BY %sseq %s LIMIT ?", b.prefix, order)
	return out.String()
}

func (b between) all(args []any, p state.Page) []any {
	for _, id := range []string{p.After, p.Before} {
		if id != "" {
			args = append(append(args, b.args...), id)
		}
	}
	return append(args, p.Limit)
}

// inOrder is a page as it is shown: one that was read backwards is turned round.
func inOrder[T any](list []T, p state.Page) []T {
	if p.Backwards() {
		slices.Reverse(list)
	}
	return list
}
