package derived_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/internal/blobs"
	"inlay/internal/blobs/derived"
)

func key(namespace, of string) cache.Key {
	return cache.Key{Namespace: namespace, Of: of, Kind: "parse"}
}

// TestTwoServers: what one derived the other finds, until it is forgotten.
func TestTwoServers(t *testing.T) {
	far := blobs.NewFolder(t.TempDir())
	a, b := &derived.Store{Near: &cache.Memory{}, Far: far}, &derived.Store{Near: &cache.Memory{}, Far: far}
	ctx := t.Context()
	parse, other := key("ann", "file-1"), key("bob", "file-1")
	require.NoError(t, a.Put(ctx, parse, []byte("text")))
	require.NoError(t, a.Put(ctx, other, []byte("another's")))
	for range 2 {
		got, ok, err := b.Get(ctx, parse)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, "text", string(got))
	}
	_, ok, err := b.Near.Get(ctx, parse)
	require.NoError(t, err)
	require.True(t, ok, "it is near from then on")

	require.NoError(t, a.Forget(ctx, "ann", "file-1"))
	_, ok, err = a.Get(ctx, parse)
	require.NoError(t, err)
	require.False(t, ok)
	_, ok, _ = a.Get(ctx, other)
	require.True(t, ok)

	alone := &cache.Memory{}
	require.NoError(t, alone.Put(ctx, key("ann", "file-2"), []byte("by a process of its own")))
	c := &derived.Store{Near: alone, Far: far}
	c.Push(ctx, []cache.Key{key("ann", "file-2"), key("ann", "none")})
	_, ok, _ = b.Get(ctx, key("ann", "file-2"))
	require.True(t, ok)
	require.NoError(t, b.Erase(ctx, "ann"))
	_, ok, _ = a.Get(ctx, key("ann", "file-2"))
	require.False(t, ok)
	require.NoError(t, a.Expire(ctx, time.Hour))
	_, ok, _ = (&derived.Store{Near: &cache.Memory{}, Far: far}).Get(ctx, other)
	require.True(t, ok)
	require.NoError(t, a.Expire(ctx, -time.Hour))
	_, ok, _ = (&derived.Store{Near: &cache.Memory{}, Far: far}).Get(ctx, other)
	require.False(t, ok)
}

// away is a store that cannot be reached.
type away struct{ blobs.Store }

// Put implements [blobs.Store].
func (away) Put(context.Context, string, io.Reader, int64) error { return errors.New("away") }

// Open implements [blobs.Store].
func (away) Open(context.Context, string) (io.ReadSeekCloser, error) { return nil, errors.New("away") }

// TestFarAway: without the far store everything is only slower.
func TestFarAway(t *testing.T) {
	s := &derived.Store{Near: &cache.Memory{}, Far: away{}}
	_, ok, err := s.Get(t.Context(), key("ann", "x"))
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, s.Put(t.Context(), key("ann", "x"), []byte("text")))
	_, ok, err = s.Get(t.Context(), key("ann", "x"))
	require.NoError(t, err)
	require.True(t, ok)
}
