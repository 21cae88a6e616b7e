package httpapi_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"inlay/internal/blobs"
	"inlay/internal/libraries"
	"inlay/internal/state"
	"inlay/internal/state/postgres"
	"inlay/internal/state/sqlite"
	"inlay/internal/weaviate"
	"inlay/library"
	"inlay/library/disk"
)

// store is a state that a test closes, and may change behind its back.
type store struct {
	state.Store
	bytes blobs.Store
	run   func(statement string)
	close func() error
}

// work is a store that hands out work.
type work struct {
	store
	state.Work
	state.Bulletin
}

// shared reports that the suite runs on PostgreSQL and S3, as in a cluster.
func shared() bool { return os.Getenv("INLAY_POSTGRES_URL") != "" && os.Getenv("INLAY_S3_URL") != "" }

// sharedLibraries reports that libraries are in a cluster too.
func sharedLibraries() bool { return shared() && os.Getenv("INLAY_WEAVIATE_URL") != "" }

// openStores are those of a data folder: what one machine has, or, beside the
// servers of scripts/postgres and scripts/s3, a database and a part of a bucket.
func openStores(tb testing.TB, dir string) store {
	tb.Helper()
	if !shared() {
		path := filepath.Join(dir, "state.db")
		s, err := sqlite.Open(tb.Context(), path)
		require.NoError(tb, err)
		return store{Store: s, bytes: blobs.NewFolder(dir), close: s.Close, run: func(statement string) {
			db, err := sql.Open("sqlite", path)
			require.NoError(tb, err)
			_, err = db.ExecContext(tb.Context(), statement)
			require.NoError(tb, err)
			require.NoError(tb, db.Close())
		}}
	}
	sum := sha256.Sum256([]byte(dir))
	name := "t_" + hex.EncodeToString(sum[:8])
	u, err := url.Parse(os.Getenv("INLAY_POSTGRES_URL"))
	require.NoError(tb, err)
	execute(tb, u.String(), "CREATE DATABASE "+name)
	u.Path = "/" + name
	s, err := postgres.Open(tb.Context(), u.String(), slog.New(slog.DiscardHandler))
	require.NoError(tb, err)
	before, query, _ := strings.Cut(os.Getenv("INLAY_S3_URL"), "?")
	bucket, err := blobs.OpenS3(tb.Context(), before+"/"+name+"?"+query, os.Getenv)
	require.NoError(tb, err)
	return store{Store: s, bytes: bucket, close: s.Close, run: func(statement string) { execute(tb, u.String(), statement) }}
}

// openLibraries are those of a data folder, or, beside the servers of
// scripts/weaviate, those of a cluster. The service closes them.
func openLibraries(tb testing.TB, dir string, s store) library.Index {
	tb.Helper()
	if !sharedLibraries() {
		own := disk.Open(filepath.Join(dir, "libraries"))
		own.Own = state.Local
		return own
	}
	index, err := weaviate.Open(os.Getenv("INLAY_WEAVIATE_URL"), os.Getenv)
	require.NoError(tb, err)
	l, err := libraries.Open(tb.Context(), libraries.Config{Database: s.Store.(*postgres.Store).Engine, Blobs: s.bytes, Index: index, Direct: -1})
	require.NoError(tb, err)
	return l
}

// execute runs a statement; that a database is there already is not an error.
func execute(tb testing.TB, address, statement string) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), address)
	require.NoError(tb, err)
	if _, err = conn.Exec(tb.Context(), statement); err != nil {
		require.ErrorContains(tb, err, "already exists")
	}
	require.NoError(tb, conn.Close(tb.Context()))
}

// forService is the state as the service gets it.
func (s store) forService() state.Store {
	if w, ok := s.Store.(state.Work); ok {
		return work{s, w, s.Store.(state.Bulletin)}
	}
	return s
}
