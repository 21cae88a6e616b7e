package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"

	"inlay/fault"
	"inlay/internal/blobs"
	"inlay/internal/libraries"
	"inlay/internal/state"
	"inlay/internal/state/postgres"
	"inlay/internal/state/sqlite"
	"inlay/internal/weaviate"
	"inlay/internal/wire"
	"inlay/library"
)

// stateSettings say where the service's records are.
type stateSettings struct {
	dataSettings
	Database string `key:"database"`
}

// openedState is a state that somebody has to close.
type openedState interface {
	state.Store
	Close() error
}

// open opens the state: in a database that servers share, else in the data folder.
func (s stateSettings) open(ctx context.Context, log *slog.Logger) (openedState, error) {
	if s.Database != "" {
		return postgres.Open(ctx, s.Database, log)
	}
	dir, err := s.folder()
	if err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, filepath.Join(dir, stateFile))
}

// openState opens the state for a command.
func (s stateSettings) openState(ctx context.Context) (openedState, error) {
	return s.open(ctx, slog.New(slog.DiscardHandler))
}

// where is the flag that names the state.
func (s stateSettings) where() string {
	if s.Database != "" {
		return "--database ..." // it may hold a password
	}
	return "--data " + s.Data
}

// openLibraries opens the libraries: in the data folder, or where servers share
// them. Servers that share their records and nothing to search in have none, as
// each would find other things.
func (c *serveCmd) openLibraries(ctx context.Context, store state.Store, bytes blobs.Store, getenv func(string) string, log *slog.Logger) (library.Index, error) {
	shared, ok := store.(*postgres.Store)
	if !ok {
		return wire.OpenLibraries(c.Data), nil
	}
	if c.Index == "" {
		var none library.Index
		return none, nil
	}
	index, err := weaviate.Open(c.Index, getenv)
	if err != nil {
		return nil, err
	}
	return libraries.Open(ctx, libraries.Config{Database: shared.Engine, Blobs: bytes, Index: index, Logger: log})
}

// openBlobs opens the bytes of uploads: in a bucket, in a folder that servers
// share, else in the data folder.
func openBlobs(ctx context.Context, address, data string, getenv func(string) string) (blobs.Store, error) {
	switch scheme, _, ok := strings.Cut(address, "://"); {
	case ok && scheme == "s3":
		return blobs.OpenS3(ctx, address, getenv)
	case ok:
		return nil, &fault.Error{Code: fault.Usage, Subject: "--blobs", Reason: "must be a folder or begin with s3://", Next: "write it like s3://bucket?endpoint=https://s3.example.org&region=us-east-1"}
	case address == "":
		return blobs.NewFolder(data), nil
	}
	return blobs.NewFolder(address), nil
}
