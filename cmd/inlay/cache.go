package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"inlay/cache"
	"inlay/fault"
	"inlay/internal/state"
	"inlay/internal/wire"
)

// cacheCmd is everything about what was derived from documents.
type cacheCmd struct {
	Clear cacheClearCmd `cmd:"" help:"Remove the text, passages and embeddings that were derived from documents. They are made again when they are needed."`
}

type cacheClearCmd struct {
	stateSettings
	Store string `placeholder:"DIR" help:"A folder of --store, instead of the service's cache."`
	Owner string `placeholder:"NAME" help:"Only what was derived for this owner of keys."`
}

// Run clears a cache, also while a server uses it.
func (c *cacheClearCmd) Run(ctx context.Context, a *app) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return &fault.Error{Code: fault.FileNotFound, Subject: dir, Reason: "there is no cache", Next: "name the folder with --data or --store"}
	}
	owner, err := c.ownerID(ctx)
	if err != nil {
		return err
	}
	kept, err := cache.OpenDir(dir, cache.Options{MaxBytes: wire.CacheBytes})
	if err != nil {
		return err
	}
	if c.Owner == "" {
		err = kept.Clear(ctx)
	} else {
		err = kept.Erase(ctx, owner)
	}
	if err == nil {
		_, err = fmt.Fprintln(a.stderr, dir, "is cleared")
	}
	return err
}

func (c *cacheClearCmd) dir() (string, error) {
	if c.Store != "" && c.Owner != "" {
		return "", &fault.Error{Code: fault.Usage, Subject: "--owner", Reason: "is of the service's cache", Next: "give --data instead of --store"}
	}
	if c.Store != "" {
		return c.Store, nil
	}
	data, err := c.folder()
	return filepath.Join(data, cacheFolder), err
}

// ownerID is the id of the owner by name; empty for none.
func (c *cacheClearCmd) ownerID(ctx context.Context) (id string, err error) {
	if c.Owner == "" || c.Owner == state.Local {
		return c.Owner, nil
	}
	store, err := c.openState(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	list, err := store.ListKeys(ctx, "")
	for _, k := range list {
		if k.OwnerName == c.Owner {
			return k.Owner, nil
		}
	}
	return "", errors.Join(err, &fault.Error{Code: fault.Usage, Subject: c.Owner, Reason: "there is no such owner", Next: "see inlay keys list"})
}
