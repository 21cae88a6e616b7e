package cache_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/cache"
)

func key(parts ...string) cache.Key { return cache.Key{Namespace: "a", Kind: "test", Parts: parts} }

// stores are what every test of the Store contract runs against.
func stores(t *testing.T) map[string]cache.Store {
	t.Helper()
	dir, err := cache.OpenDir(t.TempDir(), cache.Options{})
	require.NoError(t, err)
	return map[string]cache.Store{"memory": &cache.Memory{}, "dir": dir}
}

func TestStoreKeepsWhatWasPut(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			_, ok, err := s.Get(ctx, key("x"))
			require.NoError(t, err)
			require.False(t, ok)

			big := bytes.Repeat([]byte("0123456789"), 300_000)
			for _, data := range [][]byte{[]byte("one"), {}, {0}, big, []byte("two")} {
				require.NoError(t, s.Put(ctx, key("x"), data))
				got, ok, err := s.Get(ctx, key("x"))
				require.NoError(t, err)
				require.True(t, ok)
				require.True(t, bytes.Equal(data, got))
			}
		})
	}
}

func TestStoreKeepsKeysApart(t *testing.T) {
	keys := []cache.Key{
		{},
		{Namespace: "ab", Kind: "c"},
		{Namespace: "ab", Of: "c"},
		{Namespace: "a", Of: "b", Kind: "c"},
		{Of: "abc"},
		{Namespace: "a", Kind: "bc"},
		{Namespace: "abc"},
		{Kind: "abc"},
		{Parts: []string{"a", "bc"}},
		{Parts: []string{"ab", "c"}},
		{Parts: []string{"abc"}},
		{Parts: []string{"abc", ""}},
		{Parts: []string{"a\x00b", "c"}},
		{Parts: []string{"a", "b\x00c"}},
		{Parts: []string{"../../etc/passwd"}},
	}
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			for i, k := range keys {
				require.NoError(t, s.Put(t.Context(), k, fmt.Append(nil, i)))
			}
			for i, k := range keys {
				got, ok, err := s.Get(t.Context(), k)
				require.NoError(t, err)
				require.True(t, ok)
				require.Equal(t, fmt.Sprint(i), string(got))
			}
		})
	}
}

func TestStoreSharesNoBytesWithItsCallers(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			data := []byte("kept")
			require.NoError(t, s.Put(t.Context(), key("x"), data))
			data[0] = 'X'
			got, _, err := s.Get(t.Context(), key("x"))
			require.NoError(t, err)
			got[1] = 'X'
			got, _, err = s.Get(t.Context(), key("x"))
			require.NoError(t, err)
			require.Equal(t, "kept", string(got))
		})
	}
}

func TestStoreStopsWhenItsContextEnds(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			require.ErrorIs(t, s.Put(ended, key("x"), []byte("x")), context.Canceled)
			_, ok, err := s.Get(t.Context(), key("x"))
			require.NoError(t, err)
			require.False(t, ok)
			_, _, err = s.Get(ended, key("x"))
			require.ErrorIs(t, err, context.Canceled)
		})
	}
}

func TestStoreIsSafeForConcurrentUse(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			var wg sync.WaitGroup
			for w := range 8 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(1, uint64(w)))
					for range 40 {
						n := r.IntN(5)
						want := bytes.Repeat(fmt.Append(nil, n), 1000)
						if r.IntN(2) == 0 {
							if err := s.Put(t.Context(), key(fmt.Sprint(n)), want); err != nil {
								t.Error(err)
							}
						}
						got, ok, err := s.Get(t.Context(), key(fmt.Sprint(n)))
						if err != nil || ok && !bytes.Equal(got, want) {
							t.Errorf("entry %d: %v, %d bytes", n, err, len(got))
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

func TestMemoryForgetsWhatWasUsedLongestAgo(t *testing.T) {
	m := &cache.Memory{MaxBytes: 30}
	ten := make([]byte, 10)
	for _, k := range []string{"a", "b", "c"} {
		require.NoError(t, m.Put(t.Context(), key(k), ten))
	}
	_, ok, _ := m.Get(t.Context(), key("a"))
	require.True(t, ok)
	require.NoError(t, m.Put(t.Context(), key("d"), ten))
	require.Equal(t, "a-cd", held(t, m, "a", "b", "c", "d"))

	require.NoError(t, m.Put(t.Context(), key("a"), make([]byte, 31)), "larger than the store")
	require.Equal(t, "--cd", held(t, m, "a", "b", "c", "d"), "the old value is gone too")
	require.NoError(t, m.Put(t.Context(), key("e"), make([]byte, 30)))
	require.Equal(t, "---e", held(t, m, "a", "c", "d", "e"))
}

// held spells which of the keys a store holds, "-" for one it does not.
func held(t *testing.T, s cache.Store, keys ...string) string {
	t.Helper()
	var out strings.Builder
	for _, k := range keys {
		_, ok, err := s.Get(t.Context(), key(k))
		require.NoError(t, err)
		if !ok {
			k = "-"
		}
		out.WriteString(k)
	}
	return out.String()
}

// What was derived from one content is forgotten, and nothing else.
func TestStoreForgets(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			gone := []cache.Key{{Namespace: "a", Of: "f", Kind: "parse"}, {Namespace: "a", Of: "f", Kind: "vectors", Parts: []string{"x"}}}
			kept := []cache.Key{{Namespace: "b", Of: "f", Kind: "parse"}, {Namespace: "a", Of: "g", Kind: "parse"}, {Namespace: "af", Kind: "parse"}}
			for _, k := range append(gone, kept...) {
				require.NoError(t, s.Put(ctx, k, []byte("x")))
			}
			require.NoError(t, s.Forget(ctx, "a", "f"))
			require.NoError(t, s.Forget(ctx, "a", "never there"))
			for _, k := range gone {
				_, ok, err := s.Get(ctx, k)
				require.NoError(t, err)
				require.False(t, ok, k)
			}
			for _, k := range kept {
				_, ok, err := s.Get(ctx, k)
				require.NoError(t, err)
				require.True(t, ok, k)
			}
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			require.ErrorIs(t, s.Forget(ctx, "a", "g"), context.Canceled)
		})
	}
}
