package sqlite

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
	_, err = s.write.ExecContext(ctx, "INSERT INTO responses (id, owner, previous, created, messages, input, body, files) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		r.ID, r.Owner, r.Previous, unix(r.Created), text(r.Messages), text(r.Input), text(r.Body), string(files))
	if err != nil {
		return kept("keep a response", err)
	}
	return nil
}

// Response implements [state.Responses].
func (s *Store) Response(ctx context.Context, owner, id string) (state.Response, error) {
	r, err := scanResponse(s.read.QueryRowContext(ctx, "SELECT id, owner, previous, created, messages, input, body, files FROM responses WHERE owner = ? AND id = ?", owner, id))
	return r, found("find a response", err)
}

// Conversation implements [state.Responses].
func (s *Store) Conversation(ctx context.Context, owner, id string) ([]state.Response, error) {
	rows, err := s.read.QueryContext(ctx, `WITH RECURSIVE chain (seq, id, previous) AS (
			SELECT seq, id, previous FROM responses WHERE owner = ?1 AND id = ?2
			UNION ALL SELECT r.seq, r.id, r.previous FROM responses r JOIN chain c ON r.id = c.previous AND r.owner = ?1 AND r.seq < c.seq)
		SELECT r.id, r.owner, r.previous, r.created, r.messages, NULL AS input, NULL AS body, r.files FROM chain JOIN responses r USING (seq) ORDER BY seq`, owner, id)
	list, err := collect(rows, err, scanResponse)
	if err == nil && len(list) == 0 {
		err = state.ErrNotFound
	}
	return list, found("read a conversation", err)
}

// DeleteResponse implements [state.Responses].
func (s *Store) DeleteResponse(ctx context.Context, owner, id string) (files []string, err error) {
	var r state.Response
	err = s.deleted(ctx, func() (err error) {
		r, err = scanResponse(s.write.QueryRowContext(ctx,
			"DELETE FROM responses WHERE owner = ? AND id = ? RETURNING id, owner, previous, created, NULL AS messages, NULL AS input, NULL AS body, files", owner, id))
		return err
	})
	return r.Files, found("delete a response", err)
}

// OldResponses implements [state.Responses].
func (s *Store) OldResponses(ctx context.Context, before time.Time) ([]state.Response, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT id, owner, previous, created, NULL AS messages, NULL AS input, NULL AS body, files FROM responses AS r
		WHERE created < ? AND NOT EXISTS (SELECT 1 FROM responses WHERE previous = r.id) ORDER BY seq`, unix(before))
	return collect(rows, err, scanResponse)
}

func scanResponse(row scanner) (r state.Response, err error) {
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
