package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"inlay/fault"
	"inlay/internal/durable"
	"inlay/internal/files"
	"inlay/internal/plural"
	"inlay/internal/state/postgres"
	"inlay/internal/state/sqlite"
	"inlay/internal/state/tables"
)

// migrateCmd moves what one machine keeps to where servers share it.
type migrateCmd struct {
	stateSettings
	Blobs string `key:"blobs"`
}

// Run copies the bytes first and then the records, all at once: interrupted, it
// has changed nothing that a server sees, and can be run again.
func (c *migrateCmd) Run(ctx context.Context, a *app) (err error) {
	dir, err := c.folder()
	if err != nil {
		return err
	}
	if c.Database == "" || c.Blobs == "" {
		return &fault.Error{Code: fault.Usage, Subject: "--database and --blobs", Reason: "say where to, and one is missing", Next: "see docs/scaling.md"}
	}
	if _, err := os.Stat(filepath.Join(dir, stateFile)); err != nil {
		return &fault.Error{Code: fault.FileNotFound, Subject: dir, Reason: "there is no state of a service", Next: "name the folder that inlay serve had as --data", Err: err}
	}
	release, alone, err := durable.TryExclude(filepath.Join(dir, "serve.lock"))
	if err != nil {
		return durable.Explain(dir, err)
	}
	if !alone {
		return &fault.Error{Code: fault.Usage, Subject: dir, Reason: "a server works in it", Next: "stop it first"}
	}
	defer release()
	from, err := sqlite.Open(ctx, filepath.Join(dir, stateFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := postgres.Open(ctx, c.Database, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	return c.copy(ctx, a, from, to)
}

func (c *migrateCmd) copy(ctx context.Context, a *app, from *sqlite.Store, to *postgres.Store) error {
	source, err := openBlobs(ctx, "", c.Data, a.getenv)
	if err != nil {
		return err
	}
	target, err := openBlobs(ctx, c.Blobs, "", a.getenv)
	if err != nil {
		return err
	}
	moved, err := files.CopyBytes(ctx, from, source, target)
	if err != nil {
		return err
	}
	if len(moved.Missing) > 0 {
		return &fault.Error{Code: fault.StoreDamaged, Subject: moved.Missing[0], Reason: fmt.Sprintf("the bytes of %s are not in the folder",
			plural.Of(len(moved.Missing), "file")), Next: "restore the folder from a backup; nothing was changed"}
	}
	n, err := to.Copy(ctx, &from.Store)
	if errors.Is(err, tables.ErrNotEmpty) {
		return &fault.Error{Code: fault.Conflict, Subject: "--database", Reason: "has records already", Next: "name an empty database: this command copies all or nothing"}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "bytes: %s copied (%d bytes), %d were there\nrecords: %s, %s, %s, %s, %s\n",
		plural.Of(moved.Blobs, "blob"), moved.Bytes, moved.Present, plural.Of(int(n.Keys), "key"), plural.Of(int(n.Files), "file"), plural.Of(int(n.Chats), "chat"),
		plural.Of(int(n.Responses), "response"), plural.Of(int(n.Evaluations), "evaluation"))
	return err
}
