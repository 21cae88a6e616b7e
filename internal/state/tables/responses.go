package tables

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"inlay/internal/state"
)

// AddResponse implements [state.Responses].
func (s *Store) AddResponse(ctx context.Context, r state.Response) error {
	files, err := json.Marshal(r.Files)
	if err != nil {
		return err
	}
	return s.exec(ctx, "keep a response", "INSERT INTO responses (id, owner, previous, created, messages, input, body, files) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		r.ID, r.Owner, r.Previous, unix(r.Created), text(r.Messages), text(r.Input), text(r.Body), string(files))
}

// Response implements [state.Responses].
func (s *Store) Response(ctx context.Context, owner, id string) (state.Response, error) {
	return one(ctx, s, "find a response", scanResponse, "SELECT id, owner, previous, created, messages, input, body, files FROM responses WHERE owner = $1 AND id = $2", owner, id)
}

// Conversation implements [state.Responses].
func (s *Store) Conversation(ctx context.Context, owner, id string) ([]state.Response, error) {
	list, err := all(ctx, s, "read a conversation", scanResponse, `WITH RECURSIVE chain (seq, id, previous) AS (
			SELECT seq, id, previous FROM responses WHERE owner = $1 AND id = $2
			UNION ALL SELECT r.seq, r.id, r.previous FROM responses r JOIN chain c ON r.id = c.previous AND r.owner = $1 AND r.seq < c.seq)
		SELECT r.id, r.owner, r.previous, r.created, r.messages, NULL AS input, NULL AS body, r.files FROM chain JOIN responses r USING (seq) ORDER BY seq`, owner, id)
	if err == nil && len(list) == 0 {
		err = state.ErrNotFound
	}
	return list, err
}

// DeleteResponse implements [state.Responses].
func (s *Store) DeleteResponse(ctx context.Context, owner, id string) (files []string, err error) {
	var r state.Response
	err = s.erase(ctx, "delete a response", func(tx Queries) (err error) {
		r, err = scanResponse(tx.One(ctx,
			"DELETE FROM responses WHERE owner = $1 AND id = $2 RETURNING id, owner, previous, created, NULL AS messages, NULL AS input, NULL AS body, files", owner, id))
		return err
	})
	return r.Files, err
}

// OldResponses implements [state.Responses].
func (s *Store) OldResponses(ctx context.Context, before time.Time) ([]state.Response, error) {
	return all(ctx, s, "list old responses", scanResponse, `SELECT id, owner, previous, created, NULL AS messages, NULL AS input, NULL AS body, files FROM responses AS r
		WHERE created < $1 AND NOT EXISTS (SELECT 1 FROM responses WHERE previous = r.id) ORDER BY seq`, unix(before))
}

func scanResponse(row Row) (r state.Response, err error) {
	var created sql.NullInt64
	var messages, input, body sql.NullString
	var files string
	if err = row.Scan(&r.ID, &r.Owner, &r.Previous, &created, &messages, &input, &body, &files); err != nil {
		return r, err
	}
	r.Created, r.Messages, r.Input, r.Body = fromUnix(created), raw(messages), raw(input), raw(body)
	if err := json.Unmarshal([]byte(files), &r.Files); err != nil {
		return r, fmt.Errorf("read the files of response %s: %w", r.ID, err)
	}
	return r, nil
}
