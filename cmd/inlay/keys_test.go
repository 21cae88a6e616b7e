package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/state"
	"inlay/internal/state/sqlite"
)

// TestKeysListHasLines: a name that an earlier version kept with line breaks is
// still one line of the list.
func TestKeysListHasLines(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, stateFile))
	require.NoError(t, err)
	_, err = store.AddKey(t.Context(), state.Key{
		ID: "key_1", OwnerName: "ann\nkey_3  forged", Name: "phone\nkey_2  forged\r\x1b[2J", Hash: []byte("hash"), Scope: state.Read, Created: state.Now(),
	})
	require.NoError(t, err)
	require.NoError(t, store.Close())
	var out bytes.Buffer
	c := keysListCmd{stateSettings: stateSettings{dataSettings: dataSettings{Data: dir}}, Output: "text"}
	require.NoError(t, c.Run(t.Context(), &app{stdout: &out}))
	require.Equal(t, 1, strings.Count(out.String(), "\n"), out.String())
	require.NotContains(t, out.String(), "\x1b")
	require.NotContains(t, out.String(), "\r")
}
