package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/state"
	"inlay/internal/state/sqlite"
	"inlay/internal/state/statetest"
)

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestStore(t *testing.T) {
	statetest.Run(t, func(t *testing.T) state.Store {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "odd name?#%41", "state.db"))
	})
}

// TestTwoProcesses: a command changes keys while a server runs.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	server, command := open(t, path), open(t, path)
	_, err := command.AddKey(t.Context(), state.Key{ID: "key_1", OwnerName: "ann", Hash: []byte("h"), Created: time.Unix(1, 0)})
	require.NoError(t, err)
	k, err := server.KeyByHash(t.Context(), []byte("h"))
	require.NoError(t, err)
	require.Equal(t, "key_1", k.ID)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// TestUpgrade opens the state that each earlier version left, as SQL.
func TestUpgrade(t *testing.T) {
	versions, err := filepath.Glob("testdata/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, versions)
	for _, v := range versions {
		t.Run(filepath.Base(v), func(t *testing.T) {
			dump, err := os.ReadFile(v)
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "state.db")
			run(t, path, string(dump))
			s := open(t, path)
			k, err := s.KeyByHash(t.Context(), []byte{0})
			require.NoError(t, err)
			require.Equal(t, "key_1", k.Owner)
			require.Equal(t, state.Write, k.Scope)
			twin, err := s.KeyByHash(t.Context(), []byte{1})
			require.NoError(t, err)
			require.NotEqual(t, k.OwnerName, twin.OwnerName, "keys of one name stay apart")
			f, err := s.File(t.Context(), "key_1", "file-1")
			require.NoError(t, err)
			require.Equal(t, "report.pdf", f.Name)
			_, turns, err := s.Chat(t.Context(), "key_1", "chat_1")
			require.NoError(t, err)
			require.Len(t, turns, 1)
			waiting, err := s.WaitingEvaluations(t.Context())
			require.NoError(t, err)
			require.Len(t, waiting, 1)
			require.ErrorIs(t, s.AddFile(t.Context(), state.File{ID: "file-2", Owner: "key_1", Created: time.Unix(1, 0)}, state.Quota{Files: 1}), state.ErrQuota)
		})
	}
}

func run(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statements)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func TestOpenRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	open(t, path)
	run(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
	_, err := sqlite.Open(t.Context(), path)
	require.True(t, fault.Is(err, fault.StoreDamaged))
	require.ErrorContains(t, err, "newer")

	junk := filepath.Join(t.TempDir(), "state.db")
	require.NoError(t, os.WriteFile(junk, []byte("this is no database, however long it may be"), 0o600))
	_, err = sqlite.Open(t.Context(), junk)
	require.True(t, fault.Is(err, fault.StoreDamaged), "%v", err)
}
