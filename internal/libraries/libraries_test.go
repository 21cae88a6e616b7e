package libraries_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"inlay/internal/blobs"
	"inlay/internal/libraries"
	"inlay/internal/state/postgres"
	"inlay/internal/weaviate"
	"inlay/library"
	"inlay/library/librarytest"
)

// servers are the addresses of real ones; without them the test is skipped.
func servers(tb testing.TB) (database, index string) {
	tb.Helper()
	database, index = os.Getenv("INLAY_POSTGRES_URL"), os.Getenv("INLAY_WEAVIATE_URL")
	if database == "" || index == "" {
		tb.Skip("no PostgreSQL and Weaviate: run scripts/weaviate run scripts/postgres run go test ./internal/libraries")
	}
	return database, index
}

// parts are what a server opens its libraries with.
type parts struct {
	address string // of a database of its own
	config  libraries.Config
}

func newParts(tb testing.TB) parts {
	tb.Helper()
	database, _ := servers(tb)
	conn, err := pgx.Connect(tb.Context(), database)
	require.NoError(tb, err)
	name := fmt.Sprintf("libraries_%d", rand.Int64())
	_, err = conn.Exec(tb.Context(), "CREATE DATABASE "+name)
	require.NoError(tb, err)
	require.NoError(tb, conn.Close(tb.Context()))
	u, err := url.Parse(database)
	require.NoError(tb, err)
	u.Path = "/" + name
	return parts{address: u.String(), config: libraries.Config{Blobs: openBlobs(tb, name)}}
}

// openBlobs is a part of the bucket, or a folder where there is none.
func openBlobs(tb testing.TB, name string) blobs.Store {
	tb.Helper()
	address := os.Getenv("INLAY_S3_URL")
	if address == "" {
		return blobs.NewFolder(tb.TempDir())
	}
	u, err := url.Parse(address)
	require.NoError(tb, err)
	u.Path = "/" + name
	s, err := blobs.OpenS3(tb.Context(), u.String(), os.Getenv)
	require.NoError(tb, err)
	return s
}

// open is one more server on the same parts.
func (p parts) open(tb testing.TB) *libraries.Store {
	tb.Helper()
	_, index := servers(tb)
	db, err := postgres.Open(tb.Context(), p.address, slog.New(slog.DiscardHandler))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, db.Close()) })
	c := p.config
	c.Database = db.Engine
	c.Index, err = weaviate.Open(index, os.Getenv)
	require.NoError(tb, err)
	s, err := libraries.Open(context.WithoutCancel(tb.Context()), c)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close()) })
	return s
}

// TestSuite runs the suite with every question asked of Weaviate, and with small
// libraries ranked without it.
func TestSuite(t *testing.T) {
	for name, direct := range map[string]int{"Index": -1, "Direct": 0} {
		t.Run(name, func(t *testing.T) {
			librarytest.Run(t, func(t *testing.T) library.Index {
				t.Helper()
				p := newParts(t)
				p.config.Direct = direct
				return p.open(t)
			})
		})
	}
}
