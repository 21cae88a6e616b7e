package parsetest

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// Zip makes a container of the given entries: name, content, name, content, ...
func Zip(tb testing.TB, entries ...string) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i+1 < len(entries); i += 2 {
		f, err := w.Create(entries[i])
		require.NoError(tb, err)
		_, err = f.Write([]byte(entries[i+1]))
		require.NoError(tb, err)
	}
	require.NoError(tb, w.Close())
	return b.Bytes()
}
