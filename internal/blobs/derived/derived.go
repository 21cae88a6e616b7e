// Package derived shares what was derived from documents between servers: each
// has its own store near, and all have one of blobs behind it.
package derived

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"time"

	"inlay/cache"
	"inlay/internal/blobs"
)

// Near is a server's own store.
type Near interface {
	cache.Store
	cache.Eraser
}

// Store is a [cache.Store] of two: what the near one does not have is looked for
// in the far one, which gets all that is put. Far away, nothing is lost but time.
type Store struct {
	Near Near
	Far  blobs.Store
}

// patience is how long the far store may take, where deriving again is an option.
const patience = 10 * time.Second

// prefix begins the keys in the far store.
const prefix = "cache/"

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

func owned(namespace string) string { return prefix + hashed(namespace) + "/" }

func group(namespace, of string) string { return owned(namespace) + hashed(of) + "/" }

func far(k cache.Key) string {
	sum := k.Hash()
	return group(k.Namespace, k.Of) + hex.EncodeToString(sum[:])
}

// Get implements [cache.Store].
func (s *Store) Get(ctx context.Context, key cache.Key) ([]byte, bool, error) {
	data, ok, err := s.Near.Get(ctx, key)
	if ok || err != nil {
		return data, ok, err
	}
	asked, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	entry, err := blobs.Read(asked, s.Far, far(key))
	if err != nil {
		return nil, false, ctx.Err() // it is not there, or cannot be had: derive it again
	}
	data, ok = open(entry)
	if !ok {
		return nil, false, nil
	}
	return data, true, s.Near.Put(ctx, key, data)
}

// Put implements [cache.Store].
func (s *Store) Put(ctx context.Context, key cache.Key, data []byte) error {
	if err := s.Near.Put(ctx, key, data); err != nil {
		return err
	}
	s.put(ctx, key, data)
	return nil
}

// put leaves an entry in the far store, if that can be had.
func (s *Store) put(ctx context.Context, key cache.Key, data []byte) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sum := sha256.Sum256(data)
	entry := append(sum[:], data...)
	_ = s.Far.Put(ctx, far(key), bytes.NewReader(entry), int64(len(entry))) // it costs the others the time to derive it
}

// open checks an entry of the far store.
func open(entry []byte) ([]byte, bool) {
	if len(entry) < sha256.Size {
		return nil, false
	}
	data := entry[sha256.Size:]
	return data, sha256.Sum256(data) == [sha256.Size]byte(entry[:sha256.Size])
}

// Push gives the far store what another process has put into the near one.
func (s *Store) Push(ctx context.Context, keys []cache.Key) {
	for _, key := range keys {
		if data, ok, err := s.Near.Get(ctx, key); ok && err == nil {
			s.put(ctx, key, data)
		}
	}
}

// Forget implements [cache.Store]. The near stores of other servers are theirs.
func (s *Store) Forget(ctx context.Context, namespace, of string) error {
	return errors.Join(s.Near.Forget(ctx, namespace, of), blobs.RemoveAll(ctx, s.Far, group(namespace, of)))
}

// Erase implements [cache.Eraser].
func (s *Store) Erase(ctx context.Context, namespace string) error {
	return errors.Join(s.Near.Erase(ctx, namespace), blobs.RemoveAll(ctx, s.Far, owned(namespace)))
}

// Expire forgets in the far store what was put longer ago than age.
func (s *Store) Expire(ctx context.Context, age time.Duration) error {
	before := time.Now().Add(-age)
	for e, err := range s.Far.List(ctx, prefix) {
		if err == nil && e.Made.Before(before) {
			err = s.Far.Remove(ctx, e.Key)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
