package tables

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
	return s.exec(ctx, "keep a vector store", "INSERT INTO vector_stores ("+storeColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
		v.ID, v.Owner, v.Name, v.Description, unix(v.Created), unix(v.Active), v.Days, bit(v.Expired), metadata)
}

// bit is a truth as columns of every engine have it.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
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
	return one(ctx, s, "find a vector store", scanStore, "SELECT "+storeColumns+" FROM vector_stores WHERE owner = $1 AND id = $2", owner, id)
}

// ListVectorStores implements [state.VectorStores].
func (s *Store) ListVectorStores(ctx context.Context, owner string, p state.Page) ([]state.VectorStore, error) {
	clause, args := between{table: "vector_stores", key: "id", of: "owner = $1"}.clause(p, owner)
	list, err := all(ctx, s, "list vector stores", scanStore, "SELECT "+storeColumns+" FROM vector_stores WHERE owner = $1"+clause, args...)
	return inOrder(list, p), err
}

// UpdateVectorStore implements [state.VectorStores].
func (s *Store) UpdateVectorStore(ctx context.Context, v state.VectorStore) error {
	metadata, err := metadataOf(v)
	if err != nil {
		return err
	}
	return s.exec(ctx, "change a vector store",
		"UPDATE vector_stores SET name = $1, description = $2, active = $3, days = $4, expired = $5, metadata = $6 WHERE owner = $7 AND id = $8",
		v.Name, v.Description, unixOr0(v.Active), v.Days, bit(v.Expired), metadata, v.Owner, v.ID)
}

// unixOr0 is a time of a column that has no NULL.
func unixOr0(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// DeleteVectorStore implements [state.VectorStores].
func (s *Store) DeleteVectorStore(ctx context.Context, owner, id string) error {
	return s.erase(ctx, "delete a vector store", func(tx Queries) error {
		return changed(tx.Exec(ctx, "DELETE FROM vector_stores WHERE owner = $1 AND id = $2", owner, id))
	})
}

func scanStore(row Row) (v state.VectorStore, err error) {
	var created, active sql.NullInt64
	var expired int
	var metadata sql.NullString
	if err := row.Scan(&v.ID, &v.Owner, &v.Name, &v.Description, &created, &active, &v.Days, &expired, &metadata); err != nil {
		return v, err
	}
	v.Created, v.Active, v.Expired = fromUnix(created), fromUnix(active), expired != 0
	if metadata.Valid {
		if err := json.Unmarshal([]byte(metadata.String), &v.Metadata); err != nil {
			return v, fmt.Errorf("read the metadata of vector store %s: %w", v.ID, err)
		}
	}
	return v, nil
}

const (
	storeFileColumns = "v.owner, f.store, f.file, f.batch, f.path, f.created, f.state, f.bytes, f.attributes, f.chunking, f.failure"
	storeFileFrom    = " FROM store_files f JOIN vector_stores v ON v.id = f.store WHERE v.owner = $1"
)

// PutStoreFile implements [state.StoreFiles].
func (s *Store) PutStoreFile(ctx context.Context, f state.StoreFile) (state.StoreFile, error) {
	wanted := f.Path
	err := s.transact(ctx, "add a file to a vector store", func(tx Queries) error {
		// The change of the row keeps other files away until the end.
		if err := changed(tx.Exec(ctx, "UPDATE vector_stores SET name = name WHERE owner = $1 AND id = $2", f.Owner, f.Store)); err != nil {
			return err
		}
		f.Path = wanted
		if err := freePath(ctx, tx, &f); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO store_files (store, file, batch, path, created, state, bytes, attributes, chunking, failure)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (store, file) DO UPDATE SET batch = excluded.batch, created = excluded.created,
			state = excluded.state, bytes = excluded.bytes, attributes = excluded.attributes, chunking = excluded.chunking, failure = excluded.failure`,
			f.Store, f.File, f.Batch, f.Path, unix(f.Created), f.State, f.Bytes, text(f.Attributes), text(f.Chunking), text(f.Failure))
		return err
	})
	return f, err
}

// freePath gives a file a path of its own, or the one that it has already.
func freePath(ctx context.Context, tx Queries, f *state.StoreFile) error {
	wanted, extension := f.Path, path.Ext(f.Path)
	for n := 2; ; n++ {
		var file string
		err := tx.One(ctx, "SELECT path, file FROM store_files WHERE store = $1 AND (file = $2 OR path = $3) ORDER BY file = $2 DESC LIMIT 1",
			f.Store, f.File, f.Path).Scan(&f.Path, &file)
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
	return one(ctx, s, "find a file of a vector store", scanStoreFile, "SELECT "+storeFileColumns+storeFileFrom+" AND f.store = $2 AND f.file = $3", owner, store, file)
}

// ListStoreFiles implements [state.StoreFiles].
func (s *Store) ListStoreFiles(ctx context.Context, owner, store, batch, in string, p state.Page) ([]state.StoreFile, error) {
	clause, args := between{table: "store_files", key: "file", prefix: "f.", of: "store = $2"}.clause(p, owner, store, batch, in)
	list, err := all(ctx, s, "list the files of a vector store", scanStoreFile,
		"SELECT "+storeFileColumns+storeFileFrom+" AND f.store = $2 AND ($3 = '' OR f.batch = $3) AND ($4 = '' OR f.state = $4)"+clause, args...)
	return inOrder(list, p), err
}

// UpdateStoreFile implements [state.StoreFiles].
func (s *Store) UpdateStoreFile(ctx context.Context, f state.StoreFile) error {
	return s.exec(ctx, "change a file of a vector store",
		"UPDATE store_files SET state = $1, bytes = $2, attributes = $3, failure = $4 WHERE store = (SELECT id FROM vector_stores WHERE owner = $5 AND id = $6) AND file = $7",
		f.State, f.Bytes, text(f.Attributes), text(f.Failure), f.Owner, f.Store, f.File)
}

// DeleteStoreFile implements [state.StoreFiles].
func (s *Store) DeleteStoreFile(ctx context.Context, owner, store, file string) error {
	return s.erase(ctx, "delete a file of a vector store", func(tx Queries) error {
		return changed(tx.Exec(ctx,
			"DELETE FROM store_files WHERE store = (SELECT id FROM vector_stores WHERE owner = $1 AND id = $2) AND file = $3", owner, store, file))
	})
}

func scanStoreFile(row Row) (f state.StoreFile, err error) {
	var created sql.NullInt64
	var attributes, chunking, failure sql.NullString
	err = row.Scan(&f.Owner, &f.Store, &f.File, &f.Batch, &f.Path, &created, &f.State, &f.Bytes, &attributes, &chunking, &failure)
	f.Created, f.Attributes, f.Chunking, f.Failure = fromUnix(created), raw(attributes), raw(chunking), raw(failure)
	return f, err
}

// CountStoreFiles implements [state.StoreInventory].
func (s *Store) CountStoreFiles(ctx context.Context, owner, store, batch string) (c state.StoreCounts, err error) {
	type count struct {
		in    string
		n     int
		bytes int64
	}
	list, err := all(ctx, s, "count the files of a vector store", func(row Row) (one count, err error) {
		err = row.Scan(&one.in, &one.n, &one.bytes)
		return one, err
	}, "SELECT f.state, count(*), CAST(sum(f.bytes) AS BIGINT)"+storeFileFrom+" AND ($2 = '' OR f.store = $2) AND ($3 = '' OR f.batch = $3) GROUP BY f.state", owner, store, batch)
	c.States = map[string]int{}
	for _, one := range list {
		c.States[one.in], c.Bytes = one.n, c.Bytes+one.bytes
	}
	return c, err
}

// TouchVectorStore implements [state.StoreUse].
func (s *Store) TouchVectorStore(ctx context.Context, owner, id string, at time.Time) error {
	return s.exec(ctx, "note the use of a vector store", "UPDATE vector_stores SET active = $1 WHERE owner = $2 AND id = $3", unix(at), owner, id)
}

// StoreFileAt implements [state.StoreUse].
func (s *Store) StoreFileAt(ctx context.Context, owner, store, path string) (state.StoreFile, error) {
	return one(ctx, s, "find a file of a vector store", scanStoreFile, "SELECT "+storeFileColumns+storeFileFrom+" AND f.store = $2 AND f.path = $3", owner, store, path)
}

// StoresOf implements [state.StoreInventory].
func (s *Store) StoresOf(ctx context.Context, owner, file string) ([]state.StoreFile, error) {
	return all(ctx, s, "find the vector stores of a file", scanStoreFile, "SELECT "+storeFileColumns+storeFileFrom+" AND f.file = $2", owner, file)
}

// WaitingStores implements [state.StoreInventory].
func (s *Store) WaitingStores(ctx context.Context) ([]state.VectorStore, error) {
	return all(ctx, s, "list waiting vector stores", scanStore,
		"SELECT "+storeColumns+" FROM vector_stores WHERE id IN (SELECT store FROM store_files WHERE state = 'in_progress') ORDER BY seq")
}

// OverdueStores implements [state.StoreInventory].
func (s *Store) OverdueStores(ctx context.Context) ([]state.VectorStore, error) {
	list, err := all(ctx, s, "list vector stores whose time is over", scanStore, "SELECT "+storeColumns+" FROM vector_stores WHERE days > 0 AND expired = 0 ORDER BY seq")
	now := time.Now()
	return slices.DeleteFunc(list, func(v state.VectorStore) bool { return v.Expires().After(now) }), err
}

// AddStoreBatch implements [state.StoreBatches].
func (s *Store) AddStoreBatch(ctx context.Context, b state.StoreBatch) error {
	return s.exec(ctx, "keep a batch",
		"INSERT INTO store_batches (id, store, created, canceled) SELECT CAST($1 AS TEXT), id, CAST($2 AS BIGINT), CAST($3 AS BIGINT) FROM vector_stores WHERE owner = $4 AND id = $5",
		b.ID, unix(b.Created), bit(b.Canceled), b.Owner, b.Store)
}

// StoreBatch implements [state.StoreBatches].
func (s *Store) StoreBatch(ctx context.Context, owner, store, id string) (state.StoreBatch, error) {
	return one(ctx, s, "find a batch", func(row Row) (b state.StoreBatch, err error) {
		var created sql.NullInt64
		var canceled int
		err = row.Scan(&b.Owner, &b.Store, &b.ID, &created, &canceled)
		b.Created, b.Canceled = fromUnix(created), canceled != 0
		return b, err
	}, `SELECT v.owner, b.store, b.id, b.created, b.canceled FROM store_batches b JOIN vector_stores v ON v.id = b.store
		WHERE v.owner = $1 AND b.store = $2 AND b.id = $3`, owner, store, id)
}

// CancelStoreBatch implements [state.StoreBatches].
func (s *Store) CancelStoreBatch(ctx context.Context, owner, store, id string) error {
	return s.transact(ctx, "cancel a batch", func(tx Queries) error {
		err := changed(tx.Exec(ctx, "UPDATE store_batches SET canceled = 1 WHERE id = $1 AND store = (SELECT id FROM vector_stores WHERE owner = $2 AND id = $3)", id, owner, store))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE store_files SET state = $1 WHERE store = $2 AND batch = $3 AND state = $4", state.StoreCanceled, store, id, state.StoreWaiting)
		return err
	})
}

// between is the end of a query over a table with seq, for one page that begins
// after a record and may end before one.
type between struct {
	table, key, prefix string // prefix: of the table's columns in the query
	of                 string // narrows down where the records of the page's ids are
}

// clause is that end. args are those before it.
func (b between) clause(p state.Page, args ...any) (clause string, all []any) {
	var out strings.Builder
	bound := func(id string, later bool) {
		if id == "" {
			return
		}
		than := "<"
		if later {
			than = ">"
		}
		args = append(args, id)
		fmt.Fprintf(&out, " AND %sseq %s (SELECT seq FROM %s WHERE %s AND %s = $%d)", b.prefix, than, b.table, b.of, b.key, len(args))
	}
	bound(p.After, !p.Desc)
	bound(p.Before, p.Desc)
	order := "ASC"
	if p.Desc != p.Backwards() {
		order = "DESC"
	}
	args = append(args, p.Limit)
	fmt.Fprintf(&out, " ORDER BY %sseq %s LIMIT $%d", b.prefix, order, len(args))
	return out.String(), args
}

// inOrder is a page as it is shown: one that was read backwards is turned round.
func inOrder[T any](list []T, p state.Page) []T {
	if p.Backwards() {
		slices.Reverse(list)
	}
	return list
}
