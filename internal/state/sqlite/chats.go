package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"inlay/internal/state"
)

const chatColumns = "id, owner, title, created, updated, (SELECT count(*) FROM turns WHERE chat = id)"

// AddChat implements [state.Chats].
func (s *Store) AddChat(ctx context.Context, c state.Chat) error {
	_, err := s.write.ExecContext(ctx, "INSERT INTO chats (id, owner, title, created, updated) VALUES (?, ?, ?, ?, ?)",
		c.ID, c.Owner, c.Title, unix(c.Created), unix(c.Created))
	if err != nil {
		return kept("keep a chat", err)
	}
	return nil
}

// Chat implements [state.Chats].
func (s *Store) Chat(ctx context.Context, owner, id string) (state.Chat, []state.Turn, error) {
	c, err := scanChat(s.read.QueryRowContext(ctx, "SELECT "+chatColumns+" FROM chats WHERE owner = ? AND id = ?", owner, id))
	if err != nil {
		return c, nil, found("find a chat", err)
	}
	rows, err := s.read.QueryContext(ctx, "SELECT number, created, messages, result FROM turns WHERE chat = ? ORDER BY number", id)
	turns, err := collect(rows, err, scanTurn)
	return c, turns, found("read a chat", err)
}

// Since implements [state.Chats].
func (s *Store) Since(ctx context.Context, owner, id string, after int) ([]state.Turn, error) {
	var one int
	if err := s.read.QueryRowContext(ctx, "SELECT 1 FROM chats WHERE owner = ? AND id = ?", owner, id).Scan(&one); err != nil {
		return nil, found("find a chat", err)
	}
	rows, err := s.read.QueryContext(ctx, "SELECT number, created, messages, NULL FROM turns WHERE chat = ? AND number > ? ORDER BY number", id, after)
	turns, err := collect(rows, err, scanTurn)
	return turns, found("read a chat", err)
}

// ListChats implements [state.Chats].
func (s *Store) ListChats(ctx context.Context, owner string, p state.Page) ([]state.Chat, error) {
	clause, args := page("chats", p)
	rows, err := s.read.QueryContext(ctx, "SELECT "+chatColumns+" FROM chats WHERE owner = ?"+clause, append([]any{owner}, args(owner)...)...)
	return collect(rows, err, scanChat)
}

// AddTurn implements [state.Chats].
func (s *Store) AddTurn(ctx context.Context, owner, id string, t state.Turn) error {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		if err := changed(tx.ExecContext(ctx, "UPDATE chats SET updated = ? WHERE owner = ? AND id = ?", unix(t.Created), owner, id)); err != nil {
			return err
		}
		var last int
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(number), 0) FROM turns WHERE chat = ?", id).Scan(&last); err != nil {
			return err
		}
		if t.Number != last+1 {
			return state.ErrConflict
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO turns (chat, number, created, messages, result) VALUES (?, ?, ?, ?, ?)",
			id, t.Number, unix(t.Created), text(t.Messages), text(t.Result))
		return err
	})
	if errors.Is(err, state.ErrConflict) {
		return err
	}
	return found("add to a chat", err)
}

// DeleteChat implements [state.Chats].
func (s *Store) DeleteChat(ctx context.Context, owner, id string) error {
	return found("delete a chat", s.deleted(ctx, func() error {
		return changed(s.write.ExecContext(ctx, "DELETE FROM chats WHERE owner = ? AND id = ?", owner, id))
	}))
}

func scanChat(row scanner) (c state.Chat, err error) {
	var created, updated sql.NullInt64
	err = row.Scan(&c.ID, &c.Owner, &c.Title, &created, &updated, &c.Turns)
	c.Created, c.Updated = fromUnix(created), fromUnix(updated)
	return c, err
}

func scanTurn(row scanner) (t state.Turn, err error) {
	var created sql.NullInt64
	var messages, result sql.NullString
	err = row.Scan(&t.Number, &created, &messages, &result)
	t.Created, t.Messages, t.Result = fromUnix(created), raw(messages), raw(result)
	return t, err
}
