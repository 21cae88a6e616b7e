package tables

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"inlay/internal/state"
)

// Copied is how many records of each kind were copied.
type Copied struct{ Keys, Files, Chats, Responses, Evaluations int64 }

// ErrNotEmpty says that there are records where others were to be copied to.
var ErrNotEmpty = errors.New("there are records already")

// table is one with its columns.
type table struct{ name, columns string }

// allTables lists them, those that others refer to first.
func allTables() []table {
	return []table{
		{"owners", "id, name, created"},
		{"keys", "rowid, id, owner, name, hint, hash, scope, created, expires, revoked"},
		{"files", "seq, " + fileColumns},
		{"usage", "owner, files, bytes"},
		{"uploads", uploadColumns},
		{"parts", "upload, id, bytes"},
		{"chats", "seq, id, owner, title, created, updated"},
		{"turns", "chat, number, created, messages, result"},
		{"responses", "seq, id, owner, previous, created, messages, input, body, files"},
		{"evaluations", "seq, " + evaluationColumns},
		{"vector_stores", "seq, " + storeColumns},
		{"store_batches", "id, store, created, canceled"},
		{"store_files", "seq, store, file, batch, path, created, state, bytes, attributes, chunking, failure"},
	}
}

// Copy copies all records of from into s, which has none (ErrNotEmpty), in one
// transaction. Nobody may write to from meanwhile.
func (s *Store) Copy(ctx context.Context, from *Store) (c Copied, err error) {
	err = s.Engine.Transact(ctx, func(tx Queries) error {
		for _, t := range allTables() {
			var n int64
			if err := tx.One(ctx, "SELECT count(*) FROM "+t.name).Scan(&n); err != nil {
				return err
			}
			if n > 0 {
				return ErrNotEmpty
			}
		}
		for _, t := range allTables() {
			if err := t.copy(ctx, tx, from.Engine.Read); err != nil {
				return fmt.Errorf("copy %s: %w", t.name, err)
			}
		}
		for table, n := range map[string]*int64{"keys": &c.Keys, "files": &c.Files, "chats": &c.Chats, "responses": &c.Responses, "evaluations": &c.Evaluations} {
			if err := tx.One(ctx, "SELECT count(*) FROM "+table).Scan(n); err != nil {
				return err
			}
		}
		return s.counted(ctx, tx)
	})
	if err != nil && s.Engine.Explain != nil {
		err = s.Engine.Explain(err)
	}
	return c, err
}

// copy copies a table.
func (t table) copy(ctx context.Context, to, from Queries) error {
	columns := strings.Split(t.columns, ", ")
	marks := make([]string, len(columns))
	for i := range marks {
		marks[i] = fmt.Sprintf("$%d", i+1)
	}
	insert := "INSERT INTO " + t.name + " (" + t.columns + ") VALUES (" + strings.Join(marks, ", ") + ")"
	return from.Each(ctx, func(row Row) error {
		values, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := row.Scan(dest...); err != nil {
			return err
		}
		_, err := to.Exec(ctx, insert, values...)
		return err
	}, "SELECT "+t.columns+" FROM "+t.name)
}

// counted has numbers go on after those that were copied.
func (s *Store) counted(ctx context.Context, tx Queries) error {
	if s.Engine.Numbers == "" {
		return nil
	}
	for table, column := range map[string]string{"keys": "rowid", "files": "seq", "chats": "seq", "responses": "seq", "evaluations": "seq", "vector_stores": "seq", "store_files": "seq"} {
		if _, err := tx.Exec(ctx, fmt.Sprintf(s.Engine.Numbers, table, column)); err != nil {
			return err
		}
	}
	return nil
}

// EveryFile visits the uploads of all owners, with one visit for each content of
// an owner, and the parts of uploads under way.
func (s *Store) EveryFile(ctx context.Context, file func(owner, content string, bytes int64) error, part func(u state.Upload, p state.Part) error) error {
	err := s.Engine.Read.Each(ctx, func(row Row) error {
		var owner, content string
		var bytes int64
		if err := row.Scan(&owner, &content, &bytes); err != nil {
			return err
		}
		return file(owner, content, bytes)
	}, "SELECT DISTINCT owner, content, bytes FROM files")
	if err != nil {
		return err
	}
	return s.Engine.Read.Each(ctx, func(row Row) error {
		var u state.Upload
		var p state.Part
		if err := row.Scan(&u.Owner, &u.ID, &p.ID, &p.Bytes); err != nil {
			return err
		}
		return part(u, p)
	}, "SELECT uploads.owner, uploads.id, parts.id, parts.bytes FROM parts JOIN uploads ON uploads.id = parts.upload")
}
