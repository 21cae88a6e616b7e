package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"inlay/fault"
	"inlay/internal/state"
)

// How long a database that went away is waited for, and how often it is asked.
const (
	patience = 5 * time.Second
	pause    = 100 * time.Millisecond
)

// again runs f, and again for a while where the database is away and f changed
// nothing: a restart of the database is a pause and not an error.
func again(ctx context.Context, f func() error) error {
	end := time.Now().Add(patience)
	for {
		err := f()
		if err == nil || !undone(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// undone reports that a failure left nothing behind and is worth another try.
// That of a commit is none, unless the database itself says that it undid it.
func undone(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return isAway(e.Code) || e.Code == "40001" || e.Code == "40P01" // serialization_failure, deadlock_detected
	}
	if errors.As(err, new(*commitError)) {
		return false
	}
	return errors.As(err, new(*pgconn.ConnectError)) || pgconn.SafeToRetry(err)
}

// isAway reports a code of a server that stops, starts or takes no more connections.
func isAway(code string) bool {
	return slices.Contains([]string{"57P01", "57P02", "57P03", "53300"}, code) // admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections
}

// explained says of an error that the database is away, or that what was asked
// for cannot be there.
func explained(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case e.Code == "22021": // character_not_in_repertoire: no text of ours has such bytes
			return state.ErrNotFound
		case e.Code == "28P01", e.Code == "28000", e.Code == "3D000": // password, role, database
			return &fault.Error{Code: fault.StoreUnreachable, Subject: "database", Reason: "refuses the connection: " + e.Message, Next: "check user, password and name in --database", Err: err}
		case isAway(e.Code):
			return unreachable(err)
		}
		return err
	}
	if lost(err) {
		return unreachable(err)
	}
	return err
}

// lost reports that there is no connection, or that it was cut off.
func lost(err error) bool {
	return errors.As(err, new(*pgconn.ConnectError)) || errors.As(err, new(*net.OpError)) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || pgconn.Timeout(err) && !errors.Is(err, context.Canceled)
}

func unreachable(err error) error {
	return &fault.Error{Code: fault.StoreUnreachable, Subject: "database", Reason: "cannot be reached", Next: "try again; see that the database runs", Err: err, RetryAfter: time.Second}
}
