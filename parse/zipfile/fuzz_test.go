package zipfile_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse/zipfile"
)

// FuzzRead opens any bytes as a zip and reads every entry: nothing panics and
// nothing expands beyond its limit.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	e, err := w.Create("a/b.xml")
	require.NoError(f, err)
	_, err = e.Write(bytes.Repeat([]byte("x"), 1000))
	require.NoError(f, err)
	require.NoError(f, w.Close())
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := zipfile.Open(data, zipfile.Limits{Entries: 100, Entry: 1 << 16, Total: 1 << 18, Ratio: 100})
		if err != nil {
			return
		}
		_ = a.Encrypted()
		total := 0
		for _, name := range a.Names() {
			content, err := a.Read(name)
			if err == nil {
				require.LessOrEqual(t, len(content), 1<<16)
				total += len(content)
			}
		}
		require.LessOrEqual(t, total, 1<<18)
	})
}
