package tables

import (
	"context"
	"database/sql"

	"inlay/internal/state"
)

const chatColumns = "id, owner, title, created, updated, (SELECT count(*) FROM turns WHERE chat = id)"

// AddChat implements [state.Chats].
func (s *Store) AddChat(ctx context.Context, c state.Chat) error {
	return s.exec(ctx, "keep a chat", "INSERT INTO chats (id, owner, title, created, updated) VALUES ($1, $2, $3, $4, $4)", c.ID, c.Owner, c.Title, unix(c.Created))
}

// Chat implements [state.Chats].
func (s *Store) Chat(ctx context.Context, owner, id string) (state.Chat, []state.Turn, error) {
	c, err := one(ctx, s, "find a chat", scanChat, "SELECT "+chatColumns+" FROM chats WHERE owner = $1 AND id = $2", owner, id)
	if err != nil {
		return c, nil, err
	}
	turns, err := all(ctx, s, "read a chat", scanTurn, "SELECT number, created, messages, result FROM turns WHERE chat = $1 ORDER BY number", id)
	return c, turns, err
}

// Since implements [state.Said].
func (s *Store) Since(ctx context.Context, owner, id string, after int) ([]state.Turn, error) {
	_, err := one(ctx, s, "find a chat", func(row Row) (n int, err error) {
		err = row.Scan(&n)
		return n, err
	}, "SELECT 1 FROM chats WHERE owner = $1 AND id = $2", owner, id)
	if err != nil {
		return nil, err
	}
	return all(ctx, s, "read a chat", scanTurn, "SELECT number, created, messages, NULL FROM turns WHERE chat = $1 AND number > $2 ORDER BY number", id, after)
}

// ListChats implements [state.Chats].
func (s *Store) ListChats(ctx context.Context, owner string, p state.Page) ([]state.Chat, error) {
	clause, args := between{table: "chats", key: "id", of: "owner = $1"}.clause(p, owner)
	return all(ctx, s, "list chats", scanChat, "SELECT "+chatColumns+" FROM chats WHERE owner = $1"+clause, args...)
}

// AddTurn implements [state.Chats].
func (s *Store) AddTurn(ctx context.Context, owner, id string, t state.Turn) error {
	return s.transact(ctx, "add to a chat", func(tx Queries) error {
		// The change of the row keeps other turns of this chat away until the end.
		if err := changed(tx.Exec(ctx, "UPDATE chats SET updated = $1 WHERE owner = $2 AND id = $3", unix(t.Created), owner, id)); err != nil {
			return err
		}
		var last int
		if err := tx.One(ctx, "SELECT coalesce(max(number), 0) FROM turns WHERE chat = $1", id).Scan(&last); err != nil {
			return err
		}
		if t.Number != last+1 {
			return state.ErrConflict
		}
		_, err := tx.Exec(ctx, "INSERT INTO turns (chat, number, created, messages, result) VALUES ($1, $2, $3, $4, $5)",
			id, t.Number, unix(t.Created), text(t.Messages), text(t.Result))
		return err
	})
}

// RenameChat implements [state.Titles].
func (s *Store) RenameChat(ctx context.Context, owner, id, title string) error {
	return s.transact(ctx, "rename a chat", func(tx Queries) error {
		return changed(tx.Exec(ctx, "UPDATE chats SET title = $1 WHERE owner = $2 AND id = $3", title, owner, id))
	})
}

// DeleteChat implements [state.Chats].
func (s *Store) DeleteChat(ctx context.Context, owner, id string) error {
	return s.erase(ctx, "delete a chat", func(tx Queries) error {
		return changed(tx.Exec(ctx, "DELETE FROM chats WHERE owner = $1 AND id = $2", owner, id))
	})
}

func scanChat(row Row) (c state.Chat, err error) {
	var created, updated sql.NullInt64
	err = row.Scan(&c.ID, &c.Owner, &c.Title, &created, &updated, &c.Turns)
	c.Created, c.Updated = fromUnix(created), fromUnix(updated)
	return c, err
}

func scanTurn(row Row) (t state.Turn, err error) {
	var created sql.NullInt64
	var messages, result sql.NullString
	err = row.Scan(&t.Number, &created, &messages, &result)
	t.Created, t.Messages, t.Result = fromUnix(created), raw(messages), raw(result)
	return t, err
}
