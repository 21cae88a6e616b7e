package main

// What is derived from documents: near this server, and, where servers share
// the bytes of uploads, behind it.

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"inlay/cache"
	"inlay/fault"
	"inlay/internal/blobs"
	"inlay/internal/blobs/derived"
	"inlay/internal/httpapi"
	"inlay/internal/state"
	"inlay/internal/wire"
	"inlay/parse"
	"inlay/retrieve"
)

// cacheFolder is the cache in the data folder.
const cacheFolder = "cache"

// caches are those of a server.
type caches struct {
	near   *cache.Dir
	both   *derived.Store // nil: no other server sees the bytes
	recent *parse.Recent
	kept   *forgetting
}

// openCaches opens them, and has what is old expire until ctx ends.
func (c *serveCmd) openCaches(ctx context.Context, bytes blobs.Store, recent *parse.Recent, log *slog.Logger) (*caches, error) {
	near, err := cache.OpenDir(filepath.Join(c.Data, cacheFolder), cache.Options{MaxBytes: wire.CacheBytes, MaxAge: c.CacheAge})
	if err != nil {
		return nil, err
	}
	all := &caches{near: near, recent: recent}
	if c.Blobs != "" {
		all.both = &derived.Store{Near: near, Far: bytes}
	}
	go all.expire(ctx, c.CacheAge, log)
	return all, nil
}

// store is what the service has of them.
func (c *caches) store(metrics *httpapi.Metrics) cache.Store {
	var kept cache.Store = c.near
	if c.both != nil {
		kept = c.both
	}
	c.kept = &forgetting{Store: counted{kept, metrics}, recent: c.recent}
	return c.kept
}

// push gives other servers what another process has put into the near cache.
func (c *caches) push(ctx context.Context, keys []cache.Key) {
	if c.both != nil {
		c.both.Push(ctx, keys)
	}
}

// deleted forgets what is here of something that another server deleted.
func (c *caches) deleted(ctx context.Context, d state.Deletion) {
	if d.Of == "" {
		c.recent.Erase(d.Owner)
		c.kept.search.Erase(d.Owner)
		_ = c.near.Erase(ctx, d.Owner) // it is asked again for a minute
		return
	}
	c.recent.Forget(d.Owner, d.Of)
	c.kept.search.Forget(d.Owner, d.Of)
	_ = c.near.Forget(ctx, d.Owner, d.Of)
}

// How often old entries are looked for: near this server, and behind it, where
// all of them have to be listed.
const (
	expireNear = time.Hour
	expireFar  = 24
)

// expire removes what nobody used for long, until ctx ends.
func (c *caches) expire(ctx context.Context, age time.Duration, log *slog.Logger) {
	every := time.NewTicker(expireNear)
	defer every.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		err := c.near.Expire()
		if err == nil && c.both != nil && age > 0 && n%expireFar == 0 {
			err = c.both.Expire(ctx, age)
		}
		if err != nil {
			log.WarnContext(ctx, "the cache cannot be cleared of old entries", "code", string(fault.CodeOf(err)))
		}
	}
}

// counted is a store whose lookups are counted.
type counted struct {
	cache.Store
	metrics *httpapi.Metrics
}

// Get implements cache.Store.
func (c counted) Get(ctx context.Context, key cache.Key) ([]byte, bool, error) {
	data, ok, err := c.Store.Get(ctx, key)
	c.metrics.Lookup(key.Kind, ok)
	return data, ok, err
}

// forgetting is a store that forgets documents in memory, as read and as
// searched, with what it keeps of them.
type forgetting struct {
	cache.Store

	recent *parse.Recent
	search *retrieve.Retriever
}

// Forget implements cache.Store.
func (f *forgetting) Forget(ctx context.Context, namespace, of string) error {
	f.recent.Forget(namespace, of)
	f.search.Forget(namespace, of)
	return f.Store.Forget(ctx, namespace, of)
}

// Erase implements [cache.Eraser].
func (f *forgetting) Erase(ctx context.Context, namespace string) error {
	f.recent.Erase(namespace)
	f.search.Erase(namespace)
	if c, ok := f.Store.(counted); ok {
		if e, ok := c.Store.(cache.Eraser); ok {
			return e.Erase(ctx, namespace)
		}
	}
	return nil
}
